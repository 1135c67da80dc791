"""The records of a picture. Times are ISO 8601 in UTC; null is unknown."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from headwater.lineage.answer.records import Freshness
from headwater.lineage.answer.text_types import Instant

__all__ = [
    "Change",
    "ColumnEdge",
    "Direction",
    "Granularity",
    "LastRun",
    "LastWrite",
    "LeftOut",
    "More",
    "NodeKind",
    "NodeRef",
    "Picture",
    "PictureColumn",
    "PictureFlow",
    "PictureJob",
    "PictureNode",
    "RunState",
    "WayKind",
    "state_of",
]

Direction = Literal["upstream", "downstream", "both"]
Granularity = Literal["DATASET", "JOB", "APPLICATION", "RUN", "OPERATION"]
NodeKind = Literal["dataset", "job", "run", "operation", "chart", "dashboard"]
RunState = Literal["UNKNOWN", "STARTED", "SUCCEEDED", "KILLED", "FAILED"]
WayKind = Literal["DIRECT", "INDIRECT", "UNKNOWN"]
Change = Literal["added", "removed", "changed"]
"""Of a picture of two moments or runs; null where nothing changed, and in every other picture."""


_STATES: dict[int, RunState] = {0: "UNKNOWN", 1: "STARTED", 2: "SUCCEEDED", 3: "KILLED", 4: "FAILED"}
"""By number of `RunStatus`."""


def state_of(status: int | None) -> RunState:
    return _STATES.get(status or 0, "UNKNOWN")


class NodeRef(Struct, frozen=True, kw_only=True):
    """A node, as it is referred to."""

    key: str
    id: str
    kind: NodeKind
    namespace: str
    name: str
    title: str


class LastWrite(Struct, frozen=True, kw_only=True):
    """The newest run that set out to write a dataset, however it ended."""

    run: str
    status: RunState
    at: Instant | None
    rows: int | None


class LastRun(Struct, frozen=True, kw_only=True):
    run: str
    status: RunState
    at: Instant | None


class More(Struct, frozen=True):
    """Neighbours that are not in the picture."""

    upstream: int = 0
    downstream: int = 0


class PictureColumn(Struct, frozen=True, kw_only=True):
    name: str
    """Nested ones as `outer.inner`."""
    key: str
    type: str | None
    tags: list[str]
    lit: bool
    """Whether it is on the path of the column that was asked about."""
    change: Change | None = None


class PictureNode(Struct, kw_only=True):
    key: str
    id: str
    kind: NodeKind
    title: str
    """The last part of the name, with as many parts before it as make it distinct in the picture."""
    rest: str
    """The other parts of namespace and name."""
    namespace: str
    name: str
    storage: str | None
    """Kind of the place: postgres, s3, kafka."""
    step: int
    """Datasets between it and the start: negative upstream, 0 for the start."""
    columns_total: int
    columns: list[PictureColumn]
    last_write: LastWrite | None
    tags: list[str]
    owners: list[str]
    exists: bool | None
    """Whether it is there; null when nobody ever read or wrote it."""
    reference_only: bool
    """Whether it is known only as the source of a column."""
    retracted_at: Instant | None = None
    """Since when its publisher has withdrawn it."""
    more: More
    state: RunState | None
    """Of a run or operation; of a job, that of its newest run."""
    change: Change | None = None


class PictureFlow(Struct, kw_only=True):
    """A pair of nodes between which data flows; there is one flow for each pair."""

    source: str = field(name="from")
    target: str = field(name="to")
    via: list[str]
    """Keys of jobs; at most 50 of `via_total`."""
    via_total: int
    kinds: list[WayKind]
    """How columns get there; UNKNOWN where no column edge is known."""
    masked: bool | None
    """True if all values that get there are masked, false if one is not, null where that is not known."""
    current: bool
    first_seen: Instant | None
    last_seen: Instant | None
    columns_total: int
    """Column edges on it."""
    origins: list[str]
    through: int
    """Datasets that are folded away on it."""
    change: Change | None = None


class PictureJob(Struct, kw_only=True):
    """A job that flows lead through."""

    key: str
    id: str
    title: str
    rest: str
    namespace: str
    name: str
    type: str
    application: str | None
    """Key of the job that it is a part of."""
    last_run: LastRun | None


class ColumnEdge(Struct, kw_only=True):
    """How a column gets into another one."""

    source: str = field(name="from")
    source_column: str = field(name="from_column")
    target: str = field(name="to")
    target_column: str = field(name="to_column")
    """Empty where it concerns every row of the dataset."""
    type: Literal["DIRECT", "INDIRECT"]
    subtype: str
    masked: bool | None
    via: list[str]
    current: bool
    change: Change | None = None


class LeftOut(Struct, kw_only=True):
    """Counts of what is not drawn."""

    nodes: int = 0
    """Neighbours for which the limit left no room."""
    flows: int = 0
    columns: int = 0
    """Columns and column edges."""
    hidden: int = 0
    """Nodes that `hide`, or somebody by hand, hides."""
    expansions: list[str] = []
    """Entries of `expand` whose node is not in the picture."""


class Picture(Struct, kw_only=True):
    start: str
    """Key of the start node."""
    granularity: Granularity
    direction: Direction
    steps: int
    as_of: Instant | None
    since: Instant | None
    until: Instant | None
    nodes: list[PictureNode]
    flows: list[PictureFlow]
    jobs: list[PictureJob]
    columns: list[ColumnEdge]
    left_out: LeftOut
    truncated: bool
    freshness: Freshness | None
    compared_to: str | None = None
    """The moment, or the run, that `change` of everything is about."""
