"""Every fact Headwater keeps. This file is the data model: tables, upserts and dumps are generated from it.

Two kinds. Content that repeats from run to run (datasets, schemas, column edges, SQL) is a *shape*, stored once under
its digest; `Evidence` has the first and last time at which an origin stated it. Content of one run (status, times, rows
and bytes) is keyed by the run.
"""

from __future__ import annotations

from typing import ClassVar

from headwater.graph.annotations.by_hand import Edit, HandEdge, LocationDecision, Note, SameLocation
from headwater.graph.catalog.facts import AssetChange, AssetState, AssetTag, CatalogSync
from headwater.graph.enumerations import Activity, NodeKind, OutputType, Role, RunStatus, Seen, Sides
from headwater.graph.fact import Fact, Id, Stamp, declare
from headwater.graph.merge_rules import AnyOf, Flags, Max, Min
from headwater.graph.run_facts import Assertion, Quality, Run, RunDataset, RunDependency, RunShape, ShapePair

__all__ = [
    "FACTS",
    "STORED",
    "Activity",
    "Address",
    "Assertion",
    "AssetChange",
    "AssetState",
    "AssetTag",
    "CatalogSync",
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
    retracted_at: Min[int] = None
    """Since when its publisher has withdrawn it."""


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
    """Content of an event apart from its run, under its digest."""

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
    """First and last time a shape was stated. The last stamp leads to the event in the log."""

    table: ClassVar[str] = "evidence"
    shape: Id
    first_seen: Min[int] = None
    last: Max[Stamp] = None


@declare
class Declaration(Fact, frozen=True, gc=False):
    """A job or dataset event stated this shape; it holds until the next one.

    Runs have their own times (`RunShape`); evidence keeps only the first and the last, which does not show a different
    statement between two equal ones.
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
    CatalogSync,
)

STORED: tuple[type[Fact], ...] = (*FACTS, ShapePair)
"""All tables of a graph: facts of events, and rows that follow from them at the write."""
