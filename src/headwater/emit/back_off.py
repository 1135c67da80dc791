"""Pauses between attempts: they double, with chance in them so that many do not come back at once."""

from __future__ import annotations

import random

__all__ = ["back_off"]

_SECOND = 1_000_000


def back_off(failures: int, *, first: float = 1.0, longest: float = 300.0, at_least: float = 0.0) -> int:
    """Microseconds to wait after this many failures, between half and all of the doubled pause.

    >>> 500_000 <= back_off(1) <= 1_000_000, back_off(60) <= 300_000_000
    (True, True)
    """
    pause: float = min(longest, first * 2 ** min(max(failures - 1, 0), 30))
    return int(max(at_least, pause * random.uniform(0.5, 1.0)) * _SECOND)  # noqa: S311 - no secret
