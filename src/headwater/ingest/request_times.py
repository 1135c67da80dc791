"""Request times of the last minute, for /health/status."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from headwater.ingest.load_history import LoadHistory

__all__ = ["RequestTimes"]

_SECONDS = 60.0
_MOST = 10_000


class RequestTimes:
    """Times of the newest requests, up to a limit. Used from the event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._requests: deque[tuple[float, float]] = deque(maxlen=_MOST)
        self.history = LoadHistory()

    def add(self, seconds: float) -> None:
        self._requests.append((self._clock(), seconds))
        self.history.add(seconds)

    def summary(self) -> dict[str, float | None]:
        """Requests a second, and the time that half, 95 and 99 of 100 of them needed at most."""
        now = self._clock()
        while self._requests and now - self._requests[0][0] > _SECONDS:
            self._requests.popleft()
        ordered = sorted(seconds for _, seconds in self._requests)
        is_full = len(self._requests) == _MOST  # then they are of less than a minute
        since = self._requests[0][0] if is_full else max(self._began, now - _SECONDS)
        found: dict[str, float | None] = {
            "requests_per_second": round(len(ordered) / max(1e-3, now - since), 2),
        }
        for share in (50, 95, 99):
            index = min(len(ordered) - 1, len(ordered) * share // 100)
            found[f"p{share}_seconds"] = round(ordered[index], 6) if ordered else None
        return found
