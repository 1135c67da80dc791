"""Lag of the pipeline behind the log."""

from __future__ import annotations

from msgspec import Struct

from headwater.store.pipeline.progress import JobProgress, Progress

__all__ = ["JobState", "PipelineState", "pipeline_state"]

STREAM = "stream"
"""The job that keeps derived tables up to date."""


class JobState(Struct, frozen=True, kw_only=True):
    """Where one job stands."""

    job: str
    position: int
    batch: int
    events: int
    batch_events: int
    batch_seconds: float
    events_per_second: float | None
    updated_at: int
    error: str | None
    error_at: int | None


class PipelineState(Struct, frozen=True, kw_only=True):
    """`lag_events` and `lag_seconds` are null when the pipeline never ran."""

    lag_events: int | None
    lag_seconds: float | None
    """How long the oldest event that is not worked in yet has been waiting."""
    fresh_until: int | None
    """Everything that came in until then is in the derived tables."""
    jobs: list[JobState]


def pipeline_state(tenant: int | None, progress: Progress, now: int) -> PipelineState:
    """State of the pipeline for one tenant's events, or (None) for all; `now` in microseconds since 1970.

    Jobs serve all tenants, so their history is left out in the answer for one tenant.
    """
    jobs = progress.read_all()
    stream = next((job for job in jobs if job.job == STREAM and job.updated_at), None)
    lag_events = lag_seconds = fresh = None
    if stream is not None:
        lag_events, oldest = progress.waiting(tenant, stream.position)
        lag_seconds = round((now - oldest) / 1e6, 3) if oldest is not None else 0.0
        fresh = now if oldest is None else oldest
    return PipelineState(
        lag_events=lag_events,
        lag_seconds=None if lag_seconds is None else max(0.0, lag_seconds),
        fresh_until=fresh,
        jobs=[_state(job) for job in jobs] if tenant is None else [],
    )


def _state(job: JobProgress) -> JobState:
    return JobState(
        job=job.job,
        position=job.position,
        batch=job.batch,
        events=job.events,
        batch_events=job.batch_events,
        batch_seconds=job.batch_seconds,
        events_per_second=round(job.batch_events / job.batch_seconds, 1) if job.batch_seconds else None,
        updated_at=job.updated_at,
        error=job.error,
        error_at=job.error_at,
    )
