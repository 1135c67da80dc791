"""Vectors as bytes: little-endian 32-bit numbers."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from headwater.models.errors import WrongAnswer

__all__ = ["Space", "pack", "unpack"]


class Space(NamedTuple):
    """Vectors that can be compared."""

    fingerprint: str
    dimension: int
    similarity: str


def pack(values: Sequence[float], dimension: int) -> bytes:
    """The bytes of a vector. Raises `WrongAnswer` if it has another dimension, or numbers that are none.

    >>> unpack(pack([1, 0.5], 2))
    (1.0, 0.5)
    """
    if len(values) != dimension:
        raise WrongAnswer(
            f"The model gives vectors of {len(values)} numbers; {dimension} are configured.",
            hint="Configure the dimension that the model has.",
        )
    try:
        packed = struct.pack(f"<{dimension}f", *values)
    except (struct.error, OverflowError):
        raise WrongAnswer("A vector of the model has something else than numbers.") from None
    total = math.fsum(value * value for value in values)
    if not math.isfinite(total) or total == 0:
        raise WrongAnswer("A vector of the model is no direction: it is zero, or not finite.")
    return packed


def unpack(packed: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(packed) // 4}f", packed)
