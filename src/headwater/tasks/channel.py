"""Channel between producers of tasks and the threads that execute them: bounded, and fair between tenants.

It holds numbers of tasks only. One without room stays in the table, and the channel notes that its model has more
there. A turn is one batch of one model. The tenant with the fewest turns in progress is next, of those the one that
has waited longest; its models take turns too.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable

from msgspec import Struct

from headwater.store.tasks.models import ModelKey

__all__ = ["Channel", "Turn"]


class Turn(Struct, frozen=True):
    """The next work of a thread."""

    model: ModelKey
    numbers: tuple[int, ...] | None
    """Tasks that were pushed; None to pull from the table."""


class _Model(Struct):
    numbers: deque[int]
    has_more: bool = False
    """Whether the table has tasks that are not in here."""
    running: int = 0


class Channel:
    """Thread-safe."""

    def __init__(self, sizes: Callable[[str], int], *, most: int, most_of_tenant: int, threads: int) -> None:
        """`sizes` gives the size of a batch by type of task; `most` bounds the number of waiting tasks."""
        self._sizes, self._most, self._most_of_tenant = sizes, most, most_of_tenant
        self._most_turns = max(1, threads - 1)
        """Of one tenant at once: one thread is left to the others."""
        self._tenants: OrderedDict[int, OrderedDict[ModelKey, _Model]] = OrderedDict()
        """In the order of their last turn."""
        self._waiting: dict[int, int] = {}
        self._running: dict[int, int] = {}
        self._length = 0
        self._changed = threading.Condition()
        self._is_closed = False

    def __len__(self) -> int:
        return self._length

    def push(self, model: ModelKey, numbers: Iterable[int]) -> int:
        """Add tasks while there is room; gives the number added. Never waits."""
        taken = 0
        with self._changed:
            entry = self._entry(model)
            for number in numbers:
                if self._length >= self._most or self._waiting.get(model.tenant, 0) >= self._most_of_tenant:
                    entry.has_more = True
                    continue
                entry.numbers.append(number)
                self._length += 1
                self._waiting[model.tenant] = self._waiting.get(model.tenant, 0) + 1
                taken += 1
            self._changed.notify_all()
        return taken

    def note_more(self, models: Iterable[ModelKey]) -> None:
        """The table has tasks of these models that wait."""
        with self._changed:
            for model in models:
                self._entry(model).has_more = True
            self._changed.notify_all()

    def take(self, seconds: float) -> Turn | None:
        """The next turn; None after this many seconds without one, or when the channel is closed."""
        ends = time.monotonic() + seconds
        with self._changed:
            while not self._is_closed:
                turn = self._next()
                if turn is not None:
                    return turn
                left = ends - time.monotonic()
                if left <= 0:
                    return None
                self._changed.wait(left)
        return None

    def done(self, turn: Turn, *, has_more: bool, back: Iterable[int] = ()) -> None:
        """A turn is over. `back` are pushed tasks that did not fit into its batch."""
        tenant = turn.model.tenant
        with self._changed:
            self._running[tenant] -= 1
            entry = self._entry(turn.model)
            entry.running -= 1
            entry.has_more |= has_more
            for number in back:
                entry.numbers.appendleft(number)
                self._length += 1
                self._waiting[tenant] = self._waiting.get(tenant, 0) + 1
            self._forget(turn.model)
            self._changed.notify_all()

    def close(self) -> None:
        """Give out no more turns."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _entry(self, model: ModelKey) -> _Model:
        models = self._tenants.setdefault(model.tenant, OrderedDict())
        if model not in models:
            models[model] = _Model(deque())
        return models[model]

    def _next(self) -> Turn | None:
        best: ModelKey | None = None
        fewest = self._most_turns
        for tenant, models in self._tenants.items():
            running = self._running.get(tenant, 0)
            if running < fewest:
                ready = next((model for model, entry in models.items() if entry.numbers or entry.has_more), None)
                if ready is not None:
                    best, fewest = ready, running
        return self._start(best) if best is not None else None

    def _start(self, model: ModelKey) -> Turn:
        entry = self._tenants[model.tenant][model]
        self._tenants[model.tenant].move_to_end(model)
        self._tenants.move_to_end(model.tenant)
        self._running[model.tenant] = self._running.get(model.tenant, 0) + 1
        entry.running += 1
        if not entry.numbers:
            entry.has_more = False  # until the pull shows that there is still more
            return Turn(model, None)
        count = min(len(entry.numbers), self._sizes(model.task_type))
        numbers = tuple(entry.numbers.popleft() for _ in range(count))
        self._length -= count
        self._waiting[model.tenant] -= count
        return Turn(model, numbers)

    def _forget(self, model: ModelKey) -> None:
        """Drop models and tenants without waiting tasks."""
        models = self._tenants[model.tenant]
        entry = models[model]
        if not entry.numbers and not entry.has_more and not entry.running:
            del models[model]
        if not models:
            for counts in (self._waiting, self._running):
                counts.pop(model.tenant, None)
            del self._tenants[model.tenant]
