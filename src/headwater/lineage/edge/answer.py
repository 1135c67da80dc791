"""The records of an explained edge. Times are ISO 8601 in UTC; null is unknown."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from headwater.lineage.answer.text_types import Instant
from headwater.lineage.picture.answer import NodeRef, RunState

__all__ = ["Edge", "EdgeColumn", "EdgeJob", "EdgeRun", "EdgeSql", "Explanation", "FirstRun", "Origin", "Reason", "Span"]

Origin = Literal["facet", "sql", "job_event"]
"""Origin of a column edge: facet of a run or dataset event, SQL of the job, or job event."""
Reason = Literal[
    "identity",
    "transformation",
    "aggregation",
    "masked",
    "filter",
    "join",
    "group_by",
    "sort",
    "window",
    "conditional",
    "copy",
    "table_only",
    "unknown",
]


class EdgeColumn(Struct, frozen=True, kw_only=True):
    """How a column gets into another one."""

    from_column: str
    to_column: str
    """Empty where it concerns every row."""
    type: Literal["DIRECT", "INDIRECT"]
    subtype: str
    stated: str | None
    """The producer's own subtype, where that is none of ours."""
    masked: bool | None
    expression: str | None
    origin: Origin
    via: str | None
    """Key of the job; null for a dataset event."""
    current: bool


class Span(Struct, frozen=True):
    """A part of the statement: from the character `start` up to `end`, without that one."""

    start: int
    end: int
    column: str
    """The column of the target that it produces."""


class EdgeSql(Struct, frozen=True, kw_only=True):
    id: str
    text: str
    is_cut: bool
    """Whether this is only the beginning."""
    dialect: str | None
    spans: list[Span]


class EdgeRun(Struct, frozen=True, kw_only=True):
    """A run and its output into the target."""

    run: str
    status: RunState
    at: Instant | None
    rows: int | None
    bytes: int | None
    files: int | None


class FirstRun(Struct, frozen=True, kw_only=True):
    run: str
    at: Instant | None


class EdgeJob(Struct, frozen=True, kw_only=True):
    """A job through which the data flows."""

    job: NodeRef
    type: str
    current: bool
    sql: EdgeSql | None
    first_run: FirstRun | None
    last_run: EdgeRun | None
    runs_total: int
    """Number of runs that wrote the target in this way; 0 if only a job event states it."""
    rows: int | None
    """Rows written to the target by all runs of the job that the pipeline has summed."""
    bytes: int | None
    files: int | None


class Explanation(Struct, frozen=True, kw_only=True):
    """Reason of the edge, as a code and the arguments of its sentence."""

    code: Reason
    arguments: dict[str, str | int | bool | None]


class Edge(Struct, frozen=True, kw_only=True):
    source: NodeRef = field(name="from")
    target: NodeRef = field(name="to")
    as_of: Instant | None
    current: bool
    first_seen: Instant | None
    last_seen: Instant | None
    origins: list[str]
    producers: list[str]
    masked: bool | None
    columns: list[EdgeColumn]
    columns_total: int
    jobs: list[EdgeJob]
    jobs_total: int
    explanation: Explanation
