"""Backlog of tasks, for Prometheus; counters of workers are in `tasks/metrics.py`."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from headwater.store.tasks.task_lists import TaskLists

__all__ = ["TaskMetrics"]


class TaskMetrics(Collector):
    """Asked at every scrape. A database that does not answer only leaves these figures out."""

    def __init__(self, tasks: TaskLists) -> None:
        self._tasks = tasks

    def collect(self) -> Iterator[GaugeMetricFamily]:
        backlog = GaugeMetricFamily(
            "headwater_task_backlog", "Tasks of all tenants that are not done, by state.", labels=["state"]
        )
        try:
            for state, count in self._tasks.backlog().items():
                backlog.add_metric([state], count)
        except sa.exc.SQLAlchemyError:
            return
        yield backlog
