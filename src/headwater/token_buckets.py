"""Rates: each key has a bucket into which tokens flow at its rate, up to its burst; what is done takes tokens out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable

__all__ = ["TokenBuckets"]


class _Bucket:
    __slots__ = ("filled_at", "tokens")

    def __init__(self, tokens: float, filled_at: float) -> None:
        self.tokens, self.filled_at = tokens, filled_at


class TokenBuckets:
    """Safe to use from many threads; of one process, so several processes do so much each. Full at first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[Hashable, _Bucket] = {}
        self._lock = threading.Lock()

    def take(self, key: Hashable, rate: float, burst: float, count: float = 1) -> float:
        """Take tokens and give 0; or take none, and give the seconds until there will be enough.

        More than a burst is taken when the bucket is full, and must then be made up for.
        """
        with self._lock:
            bucket = self._filled(key, rate, burst)
            missing = min(count, burst) - bucket.tokens
            if missing > 0:
                return missing / rate
            bucket.tokens -= count
            return 0.0

    def charge(self, key: Hashable, rate: float, burst: float, count: float) -> None:
        """Take tokens for what has been done already, whether they are there or not."""
        with self._lock:
            self._filled(key, rate, burst).tokens -= count

    def left(self, key: Hashable, rate: float, burst: float) -> float:
        """The tokens that are there now."""
        with self._lock:
            return self._filled(key, rate, burst).tokens

    def _filled(self, key: Hashable, rate: float, burst: float) -> _Bucket:
        """A bucket with what has flown in until now."""
        now = self._clock()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _Bucket(burst, now)
        bucket.tokens = min(burst, bucket.tokens + (now - bucket.filled_at) * rate)
        bucket.filled_at = now
        return bucket
