"""How far the pipeline is behind, for people and for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.records import PipelineAnswer
from headwater.lineage.lists.pipeline_state import JobState, PipelineState, pipeline_state
from headwater.openlineage.times import format_time
from headwater.store.pipeline.progress import Progress

__all__ = ["ROUTES", "PipelineMetrics"]


@declare("How far the pipeline is behind, and how each of its jobs goes.", answer=PipelineAnswer)
async def show_pipeline(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    sees_all = context.identity.is_operator
    tenant = None if sees_all else context.tenant.id
    state = await ask(pipeline_state, tenant, context.services.progress, time.time_ns() // 1000)
    return render(_shown(state))


def _shown(state: PipelineState) -> dict[str, Any]:
    return {
        "lag_events": state.lag_events,
        "lag_seconds": state.lag_seconds,
        "fresh_until": format_time(state.fresh_until) if state.fresh_until is not None else None,
        "jobs": [_shown_job(job) for job in state.jobs],
    }


def _shown_job(job: JobState) -> dict[str, Any]:
    return {
        "job": job.job,
        "position": job.position,
        "batch": job.batch,
        "events": job.events,
        "last_batch": {
            "events": job.batch_events,
            "seconds": job.batch_seconds,
            "events_per_second": job.events_per_second,
        },
        "updated_at": format_time(job.updated_at) if job.updated_at else None,
        "error": job.error,
        "error_at": format_time(job.error_at) if job.error_at else None,
    }


class PipelineMetrics(Collector):
    """Asked at every scrape. A database that does not answer only leaves these figures out."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def collect(self) -> Iterator[GaugeMetricFamily]:
        lag_events = GaugeMetricFamily(
            "headwater_pipeline_lag_events", "Events not worked into the derived tables yet."
        )
        lag_seconds = GaugeMetricFamily("headwater_pipeline_lag_seconds", "How long the oldest of them has waited.")
        batch = GaugeMetricFamily("headwater_pipeline_batch_seconds", "Time of the last batch, by job.", labels=["job"])
        size = GaugeMetricFamily("headwater_pipeline_batch_events", "Events of the last batch, by job.", labels=["job"])
        total = GaugeMetricFamily("headwater_pipeline_events", "Events of all batches, by job.", labels=["job"])
        failed = GaugeMetricFamily(
            "headwater_pipeline_failed", "1 when the last thing a job did was to fail.", labels=["job"]
        )
        try:
            state = pipeline_state(None, self._progress, time.time_ns() // 1000)
        except sa.exc.SQLAlchemyError:
            state = PipelineState(lag_events=None, lag_seconds=None, fresh_until=None, jobs=[])
        if state.lag_events is not None and state.lag_seconds is not None:
            lag_events.add_metric([], state.lag_events)
            lag_seconds.add_metric([], state.lag_seconds)
        for job in state.jobs:
            batch.add_metric([job.job], job.batch_seconds)
            size.add_metric([job.job], job.batch_events)
            total.add_metric([job.job], job.events)
            failed.add_metric([job.job], float((job.error_at or 0) > job.updated_at))
        yield from (lag_events, lag_seconds, batch, size, total, failed)


ROUTES = [Route("/api/v2/pipeline", show_pipeline)]
