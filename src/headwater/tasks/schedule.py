"""When a task is tried again, and in how large a company."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["DELAYS", "MOST_ATTEMPTS", "batch_limit", "delay_after", "together"]

DELAYS = (60, 300, 900, 3_600, 21_600)
"""Seconds after the first, second ... failed attempt."""
MOST_ATTEMPTS = len(DELAYS) + 1


def delay_after(attempts: int, delays: Sequence[float] = DELAYS) -> float | None:
    """Seconds until the next attempt after this many; None after the last one.

    >>> [delay_after(number) for number in (1, 2, 5, 6)]
    [60, 300, 21600, None]
    """
    return delays[attempts - 1] if 1 <= attempts <= len(delays) else None


def batch_limit(attempts: int, size: int) -> int:
    """Largest batch for a task with this many attempts.

    A task that failed, or ended its worker, is tried in smaller and smaller batches, so that it cannot use up the
    attempts of its neighbours.

    >>> [batch_limit(attempts, 64) for attempts in range(5)]
    [64, 16, 4, 1, 1]
    """
    return max(1, size >> 2 * attempts) if attempts < 3 else 1


def together(attempts: Sequence[int], size: int) -> int:
    """How many of the first of these tasks, each with its number of attempts, go into one batch.

    >>> together([0, 0, 0, 2, 0], 64), together([0, 0, 3], 64), together([3, 0], 64)
    (4, 2, 1)
    """
    limit = size
    for taken, number in enumerate(attempts):
        limit = min(limit, batch_limit(number, size))
        if taken >= limit:
            return max(1, taken)
    return min(len(attempts), limit)
