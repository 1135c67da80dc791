"""How many wrong keys an address may try before it has to wait."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from headwater.api.http.connections import group_of
from headwater.ingest.errors import RateLimited

__all__ = ["WrongKeys"]

_TRIES = 10
_SECONDS_EACH = 6.0
"""A try comes back in this time."""
_MOST_ADDRESSES = 10_000


class WrongKeys:
    """Used from the event loop; each process counts for itself. Of IPv6 a network of 64 bits counts as one address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By address: tries that were used, and when that was."""

    def begin(self, address: str) -> None:
        """Count a try before it is looked at, so that many at once are no way around; `was_right` takes it back."""
        group, now = group_of(address), self._clock()
        used = self._used_now(group, now)
        if used > _TRIES - 1:
            raise RateLimited(
                "Too many wrong keys came from this address.",
                hint="Wait for the time in Retry-After. Behind a proxy, name it in the setting `proxies`.",
                retry_after=math.ceil((used - _TRIES + 1) * _SECONDS_EACH),
            )
        self._set(group, used + 1, now)

    def was_right(self, address: str) -> None:
        group, now = group_of(address), self._clock()
        self._set(group, self._used_now(group, now) - 1, now)

    def _used_now(self, group: str, now: float) -> float:
        used, since = self._used.get(group, (0.0, now))
        return max(0.0, used - (now - since) / _SECONDS_EACH)

    def _set(self, group: str, used: float, now: float) -> None:
        self._used.pop(group, None)
        if used <= 0:
            return
        while len(self._used) >= _MOST_ADDRESSES:
            self._used.popitem(last=False)  # who has waited longest
        self._used[group] = (used, now)
