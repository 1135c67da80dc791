"""The usual time between moments: when a job runs next, if it goes on as it did."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

__all__ = ["usual_gap"]

_FEWEST = 4
_SHORTEST = 1_000_000
"""A job that runs more often than this has no schedule."""
_BURST = 300_000_000
"""Moments closer than this, and then a long time without any, are no rhythm but one act in several parts."""
_FAR = 1 << 60


def usual_gap(times: Iterable[int]) -> int | None:
    """The middle of the gaps, in microseconds; None of fewer than four moments, or where the gaps differ too much.

    At least half of the gaps must be between half and twice the middle one: days that are left out do no harm. Several
    moments that follow each other closely, each day anew, count as one: the gap is a day.

    >>> usual_gap([0, 60_000_000, 120_000_000, 180_000_000, 300_000_000])
    60000000
    """
    ordered = sorted(set(times))
    usual = _middle(ordered)
    if usual is None or 2 * usual * len(ordered) >= ordered[-1] - ordered[0]:
        return usual
    first_of_each = [after for before, after in pairwise([ordered[0] - _FAR, *ordered]) if after - before > 10 * usual]
    between = _middle(first_of_each)
    return between if between is not None or usual < _BURST else usual


def _middle(ordered: list[int]) -> int | None:
    if len(ordered) < _FEWEST:
        return None
    gaps = sorted(later - earlier for earlier, later in pairwise(ordered))
    usual = gaps[len(gaps) // 2]
    alike = sum(usual < 2 * gap and gap < 2 * usual for gap in gaps)
    return usual if usual >= _SHORTEST and 2 * alike >= len(gaps) else None
