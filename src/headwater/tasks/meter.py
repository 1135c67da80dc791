"""Port for the metrics of tasks, and a meter that collects for another process."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Protocol

from msgspec import Struct

__all__ = ["Collected", "CollectingMeter", "TaskMeter"]

_MOST_SECONDS = 1_000


class TaskMeter(Protocol):
    def count(self, what: str, task_type: str, tenant: str, number: int = 1) -> None:
        """Count tasks: `created`, `claimed`, `succeeded`, `retried`, `dead`, `released`, `removed`, `lost`,
        `taken_over`.
        """

    def pause(self, reason: str, tenant: str) -> None:
        """A model was paused."""

    def batch(self, task_type: str, seconds: float) -> None:
        """A batch has ended."""

    def level(self, queued: int, busy: int) -> None:
        """Tasks in the channel, and threads that execute batches."""


class Collected(Struct):
    """Counts since the last call."""

    counts: dict[tuple[str, str, str], int] = {}
    pauses: dict[tuple[str, str], int] = {}
    batches: list[tuple[str, float]] = []
    queued: int = 0
    busy: int = 0

    def replay(self, meter: TaskMeter) -> None:
        for (what, task_type, tenant), number in self.counts.items():
            meter.count(what, task_type, tenant, number)
        for (reason, tenant), number in self.pauses.items():
            for _ in range(number):
                meter.pause(reason, tenant)
        for task_type, seconds in self.batches:
            meter.batch(task_type, seconds)
        meter.level(self.queued, self.busy)


class CollectingMeter:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str, str]] = Counter()
        self._pauses: Counter[tuple[str, str]] = Counter()
        self._batches: list[tuple[str, float]] = []
        self._level = (0, 0)

    def count(self, what: str, task_type: str, tenant: str, number: int = 1) -> None:
        if number:
            with self._lock:
                self._counts[what, task_type, tenant] += number

    def pause(self, reason: str, tenant: str) -> None:
        with self._lock:
            self._pauses[reason, tenant] += 1

    def batch(self, task_type: str, seconds: float) -> None:
        with self._lock:
            if len(self._batches) < _MOST_SECONDS:
                self._batches.append((task_type, seconds))

    def level(self, queued: int, busy: int) -> None:
        self._level = (queued, busy)

    def take(self) -> Collected:
        """The collected counts; starts again at zero."""
        with self._lock:
            taken = Collected(dict(self._counts), dict(self._pauses), self._batches, *self._level)
            self._counts, self._pauses, self._batches = Counter(), Counter(), []
        return taken
