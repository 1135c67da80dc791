"""Prometheus metrics of tasks."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from headwater.tenant_label import tenant_label

__all__ = ["PrometheusMeter"]

TASKS = Counter(
    "headwater_tasks",
    "Tasks by what happened to them (created, claimed, succeeded, retried, dead, released, removed, lost, taken_over), "
    "type and tenant.",
    ["what", "task_type", "tenant"],
)
PAUSES = Counter("headwater_task_pauses", "Pauses of models, by reason and tenant.", ["reason", "tenant"])
BATCH_SECONDS = Histogram(
    "headwater_task_batch_seconds",
    "Time of one batch of tasks, by type.",
    ["task_type"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300),
)
QUEUED = Gauge("headwater_task_queue", "Tasks in the channel of workers.", multiprocess_mode="livesum")
BUSY = Gauge("headwater_task_busy_workers", "Threads that execute a batch.", multiprocess_mode="livesum")


class PrometheusMeter:
    """Counts in this process's registry."""

    def count(self, what: str, task_type: str, tenant: str, number: int = 1) -> None:
        TASKS.labels(what, task_type, tenant_label(tenant)).inc(number)

    def pause(self, reason: str, tenant: str) -> None:
        PAUSES.labels(reason, tenant_label(tenant)).inc()

    def batch(self, task_type: str, seconds: float) -> None:
        BATCH_SECONDS.labels(task_type).observe(seconds)

    def level(self, queued: int, busy: int) -> None:
        QUEUED.set(queued)
        BUSY.set(busy)
