"""Facts that belong to one run: status, times, shapes, rows and bytes, quality."""

from __future__ import annotations

from typing import ClassVar

from headwater.graph.enumerations import Activity, RunStatus, Sides
from headwater.graph.fact import Fact, Id, Stamp, declare
from headwater.graph.merge_rules import AnyOf, Flags, Latest, Max, Min, Precedence

__all__ = [
    "Assertion",
    "Quality",
    "Run",
    "RunDataset",
    "RunDependency",
    "RunShape",
    "ShapePair",
]


@declare
class Run(Fact, frozen=True, gc=False):
    """One execution, be it a run of a job, an operation inside a run, or both."""

    table: ClassVar[str] = "run"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("job", "first_seen"),
        ("parent_run",),
        ("first_seen", "run", "activity", "status"),
    )
    run: Id
    job: AnyOf[Id] = None
    job_type: AnyOf[str] = None
    """Of a session, which no shape describes."""
    activity: Flags[Activity] = None
    parent_run: AnyOf[Id] = None
    root_run: AnyOf[Id] = None
    status: Precedence[RunStatus] = None
    first_seen: Min[int] = None
    last_seen: Max[int] = None
    started_at: Min[int] = None
    ended_at: Max[int] = None
    expected_start_at: AnyOf[int] = None
    expected_end_at: AnyOf[int] = None
    sent_id: AnyOf[str] = None
    """The run id as sent, when it was no UUID."""
    external_id: AnyOf[str] = None
    attempt: AnyOf[str] = None
    user: AnyOf[str] = None
    start_reason: AnyOf[str] = None
    """MANUAL or AUTOMATIC."""
    end_reason: Latest[str] = None
    running_log_url: Latest[str] = None
    persistent_log_url: Latest[str] = None
    engine: AnyOf[str] = None
    """For example "spark 3.5.1"."""
    name: AnyOf[str] = None
    position: AnyOf[int] = None
    group: AnyOf[str] = None
    description: AnyOf[str] = None
    tags: AnyOf[str] = None
    created_at: AnyOf[int] = None
    """The time in the run's id, if that is a UUIDv7: known even of a run that only others mention."""


@declare
class RunShape(Fact, frozen=True, gc=False):
    """A run stated this shape, with the first and last time."""

    table: ClassVar[str] = "run_shape"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("shape", "first_seen"),)
    run: Id
    shape: Id
    first_seen: Min[int] = None
    last_seen: Max[int] = None
    sides: Flags[Sides] = None
    """A function of the shape, kept here so that the shapes of a run can be paired without a look at them."""


@declare
class ShapePair(Fact, frozen=True, gc=False):
    """Two shapes of one run: the reader has inputs, the writer outputs. Data flowed from these inputs to these outputs.

    No event states it: it is the self-join of `RunShape`, kept up to date by each writer of that. A shape with both
    is not paired with itself. A run of very many shapes is itself paired with each of them: as the writer for those
    with inputs, and as the reader for those with outputs. See `graph.current.pairs`.
    """

    table: ClassVar[str] = "shape_pair"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("writer", "reader"),)
    reader: Id
    """The shape that names inputs."""
    writer: Id
    """The shape that names outputs."""
    first_seen: Min[int] = None
    """The earliest time by which a run had stated both."""
    last: Max[Stamp] = None
    """The latest time at which a run with both repeated one of them, and that run."""


@declare
class RunDataset(Fact, frozen=True, gc=False):
    """Figures of a run for a dataset and role. Counters only grow within a run."""

    table: ClassVar[str] = "run_dataset"
    run: Id
    dataset: Id
    role: int
    rows: Max[int] = None
    bytes: Max[int] = None
    files: Max[int] = None
    version: Latest[str] = None
    subset: Latest[str] = None
    """JSON: the partitions or locations that were read or written."""


@declare
class RunDependency(Fact, frozen=True, gc=False):
    table: ClassVar[str] = "run_dependency"
    source: Id
    target: Id
    type: str
    first_seen: Min[int] = None


@declare
class Assertion(Fact, frozen=True, gc=False):
    """One data-quality check of one run."""

    table: ClassVar[str] = "assertion"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("dataset",),)
    run: Id
    dataset: Id
    assertion: Id
    name: AnyOf[str] = None
    column: AnyOf[str] = None
    severity: AnyOf[str] = None
    failed: Latest[int] = None
    details: Latest[str] = None
    """JSON: expected, actual and other members that the producer sends."""


@declare
class Quality(Fact, frozen=True, gc=False):
    """Measured properties of a dataset as a run saw it."""

    table: ClassVar[str] = "quality"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("dataset",),)
    run: Id
    dataset: Id
    rows: Latest[int] = None
    bytes: Latest[int] = None
    columns: Latest[str] = None
    """JSON: null count, distinct count, quantiles ... by column."""
