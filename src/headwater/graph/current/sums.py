"""Sums of figures: an unknown value is not zero, and a sum stops at the greatest number that stores hold."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["LARGEST", "total"]

LARGEST = 2**63 - 1


def total(values: Iterable[int | None]) -> int | None:
    """Sum of the known values; None if none is known.

    >>> total([2, None, 3]), total([None]), total([2**62, 2**62]) == LARGEST
    (5, None, True)
    """
    known = [value for value in values if value is not None]
    return min(sum(known), LARGEST) if known else None
