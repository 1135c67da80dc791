"""A latency for Prometheus: a histogram, and a gauge of its recent 95th percentile."""

from __future__ import annotations

import threading
from collections import deque

from prometheus_client import Gauge, Histogram

__all__ = ["Latency"]

_WINDOW = 1_000
_MOST_SERIES = 1_000


class Latency:
    """A histogram, and beside it the 95th percentile of its last thousand values."""

    def __init__(self, histogram: Histogram, gauge: Gauge) -> None:
        self._histogram, self._gauge = histogram, gauge
        self._windows: dict[tuple[str, ...], deque[float]] = {}
        self._lock = threading.Lock()

    def observe(self, labels: tuple[str, ...], milliseconds: float) -> None:
        with self._lock:
            if labels not in self._windows and len(self._windows) >= _MOST_SERIES:
                return
            window = self._windows.setdefault(labels, deque(maxlen=_WINDOW))
            window.append(milliseconds)
            ordered = sorted(window)
        self._histogram.labels(*labels).observe(milliseconds)
        self._gauge.labels(*labels).set(ordered[max(0, -(-95 * len(ordered) // 100) - 1)])
