"""Blocks in the form of Bitcoin: 80-byte headers that name the one before, Merkle trees, a little proof of work.

>>> tree = [double_sha256(bytes([number])) for number in range(5)]
>>> all(root_of(leaf, merkle_path(tree, index)) == merkle_root(tree) for index, leaf in enumerate(tree))
True
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

from msgspec import Struct

__all__ = [
    "BITS",
    "Block",
    "PathStep",
    "double_sha256",
    "merkle_path",
    "merkle_root",
    "mine",
    "root_of",
    "shown",
    "target_of",
]

BITS = 0x207FFFFF
"""The target of a test network: about every second nonce will do."""
NO_BLOCK = bytes(32)


class PathStep(Struct, frozen=True):
    """A neighbour on the way from a transaction to the root of the tree."""

    hash: bytes
    is_left: bool
    """Whether it stands to the left."""


class Block(Struct, frozen=True):
    height: int
    header: bytes
    hash: bytes
    transactions: tuple[bytes, ...]


def double_sha256(data: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def shown(value: bytes) -> str:
    """A hash as people write it: hexadecimal, from its last byte."""
    return value[::-1].hex()


def target_of(bits: int) -> int:
    """The number that a block's hash must not exceed, out of its short form."""
    return (bits & 0xFFFFFF) << 8 * ((bits >> 24) - 3)


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The root of a tree; the last hash of an odd level counts twice."""
    level = list(leaves)
    while len(level) > 1:
        level = _above(level)
    return level[0]


def merkle_path(leaves: Sequence[bytes], index: int) -> list[PathStep]:
    """The neighbours of one leaf on the way up."""
    steps, level = [], list(leaves)
    while len(level) > 1:
        neighbour = min(index ^ 1, len(level) - 1)
        steps.append(PathStep(level[neighbour], is_left=neighbour < index))
        level, index = _above(level), index // 2
    return steps


def root_of(leaf: bytes, path: Sequence[PathStep]) -> bytes:
    """The root to which a path leads from a leaf."""
    for step in path:
        leaf = double_sha256(step.hash + leaf if step.is_left else leaf + step.hash)
    return leaf


def mine(height: int, previous: bytes, transactions: Sequence[bytes], seconds: int) -> Block:
    """The next block, with the first nonce that meets the target."""
    front = struct.pack("<i32s32sII", 1, previous, merkle_root(transactions), seconds, BITS)
    nonce, target = 0, target_of(BITS)
    while int.from_bytes(found := double_sha256(front + struct.pack("<I", nonce)), "little") > target:
        nonce += 1
    return Block(height, front + struct.pack("<I", nonce), found, tuple(transactions))


def _above(level: list[bytes]) -> list[bytes]:
    if len(level) % 2:
        level = [*level, level[-1]]
    return [double_sha256(level[place] + level[place + 1]) for place in range(0, len(level), 2)]
