"""Prometheus metrics of ingest."""

from prometheus_client import Counter, Gauge, Histogram

from headwater.latency import Latency
from headwater.tenant_label import tenant_label

__all__ = [
    "API_5XX",
    "API_REQUESTS",
    "BATCH_EVENTS",
    "BODY_BYTES",
    "CLOSED_CONNECTIONS",
    "COMMIT_SECONDS",
    "CONNECTIONS",
    "DEAD_LETTERS",
    "DEFERRED",
    "DUPLICATES",
    "EVENTS",
    "GRAPH_FAILURES",
    "GRAPH_SECONDS",
    "INTERPRET_FAILURES",
    "LOST_DEAD_LETTERS",
    "POLICY_PARTS",
    "POOL_IN_USE",
    "POOL_MOST",
    "QUEUED_BYTES",
    "QUEUED_EVENTS",
    "REFUSED",
    "REQUEST_SECONDS",
    "WARNINGS",
    "count_policy",
    "lineage_query",
    "tenant_label",
]

EVENTS = Counter("headwater_events", "Events that became durable, duplicates included, by tenant.", ["tenant"])
DUPLICATES = Counter("headwater_duplicate_events", "Events that were in the log already, by tenant.", ["tenant"])
REFUSED = Counter("headwater_refused_events", "Events that were refused, by reason and tenant.", ["reason", "tenant"])
DEFERRED = Counter(
    "headwater_deferred_events",
    "Events that were not taken now though nothing is wrong with them, by reason and tenant.",
    ["reason", "tenant"],
)
DEAD_LETTERS = Counter("headwater_dead_letters", "Refused events that were kept as dead letters.")
LOST_DEAD_LETTERS = Counter(
    "headwater_lost_dead_letters", "Refused events that could not be kept: the store failed, or too many came at once."
)
WARNINGS = Counter("headwater_event_warnings", "Parts of events that were set aside because they could not be read.")
POLICY_PARTS = Counter(
    "headwater_policy_parts",
    "Parts of facets that a facet policy removed, and values that it redacted, by action and tenant.",
    ["action", "tenant"],
)
INTERPRET_FAILURES = Counter(
    "headwater_interpret_failures", "Events kept in the log whose facts could not be worked out."
)
QUEUED_EVENTS = Gauge(
    "headwater_queued_events", "Events that are worked on or wait for it.", multiprocess_mode="livesum"
)
QUEUED_BYTES = Gauge("headwater_queued_bytes", "Bytes of those events.", multiprocess_mode="livesum")
BODY_BYTES = Gauge("headwater_body_bytes", "Bytes of all requests under way.", multiprocess_mode="livesum")
CONNECTIONS = Gauge("headwater_connections", "Connections of clients that are open.", multiprocess_mode="livesum")
CLOSED_CONNECTIONS = Counter(
    "headwater_closed_connections", "Connections that the server closed by itself, by reason.", ["reason"]
)
POOL_IN_USE = Gauge(
    "headwater_pool_in_use", "Connections and threads that are in use, by pool.", ["pool"], multiprocess_mode="livesum"
)
POOL_MOST = Gauge(
    "headwater_pool_most", "Connections and threads that can be in use, by pool.", ["pool"], multiprocess_mode="livesum"
)
COMMIT_SECONDS = Histogram(
    "headwater_commit_seconds",
    "Time to write one batch of events.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
GRAPH_SECONDS = Histogram(
    "headwater_graph_seconds",
    "Time to bring the graph server up to date with one batch of events.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
GRAPH_FAILURES = Counter("headwater_graph_failures", "Batches of events that the graph server did not get at once.")
BATCH_EVENTS = Histogram(
    "headwater_batch_events", "Events written together.", buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256)
)
REQUEST_SECONDS = Histogram(
    "headwater_ingest_seconds",
    "Time from a whole request to its answer.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)

API_REQUESTS = Counter(
    "headwater_api_requests", "Requests that were answered, by route, method and status.", ["route", "method", "status"]
)
API_5XX = Counter("headwater_api_5xx", "Requests that were answered with a status of 500 or more, by route.", ["route"])
lineage_query = Latency(
    Histogram(
        "headwater_lineage_query_latency_ms",
        "Time to answer a question of lineage, in milliseconds, by route.",
        ["route"],
        buckets=(1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000),
    ),
    Gauge("lineage_query_latency_ms_p95", "Its 95th percentile of late.", ["route"], multiprocess_mode="max"),
)


def count_policy(code: str, counts: tuple[int, int]) -> None:
    """Count parts of an event that were removed, and values that were redacted."""
    for action, count in zip(("removed", "redacted"), counts, strict=True):
        if count:
            POLICY_PARTS.labels(action, tenant_label(code)).inc(count)
