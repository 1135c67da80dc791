"""Answers of questions about lineage, as the reference of the API describes them. Times are ISO 8601 in UTC."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from headwater.lineage.answer.records import Freshness
from headwater.lineage.answer.text_types import Id, Instant, RunStatusName
from headwater.lineage.assets.affected_metrics import AffectedMetric

__all__ = ["DiffAnswer", "ImpactAnswer", "LineageAnswer", "PathsAnswer"]

Change = Literal["appeared", "vanished", "changed"]


class Transformation(Struct, omit_defaults=True):
    """How values get from one column into another."""

    type: str
    subtype: str
    masking: bool | None
    stated: str | None = None
    expression: str | None = None


class DatasetInWalk(Struct, tag_field="kind", tag="dataset"):
    id: Id
    key: str
    namespace: str
    name: str
    depth: int
    retracted_at: Instant | None = None
    """Since when its publisher has withdrawn it."""


class JobInWalk(DatasetInWalk, tag_field="kind", tag="job", omit_defaults=True):
    parts: int | None = None
    """Of an application, DAG or dbt invocation: the jobs inside it."""
    inner: int | None = None
    """Datasets that only its parts use."""
    parts_cut: bool = False
    runs_left_out: int = 0
    """Of the job, older ones whose parts were not looked at."""


class RunInWalk(Struct, tag_field="kind", tag="run", omit_defaults=True):
    """Of one that is only mentioned, nothing but its id is known."""

    id: Id
    key: str
    depth: int
    job: str | None = None
    status: RunStatusName | None = None
    name: str | None = None
    parent: str | None = None
    started_at: Instant | None = None
    ended_at: Instant | None = None
    parts: int | None = None
    inner: int | None = None
    parts_cut: bool = False


class OperationInWalk(RunInWalk, tag_field="kind", tag="operation"):
    pass


class ColumnInWalk(Struct, tag_field="kind", tag="column", omit_defaults=True):
    id: Id
    key: str
    dataset: str
    column: str | None
    namespace: str
    name: str
    depth: int
    masked: bool | None = None
    masking_unknown: bool = False


class RowsInWalk(ColumnInWalk, tag_field="kind", tag="rows"):
    """All rows of a dataset: a filter or join decides over them."""


Node = DatasetInWalk | JobInWalk | RunInWalk | OperationInWalk | ColumnInWalk | RowsInWalk


class WalkEdge(Struct, omit_defaults=True):
    """Leads the way the data flows."""

    source: str = field(name="from")
    target: str = field(name="to")
    kind: Literal["INPUT", "REFERENCE", "OUTPUT", "FLOW", "COLUMN", "SYMLINK"]
    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    first_seen: Instant | None = None
    last_seen: Instant | None = None
    current: bool | None = None
    types: list[str] = []
    unknown: bool | None = None
    """More runs than are summed up on the spot, and no sums of the pipeline yet."""
    type: str | None = None
    """Of a SYMLINK."""
    hidden: int | None = None
    """Nodes that the filters hide on it."""
    transformations: list[Transformation] = []
    masked: bool | None = None
    by_hand: bool = False
    """Somebody stated it; events may state it besides."""
    hidden_by_hand: bool = False
    """A person marked it as wrong; shown on request."""


class SideAnswer(Struct, omit_defaults=True):
    nodes: list[Node]
    edges: list[WalkEdge]
    truncated: bool
    left_out: Annotated[dict[str, int], Meta(description="At which node how many neighbours are missing.")]
    complete: bool
    hidden: int
    masking_unknown: int | None = None


class FieldSource(Struct):
    field: str
    types: list[str]
    first_seen: Instant | None
    last_seen: Instant | None
    current: bool


class DatasetColumns(Struct):
    """How columns of one dataset get into those of another."""

    source: str = field(name="from")
    target: str = field(name="to")
    fields: dict[str, list[FieldSource]]
    every_row: list[FieldSource]


class LineageAnswer(Struct, omit_defaults=True):
    start: Id
    granularity: Literal["OPERATION", "RUN", "JOB", "DATASET", "COLUMN"]
    direction: Literal["both", "upstream", "downstream"]
    depth: int
    since: Instant | None
    until: Instant | None
    as_of: Instant | None
    truncated: bool
    freshness: Freshness | None
    upstream: SideAnswer | None = None
    downstream: SideAnswer | None = None
    metrics: list[AffectedMetric] = []
    """Metrics of catalogs that depend on datasets downstream, as of now; none as of a moment."""
    column_lineage: list[DatasetColumns] = []


class AffectedNode(Struct):
    id: Id
    kind: Literal["dataset", "job", "column", "rows"]
    namespace: str
    name: str
    column: str | None
    distance: int
    paths: int
    transformations: list[str]
    masking_seen: bool
    masked: bool | None
    owners: list[str]
    last_used: Instant | None
    masking_unknown: bool
    key: str
    dataset_type: str | None
    """TABLE, VIEW, DASHBOARD, as the producer calls it."""
    is_end: bool
    """Whether nothing that is affected lies behind it."""
    source: Id | None
    """The start from which the shortest way leads to it; of a tag, there are many."""
    retracted_at: Instant | None = None
    """Since when its publisher has withdrawn it."""


class SilentDataset(Struct):
    """A dataset that jobs write without column edges."""

    dataset: str
    jobs: list[str]


class ImpactAnswer(Struct):
    of: str
    affected: list[AffectedNode]
    metrics: list[AffectedMetric]
    """Metrics of catalogs that depend on these, as they are now; none as of a moment."""
    truncated: bool
    left_out: Annotated[dict[str, int], Meta(description="At which node how many neighbours are missing.")]
    complete: bool
    without_columns: list[SilentDataset]
    masking_unknown: int
    freshness: Freshness | None


class PathEdge(Struct, omit_defaults=True):
    source: str = field(name="from")
    target: str = field(name="to")
    transformations: list[Transformation] = []
    masked: bool | None = None
    first_seen: Instant | None = None
    last_seen: Instant | None = None
    current: bool | None = None


class PathFound(Struct, omit_defaults=True):
    nodes: list[Id]
    keys: list[str | None]
    edges: list[PathEdge] = []
    """Of columns."""
    masked: bool | None = None


class PathsAnswer(Struct):
    source: str = field(name="from")
    target: str = field(name="to")
    direction: Literal["upstream", "downstream"] | None
    length: int | None
    paths: list[PathFound]
    count: int
    more: bool
    longer: bool
    truncated: bool


class Counts(Struct):
    appeared: int
    vanished: int
    changed: int


class DiffSummary(Struct):
    datasets: Counts
    jobs: Counts
    edges: Counts
    schemas: Counts
    column_edges: Counts


class NodeShown(Struct):
    id: Id
    key: str
    kind: Literal["dataset", "job"]


class Feed(Struct, omit_defaults=True):
    column_edges: int
    source: str | None = field(name="from", default=None)
    from_key: str | None = None
    job: str | None = None
    job_key: str | None = None


class TypeChange(Struct):
    column: str
    source: str | None = field(name="from")
    target: str | None = field(name="to")


class SchemaChange(Struct):
    change: Change
    appeared: list[str]
    vanished: list[str]
    changed: list[TypeChange]


class ColumnChange(Struct, omit_defaults=True):
    source_column: str
    column: str | None
    transformations: list[Transformation]
    key: str | None = None
    source: str | None = field(name="from", default=None)
    from_key: str | None = None
    job: str | None = None
    job_key: str | None = None
    before: list[Transformation] = []


class ColumnChanges(Struct):
    appeared: list[ColumnChange]
    vanished: list[ColumnChange]
    changed: list[ColumnChange]


class Feeds(Struct):
    appeared: list[Feed]
    vanished: list[Feed]


class Readers(Struct):
    appeared: list[NodeShown]
    vanished: list[NodeShown]


class DatasetChange(NodeShown):
    change: Change
    fed_by: Feeds
    read_by: Readers
    schema: SchemaChange | None
    columns: ColumnChanges


class NodeColumns(Struct):
    appeared: list[str]
    vanished: list[str]
    changed: list[TypeChange]


class ChangedNode(Struct):
    id: Id
    key: str
    columns: NodeColumns


class ChangedNodes(Struct):
    appeared: list[NodeShown]
    vanished: list[NodeShown]
    changed: list[ChangedNode]


class PlainEdge(Struct):
    source: str = field(name="from")
    target: str = field(name="to")


class ChangedEdge(PlainEdge, kw_only=True):
    job: str | None
    columns: ColumnChanges


class ChangedEdges(Struct):
    appeared: list[PlainEdge]
    vanished: list[PlainEdge]
    changed: list[ChangedEdge]


class DiffAnswer(Struct):
    source: Instant = field(name="from")
    target: Instant = field(name="to")
    of: str | None
    summary: DiffSummary
    datasets: list[DatasetChange]
    nodes: ChangedNodes
    edges: ChangedEdges
    truncated: bool
    left_out: int
