"""Derived rows: sums, histories, statistics. The pipeline writes them, requests read them.

A derived row is no fact: two of one key do not merge, the newer replaces the older. Everything here can be thrown away
and worked out again.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

from msgspec import Struct

from headwater.graph.fact import Id
from headwater.graph.facts import OutputType, RunStatus

__all__ = [
    "DERIVED",
    "DatasetDay",
    "Derived",
    "JobDataset",
    "JobDatasetDay",
    "JobDay",
    "Relevance",
    "RunSummary",
    "RunTotal",
    "SqlUse",
]


class Relevance(IntEnum):
    """How a schema belongs to the interactions it is shown with."""

    EXACT_MATCH = 1
    """All of them that named a schema named this one."""
    LATEST_KNOWN = 2
    """They named several; this is that of the latest."""


class Derived(Struct, frozen=True, gc=False):
    """Base of all derived rows. Fields without a default are the key; the first is always the tenant."""

    tenant: int

    table: ClassVar[str]
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = ()


class RunSummary(Derived, frozen=True, gc=False):
    """A run in short, and where it counts."""

    table: ClassVar[str] = "run_summary"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("inside",), ("job", "day"))
    run: Id
    inside: Id | None = None
    """The run whose totals include it: of an operation the run around it, of a run itself."""
    parent: Id | None = None
    """Of an operation: its parent, be that the run or another operation."""
    job: Id | None = None
    day: int | None = None
    """Of its first event (UTC), as days since 1970; none for a run that was only mentioned."""
    status: RunStatus | None = None
    duration: int | None = None
    """Microseconds from start to end, where both are known."""
    first_seen: int | None = None
    ended_at: int | None = None


class RunTotal(Derived, frozen=True, gc=False):
    """Figures of a run with all operations inside it, or of an operation alone, for one dataset and role."""

    table: ClassVar[str] = "run_total"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("job", "dataset"), ("dataset",))
    run: Id
    dataset: Id
    role: int
    job: Id | None = None
    """The job of the run."""
    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    types: OutputType | None = None
    schema: Id | None = None
    schema_seen: int | None = None
    """When that schema was last named."""
    relevance: Relevance | None = None
    first_seen: int | None = None
    last_seen: int | None = None


class JobDatasetDay(Derived, frozen=True, gc=False):
    """The same, of all runs of a job that began on one day."""

    table: ClassVar[str] = "job_dataset_day"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("dataset", "day"), ("job", "dataset"))
    job: Id
    day: int
    dataset: Id
    role: int
    within: int
    """1 for operations inside runs of other jobs: those runs count them too, so that a dataset must not."""
    runs: int | None = None
    failures: int | None = None
    last_succeeded: int | None = None
    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    types: OutputType | None = None
    schema: Id | None = None
    schema_seen: int | None = None
    relevance: Relevance | None = None
    first_seen: int | None = None
    last_seen: int | None = None


class JobDataset(Derived, frozen=True, gc=False):
    """The same, of all runs of a job."""

    table: ClassVar[str] = "job_dataset"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("dataset",),)
    job: Id
    dataset: Id
    role: int
    runs: int | None = None
    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    types: OutputType | None = None
    schema: Id | None = None
    schema_seen: int | None = None
    relevance: Relevance | None = None
    first_seen: int | None = None
    last_seen: int | None = None


class DatasetDay(Derived, frozen=True, gc=False):
    """One day of a dataset (UTC), as days since 1970, by the first event of the runs."""

    table: ClassVar[str] = "dataset_day"
    dataset: Id
    day: int
    reads: int | None = None
    """Runs that read it."""
    writes: int | None = None
    failures: int | None = None
    """Of those that wrote it."""
    rows_read: int | None = None
    rows_written: int | None = None
    bytes_read: int | None = None
    bytes_written: int | None = None
    last_written: int | None = None
    """When a run that wrote it last succeeded: its freshness."""


class JobDay(Derived, frozen=True, gc=False):
    """One day of a job (UTC), by the first event of its runs."""

    table: ClassVar[str] = "job_day"
    job: Id
    day: int
    runs: int | None = None
    succeeded: int | None = None
    failures: int | None = None
    killed: int | None = None
    duration_p50: int | None = None
    """Percentile of the duration in microseconds, over runs with a known start and end; always one of the durations."""
    duration_p95: int | None = None
    rows_read: int | None = None
    rows_written: int | None = None
    bytes_read: int | None = None
    bytes_written: int | None = None


class SqlUse(Derived, frozen=True, gc=False):
    """How often a job ran a statement on one day, and for how long: sum them up for the hot ones."""

    table: ClassVar[str] = "sql_use"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("job", "day"), ("day",))
    sql: Id
    job: Id
    day: int
    runs: int | None = None
    failures: int | None = None
    duration_total: int | None = None
    duration_p95: int | None = None
    first_seen: int | None = None
    last_seen: int | None = None


DERIVED: tuple[type[Derived], ...] = (
    RunSummary,
    RunTotal,
    JobDatasetDay,
    JobDataset,
    DatasetDay,
    JobDay,
    SqlUse,
)
