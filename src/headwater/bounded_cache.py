"""Bounded in-memory cache, and digests as its keys. It changes how fast an answer comes, never the answer."""

from __future__ import annotations

import secrets
from collections.abc import Hashable
from typing import Generic, TypeVar

from msgspec import Raw
from xxhash import xxh3_128_digest

__all__ = ["BoundedCache", "digest"]

_V = TypeVar("_V")

_SEED = int.from_bytes(secrets.token_bytes(8), "big")


def digest(body: bytes | Raw) -> bytes:
    """Digest of bytes for a key: quicker to compare than they are, and small.

    For this process alone. The seed is its secret, so that nobody can make up two texts with the same digest.
    """
    return xxh3_128_digest(body, _SEED)


class BoundedCache(Generic[_V]):
    """A bounded map; drops entries not used since the last turn of generations.

    Two generations: a full young one becomes the old one, and used entries move back up. That costs one dictionary
    lookup, against the bookkeeping of a least-recently-used list.
    """

    def __init__(self, weight_limit: int) -> None:
        self._limit = weight_limit // 2
        self._weight = 0
        self._young: dict[Hashable, _V] = {}
        self._old: dict[Hashable, _V] = {}

    def get(self, key: Hashable) -> _V | None:
        value = self._young.get(key)
        if value is None and self._old:
            value = self._old.pop(key, None)
            if value is not None:
                self._young[key] = value
        return value

    def put(self, key: Hashable, value: _V, weight: int = 1) -> None:
        if self._weight + weight > self._limit:
            self._old, self._young, self._weight = self._young, {}, 0
        self._young[key] = value
        self._weight += weight

    def clear(self) -> None:
        self._young, self._old, self._weight = {}, {}, 0
