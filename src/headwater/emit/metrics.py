"""Prometheus metrics of the overlay adapter, per tenant and sink."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from headwater.latency import Latency

__all__ = ["DLQ_SIZE", "PENDING", "REORG_FLAGS", "RETRIED", "SENT", "bundle_fetch", "end_to_end"]

_BUCKETS = (5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000)
_SINK = ["tenant", "sink"]

SENT = Counter("ol_events_sent", "Events that a sink has taken.", _SINK)
RETRIED = Counter("ol_events_retry", "Attempts that failed and are repeated.", _SINK)
DLQ_SIZE = Gauge(
    "ol_dlq_size", "Events that a sink did not take, kept as dead letters.", _SINK, multiprocess_mode="max"
)
PENDING = Gauge("ol_events_pending", "Events that wait for a sink.", _SINK, multiprocess_mode="max")
REORG_FLAGS = Counter("ol_reorg_flags", "Events that flag a version as unstable, or as stable again.", _SINK)


end_to_end = Latency(
    Histogram(
        "ol_end_to_end_latency_ms",
        "From the request of a version, or the look that found a step, to its event in the sink.",
        _SINK,
        buckets=_BUCKETS,
    ),
    Gauge("ol_end_to_end_latency_ms_p95", "Its 95th percentile of late.", _SINK, multiprocess_mode="max"),
)
bundle_fetch = Latency(
    Histogram("ol_bundle_fetch_latency_ms", "Time to get a bundle.", ["tenant", "overlay"], buckets=_BUCKETS),
    Gauge(
        "ol_bundle_fetch_latency_ms_p95", "Its 95th percentile of late.", ["tenant", "overlay"], multiprocess_mode="max"
    ),
)
