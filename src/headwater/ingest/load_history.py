"""How many requests with events there were in the last day, and how long they took, five minutes by five minutes."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable

from msgspec import Struct

__all__ = ["LoadHistory", "LoadInterval"]

SLOT_SECONDS = 300
SLOTS = 288
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_LONGER = 10.0


class LoadInterval(Struct):
    """Five minutes."""

    began: int
    """Seconds since 1970."""
    requests: int = 0
    counts: list[int] = []
    lag_events: int | None = None
    """How many events the pipeline had not worked in, when it was last looked at."""
    lag_seconds: float | None = None

    def seconds_of(self, share: float) -> float | None:
        """The time that this share of the requests needed at most, to the next of a few bounds."""
        if not self.requests:
            return None
        wanted, seen = share * self.requests, 0
        for place, count in enumerate(self.counts):
            seen += count
            if seen >= wanted:
                return _BOUNDS[place] if place < len(_BOUNDS) else _LONGER
        return _LONGER


class LoadHistory:
    """Of one process, a day at most. Used from the event loop."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._slots: deque[LoadInterval] = deque(maxlen=SLOTS)

    def add(self, seconds: float) -> None:
        """A request that took so long."""
        slot = self._now()
        slot.requests += 1
        slot.counts[bisect_left(_BOUNDS, seconds)] += 1

    def note_lag(self, events: int | None, seconds: float | None) -> None:
        slot = self._now()
        slot.lag_events, slot.lag_seconds = events, seconds

    def slots(self) -> list[LoadInterval]:
        """Those in which something happened, the oldest first."""
        oldest = self._clock() - SLOTS * SLOT_SECONDS
        return [slot for slot in self._slots if slot.began > oldest]

    def _now(self) -> LoadInterval:
        began = int(self._clock()) // SLOT_SECONDS * SLOT_SECONDS
        if not self._slots or self._slots[-1].began < began:
            self._slots.append(LoadInterval(began, counts=[0] * (len(_BOUNDS) + 1)))
        return self._slots[-1]
