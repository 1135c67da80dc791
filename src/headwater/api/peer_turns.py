"""Turns of requests that wait for another server: one that is slow must not take every thread of this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from headwater.ingest.errors import RateLimited

__all__ = ["PeerTurns", "turn_of"]

_AT_ONCE, _OF_ONE = 8, 2


class PeerTurns:
    """How many such requests are under way, in all and by tenant. Used from the event loop."""

    def __init__(self, at_once: int = _AT_ONCE, of_one: int = _OF_ONE) -> None:
        self._at_once, self._of_one = at_once, of_one
        self._running: Counter[int] = Counter()

    @contextmanager
    def of(self, tenant: int) -> Iterator[None]:
        """Keep a turn until the end. Raises `RateLimited` if there is none."""
        if self._running[tenant] >= self._of_one or self._running.total() >= self._at_once:
            raise RateLimited(
                f"{self._running[tenant]} requests of this tenant, and {self._running.total()} in all, wait for other "
                "servers.",
                hint="Ask again when those have ended.",
            )
        self._running[tenant] += 1
        try:
            yield
        finally:
            self._running[tenant] -= 1
            if not self._running[tenant]:
                del self._running[tenant]


turn_of = PeerTurns().of
"""Those of this process."""
