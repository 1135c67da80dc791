"""Details of a run: from the standard facets, refined per producer."""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.facts import Activity, OutputType, Run
from headwater.openlineage.event import Event, EventWarning
from headwater.openlineage.facets import JobType

__all__ = ["BOTH", "Details", "JobRef"]

BOTH = Activity.RUN | Activity.OPERATION
"""Worked out once: joining two flags takes a microsecond."""


class JobRef(Struct, frozen=True, gc=False):
    namespace: str
    name: str


class Details(Struct, gc=False):
    """The run of an event. A producer may change any of it."""

    event: Event
    tenant: int
    job_type: JobType
    activity: Activity = Activity.RUN
    run_job: JobRef | None = None
    """The job of the run, where that is not the event's own: all sessions of one user."""
    run_job_type: str | None = None
    parent_run: bytes | None = None
    parent_job: JobRef | None = None
    root_run: bytes | None = None
    root_job: JobRef | None = None
    external_id: str | None = None
    attempt: str | None = None
    user: str | None = None
    owners: tuple[str, ...] = ()
    """Owners of the job, if no `ownership` facet names them."""
    start_reason: str | None = None
    end_reason: str | None = None
    running_log_url: str | None = None
    persistent_log_url: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    name: str | None = None
    position: int | None = None
    group: str | None = None
    description: str | None = None
    expected_start_at: int | None = None
    expected_end_at: int | None = None
    started_at: int | None = None
    ended_at: int | None = None
    """Start and end of the run, where they are not the times of its events."""
    has_times: bool = False
    """Whether these count instead of the times of events."""
    retracts: bool = False
    """Whether the outputs are withdrawn by their publisher, from the time of the event on."""
    tags: str | None = None
    output_type: OutputType | None = None
    """Type of an output without a lifecycle facet."""
    other_runs: list[Run] = []
    """Runs other than the event's own: a session, the application around an operation."""
    dependencies: list[tuple[JobRef, JobRef, str]] = []
    """(first, then, type): `then` waits for `first`."""
    run_dependencies: list[tuple[bytes, bytes, str]] = []

    @property
    def warnings(self) -> list[EventWarning]:
        return self.event.warnings
