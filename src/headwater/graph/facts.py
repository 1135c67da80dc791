"""Every fact Headwater keeps. This file is the data model: tables, upserts and dumps are generated from it.

Two kinds. What repeats from run to run (datasets, schemas, column edges, SQL) is a *shape*, stored once under the
digest of its content; `Evidence` says since when and until when an origin said so. What belongs to one run (status,
times, rows and bytes) is keyed by the run.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import ClassVar

from headwater.graph.annotations.by_hand import Edit, HandEdge, LocationDecision, Note, SameLocation
from headwater.graph.catalog.facts import AssetChange, AssetState, AssetTag
from headwater.graph.fact import Fact, Id, Stamp, declare
from headwater.graph.merge_rules import AnyOf, Flags, Latest, Max, Min, Precedence

__all__ = [
    "FACTS",
    "STORED",
    "Activity",
    "Address",
    "Assertion",
    "AssetChange",
    "AssetState",
    "AssetTag",
    "Change",
    "Declaration",
    "Dependency",
    "Edit",
    "Evidence",
    "HandEdge",
    "Lifecycle",
    "LocationDecision",
    "Namespace",
    "Node",
    "NodeKind",
    "Note",
    "OutputType",
    "Quality",
    "Rename",
    "Role",
    "Run",
    "RunDataset",
    "RunDependency",
    "RunShape",
    "RunStatus",
    "SameLocation",
    "SchemaVersion",
    "Seen",
    "Shape",
    "ShapeDataset",
    "ShapeEdge",
    "ShapePair",
    "Sides",
    "SqlText",
    "Symlink",
]


class NodeKind(IntEnum):
    DATASET = 1
    JOB = 2


class Seen(IntFlag):
    """How a node was met. A dataset that was only ever a reference was never an input or output of any event."""

    REFERENCE = 1
    INPUT = 2
    OUTPUT = 4
    SUBJECT = 8
    """A dataset or job event was about it, or it ran."""
    SYMLINK = 16


class Role(IntEnum):
    """What a dataset is to a shape."""

    __hash__ = int.__hash__  # that of enumerations takes ten times as long

    INPUT = 1
    OUTPUT = 2
    SUBJECT = 3
    REFERENCE = 4
    """Named as the source of a column, though not among the event's inputs."""
    JOB = 5
    """No dataset but a job, which a `lineage` facet names as source or target."""


class Sides(IntFlag):
    """Which ends of a data flow a shape names."""

    READS = 1
    """It has an input."""
    WRITES = 2
    """It has an output that is written, and not only dropped, altered, truncated or renamed."""


class RunStatus(IntEnum):
    """Numbered by precedence: an agent may send COMPLETE after FAIL, or START last."""

    UNKNOWN = 0
    STARTED = 1
    SUCCEEDED = 2
    KILLED = 3
    FAILED = 4


class Activity(IntFlag):
    """A run of a job, an operation inside such a run, or (an Airflow task, a Flink job) both."""

    RUN = 1
    OPERATION = 2


class OutputType(IntFlag):
    APPEND = 1
    CREATE = 2
    ALTER = 4
    RENAME = 8
    OVERWRITE = 16
    DROP = 32
    TRUNCATE = 64
    DELETE = 128
    UPDATE = 256
    MERGE = 512


# --- names ---------------------------------------------------------------------------------------------------------


@declare
class Namespace(Fact, frozen=True, gc=False):
    """An OpenLineage namespace, which names a location; namespaces that share an address are one location."""

    table: ClassVar[str] = "namespace"
    namespace: Id
    text: AnyOf[str] = None
    type: AnyOf[str] = None
    name: AnyOf[str] = None
    first_seen: Min[int] = None


@declare
class Address(Fact, frozen=True, gc=False):
    """One address of a location: a host and port out of a namespace's list."""

    table: ClassVar[str] = "address"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("address",),)
    namespace: Id
    address: Id
    url: AnyOf[str] = None


@declare
class Node(Fact, frozen=True, gc=False):
    """A dataset or a job: its id is the digest of its kind and names."""

    table: ClassVar[str] = "node"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("namespace", "kind", "node", "seen", "first_seen"),
        ("kind", "first_seen", "node"),
    )
    node: Id
    kind: AnyOf[NodeKind] = None
    namespace: AnyOf[Id] = None
    name: AnyOf[str] = None
    seen: Flags[Seen] = None
    first_seen: Min[int] = None


@declare
class Symlink(Fact, frozen=True, gc=False):
    """Two names of one dataset. METASTORE leads from a location to its table, WAREHOUSE back."""

    table: ClassVar[str] = "symlink"
    source: Id
    target: Id
    type: AnyOf[str] = None
    first_seen: Min[int] = None


@declare
class Rename(Fact, frozen=True, gc=False):
    """A dataset got a new name then; resolved when read. The past needs every time, and whether the run failed."""

    table: ClassVar[str] = "rename"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("target",),)
    source: Id
    target: Id
    at: int
    run: AnyOf[Id] = None


@declare
class Lifecycle(Fact, frozen=True, gc=False):
    """When a dataset was last created, dropped, truncated: it exists if created or written after its last drop."""

    table: ClassVar[str] = "lifecycle"
    dataset: Id
    created_at: Max[int] = None
    dropped_at: Max[int] = None
    truncated_at: Max[int] = None


@declare
class Change(Fact, frozen=True, gc=False):
    """A dataset was created, dropped or truncated then. `Lifecycle` has the latest of each; the past needs all."""

    table: ClassVar[str] = "dataset_change"
    dataset: Id
    at: int
    types: Flags[OutputType] = None
    run: AnyOf[Id] = None
    """The run that did it; if it failed, nothing was changed."""


# --- what repeats from run to run ----------------------------------------------------------------------------------


@declare
class Shape(Fact, frozen=True, gc=False):
    """What an event says apart from its run, under the digest of that."""

    table: ClassVar[str] = "shape"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("job", "shape"), ("sql",))
    shape: Id
    kind: AnyOf[str] = None
    """RUN_EVENT shapes of a run add up; of a job's JOB_EVENT or DATASET_EVENT shapes the latest holds."""
    origin: AnyOf[str] = None
    job: AnyOf[Id] = None
    subject: AnyOf[Id] = None
    """The dataset that a dataset event is about."""
    parent_job: AnyOf[Id] = None
    job_type: AnyOf[str] = None
    """For example SPARK_APPLICATION."""
    processing: AnyOf[str] = None
    """BATCH or STREAMING."""
    sql: AnyOf[Id] = None
    producer: AnyOf[str] = None
    facets: AnyOf[bytes] = None
    """JSON: the job's documentation, ownership, tags, source code."""


@declare
class ShapeDataset(Fact, frozen=True, gc=False):
    """A dataset's part in a shape."""

    table: ClassVar[str] = "shape_dataset"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("dataset", "role", "shape"),)
    shape: Id
    dataset: Id
    role: int
    schema: AnyOf[Id] = None
    types: Flags[OutputType] = None
    explicit: AnyOf[int] = None
    """1 when a `lineage` facet states all that this dataset derives from, so that inputs are not assumed to."""
    facets: AnyOf[bytes] = None
    """JSON: documentation, ownership, tags, catalog, storage and such."""


@declare
class ShapeEdge(Fact, frozen=True, gc=False):
    """Data flows from one node to another, by column where that is known."""

    table: ClassVar[str] = "shape_edge"
    shape: Id
    source: Id
    target: Id
    columns: AnyOf[bytes] = None
    """JSON: [source column, target column or "" for the whole dataset, type, subtype, masking, description] ..."""


@declare
class SchemaVersion(Fact, frozen=True, gc=False):
    table: ClassVar[str] = "schema_version"
    schema: Id
    fields: AnyOf[bytes] = None
    """JSON: [{name, type, description, fields}] in the order of the columns."""


@declare
class SqlText(Fact, frozen=True, gc=False):
    """A statement; the id is the digest of its normalised text."""

    table: ClassVar[str] = "sql_text"
    sql: Id
    text: AnyOf[str] = None
    dialect: AnyOf[str] = None


@declare
class Evidence(Fact, frozen=True, gc=False):
    """Since when and until when something was said. The last stamp leads to the event in the log."""

    table: ClassVar[str] = "evidence"
    shape: Id
    first_seen: Min[int] = None
    last: Max[Stamp] = None


@declare
class Declaration(Fact, frozen=True, gc=False):
    """A job or dataset event said this of its job or dataset, and holds until the next one.

    Runs have their own times (`RunShape`); evidence keeps only the first and the last, which does not tell what held
    between two events that say the same.
    """

    table: ClassVar[str] = "declaration"
    node: Id
    stamp: Stamp
    shape: AnyOf[Id] = None


@declare
class Dependency(Fact, frozen=True, gc=False):
    """One job waits for another: control flow, not data flow."""

    table: ClassVar[str] = "dependency"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("target",),)
    source: Id
    target: Id
    type: str
    first_seen: Min[int] = None
    last_seen: Max[int] = None


# --- what belongs to one run ---------------------------------------------------------------------------------------


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
    """A run said this, from then until then."""

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
    """One run said both: the reader names inputs, the writer outputs. So data flowed from those to these.

    No event states it: it is the join of `RunShape` with itself, kept up to date by whoever writes that. A shape that
    names both is not paired with itself. A run of very many shapes is paired with each of them in their stead: as the
    writer of those that read, and as the reader of those that write. See `graph.current.pairs`.
    """

    table: ClassVar[str] = "shape_pair"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("writer", "reader"),)
    reader: Id
    """The shape that names inputs."""
    writer: Id
    """The shape that names outputs."""
    first_seen: Min[int] = None
    """Over the runs that said both, the earliest time by which one had."""
    last: Max[Stamp] = None
    """The latest time at which a run that said both repeated one of them, and that run."""


@declare
class RunDataset(Fact, frozen=True, gc=False):
    """What a run read from, or wrote to, a dataset. Counters only grow within a run."""

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
    """JSON: expected, actual and whatever else the producer says of it."""


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


FACTS: tuple[type[Fact], ...] = (
    Namespace,
    Address,
    Node,
    Symlink,
    Rename,
    Lifecycle,
    Change,
    Shape,
    ShapeDataset,
    ShapeEdge,
    SchemaVersion,
    SqlText,
    Evidence,
    Declaration,
    Dependency,
    Run,
    RunShape,
    RunDataset,
    RunDependency,
    Assertion,
    Quality,
    Note,
    LocationDecision,
    HandEdge,
    Edit,
    AssetState,
    AssetChange,
    AssetTag,
)

STORED: tuple[type[Fact], ...] = (*FACTS, ShapePair)
"""All tables of a graph: what events state, and what follows from that when it is written."""
