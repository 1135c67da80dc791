"""Questions that take long give way to new ones of other tenants that the same process answers.

Threads of one process take turns of a few milliseconds each, so a short question beside three long ones would take four
times as long. Here a long one rests at its next step while a new one of somebody else runs, for most of the time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

__all__ = ["LONG_SECONDS", "Others"]

LONG_SECONDS = 0.25
"""After this time a question is no longer new."""
_REST = 0.002
_MOST_REST = 0.8
"""Of the time that a question takes: even if there is always a new one, it goes on."""


class Others:
    """The questions of one process. Begun and ended in the event loop, asked in the threads that answer."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, rest: Callable[[float], None] = time.sleep) -> None:
        self._clock, self._sleep = clock, rest
        self._running: dict[int, tuple[int, float]] = {}
        """By number, the tenant and when it began."""

    def begin(self, number: int, tenant: int) -> Callable[[], None]:
        """Register a question; gives a function to call at each of its steps."""
        began, rested = self._clock(), 0.0
        self._running[number] = tenant, began

        def give_way() -> None:
            nonlocal rested
            now = self._clock()
            if now - began < LONG_SECONDS or threading.current_thread() is threading.main_thread():
                return
            while rested < _MOST_REST * (now - began) and self._is_new_beside(tenant, now):
                self._sleep(_REST)
                rested += _REST
                now = self._clock()

        return give_way

    def end(self, number: int) -> None:
        del self._running[number]

    def _is_new_beside(self, tenant: int, now: float) -> bool:
        return any(other != tenant and now - began < LONG_SECONDS for other, began in list(self._running.values()))
