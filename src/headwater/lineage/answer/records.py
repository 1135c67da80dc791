"""The records that lists and entities are answered with, at every door. Times are ISO 8601 in UTC."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

from msgspec import Struct

from headwater.lineage.answer.text_types import HitKind, Instant, RoleName, RunStatusName, SeenAs

__all__ = [
    "UNKNOWN_TYPE",
    "DatasetItem",
    "EditAnswer",
    "EditItem",
    "Freshness",
    "Hidden",
    "Highlight",
    "JobItem",
    "LocationItem",
    "Notice",
    "Page",
    "Reason",
    "RunItem",
    "SearchAnswer",
    "SearchHit",
    "SqlItem",
    "SqlPage",
    "StatementUse",
    "TagItem",
    "UserItem",
    "ValueCount",
]

_T = TypeVar("_T")
UNKNOWN_TYPE = "UNKNOWN"
"""Type of a job if no event states one."""


class Freshness(Struct, frozen=True):
    """How far the pipeline has come, and when."""

    job: str
    position: int
    updated_at: Instant | None
    event_received_at: Instant | None


class ValueCount(Struct, frozen=True):
    value: str | None
    """Null for those that have none."""
    items: int


class Page(Struct, Generic[_T], frozen=True, omit_defaults=True):
    """A part of a list."""

    items: list[_T]
    total: int
    """Of the whole list."""
    next: str | None
    """The cursor of the next page; null when there is none."""
    counts: dict[str, list[ValueCount]] = {}
    """Number of items by value, the most frequent first, for the members named in `counts`."""


# --- lists ---------------------------------------------------------------------------------------------------------


class DatasetItem(Struct, frozen=True, kw_only=True):
    id: str
    key: str
    namespace: str
    name: str
    alias_of: str | None
    """The name under which the dataset is shown, when this is another of its names."""
    seen: list[SeenAs]
    first_seen: Instant | None
    last_seen: Instant | None
    description: str | None
    tags: list[str]
    owners: list[str]
    retracted_at: Instant | None = None
    """Since when its publisher has withdrawn it."""


class RunItem(Struct, frozen=True, kw_only=True):
    """A run, an operation, or both."""

    kind: Literal["run", "operation"]
    """operation if it is nothing else, run otherwise; `activity` has both."""
    id: str
    key: str
    run: str
    job: str | None
    activity: list[Literal["RUN", "OPERATION"]]
    roles: list[RoleName]
    """Where runs of a dataset are asked for: how it, or a part of it, used the dataset."""
    status: RunStatusName
    created_at: Instant | None
    """The time in its id, if that is a UUIDv7."""
    first_seen: Instant | None
    started_at: Instant | None
    ended_at: Instant | None
    duration_ms: int | None
    expected_start_at: Instant | None
    expected_end_at: Instant | None
    parent: str | None
    root: str | None
    user: str | None
    start_reason: str | None
    end_reason: str | None
    end_reason_of: str | None
    """The part that gave the reason, where a run that failed gives none itself."""
    sent_id: str | None
    external_id: str | None
    attempt: str | None
    running_log_url: str | None
    persistent_log_url: str | None
    engine: str | None
    name: str | None
    position: int | None
    group: str | None
    description: str | None
    tags: list[str]


class JobItem(Struct, frozen=True, kw_only=True):
    id: str
    key: str
    namespace: str
    name: str
    type: str
    """UNKNOWN if no event states it, for example of a job known only as a parent."""
    processing: str | None
    parent: str | None
    first_seen: Instant | None
    last_seen: Instant | None
    description: str | None
    tags: list[str]
    owners: list[str]
    latest_run: RunItem | None


class LocationItem(Struct, frozen=True, kw_only=True):
    """Namespaces that form one location: they share an address, or a person merged them."""

    id: str
    key: str
    type: str | None
    name: str | None
    namespaces: list[str]
    addresses: list[str]
    merged: list[list[str]]
    """Pairs of namespaces that somebody declared to be one."""
    split: list[list[str]]
    """Pairs that somebody declared to be two, though they share an address."""
    external_id: str | None
    """By which another system knows it."""
    description: str | None
    owners: list[str]
    first_seen: Instant | None
    datasets: int
    jobs: int


class UserItem(Struct, frozen=True, kw_only=True):
    id: str
    key: str
    name: str
    runs: int
    """That were started in this name."""
    owns: int
    """Datasets and jobs of which this is an owner."""
    first_seen: Instant | None
    last_seen: Instant | None


class StatementUse(Struct, frozen=True, kw_only=True):
    """How often a statement was executed, and how long."""

    runs: int
    """However they ended."""
    failed: int
    duration_ms: int | None
    """In all, of runs whose start and end are known."""
    last_run: Instant | None


class SqlItem(Struct, frozen=True, kw_only=True):
    id: str
    key: str
    text: str
    """The beginning of the statement."""
    is_cut: bool
    dialect: str | None
    jobs: int
    last_seen: Instant | None
    use: StatementUse | None
    """Use of the statement; null until the pipeline has computed it."""


class SqlPage(Struct, frozen=True):
    """A part of the list of statements."""

    items: list[SqlItem]
    total: int
    next: str | None
    freshness: Freshness | None
    """How far the pipeline has come with `use`."""


class TagItem(Struct, frozen=True, kw_only=True):
    tag: str
    key: str
    datasets: int
    """That carry it, or a column of which does."""
    columns: int
    jobs: int


class EditItem(Struct, frozen=True, kw_only=True):
    """One change by hand."""

    id: str
    time: Instant | None
    of: str
    """The changed thing."""
    kind: str | None
    """tag, owner, description, hidden, external_id, same_location ..."""
    name: str | None
    """The tag, the owner, the other namespace."""
    value: str | None
    change: str
    """In words."""
    by: str | None
    actor: str | None
    """The credential that the change came with."""
    reason: str | None
    via: str | None


class Hidden(Struct, frozen=True, kw_only=True):
    """That somebody hid or deleted a thing."""

    since: Instant | None
    by: str | None
    reason: str | None
    until_heard: bool
    """Only until an event names it again."""


class EditAnswer(Struct, frozen=True, kw_only=True):
    """A thing after a change by hand."""

    of: str
    changed: bool
    """False when it was so already; nothing was written then."""
    description: str | None
    tags: list[str]
    owners: list[str]
    hidden: Hidden | None
    edits: list[str]
    """The changes, by which they can be taken back."""


# --- search --------------------------------------------------------------------------------------------------------


class Highlight(Struct, frozen=True):
    """A text in which words were found, and where: pairs of first and last + 1 character."""

    field: str
    text: str
    marks: list[list[int]]


class Reason(Struct, frozen=True):
    """Why something was found."""

    by: Literal["text", "meaning"]
    field: str
    """Of words the field that has them; of a meaning the kind of node that has it, or summary."""
    name: str | None
    """The column, if it is one."""
    score: float
    """Of words the weight of all; of a meaning how near it is: 1 is the same."""


class SearchHit(Struct, frozen=True, kw_only=True):
    kind: HitKind
    """asset: a node of the asset graph that is neither dataset nor statement."""
    id: str
    key: str
    namespace: str | None
    name: str
    score: int
    description: str | None
    """Of a statement: its summary, in searches by meaning."""
    highlights: list[Highlight]
    reasons: list[Reason]


class Notice(Struct, frozen=True):
    """Why a search was made in another way than was asked for."""

    code: str
    message: str
    hint: str | None


class SearchAnswer(Struct, frozen=True, kw_only=True):
    items: list[SearchHit]
    total: int
    totals: dict[str, int]
    """By kind, whichever kind was asked for."""
    next: str | None
    terms: list[str]
    """The words that were looked for; of the last one the beginning is enough."""
    mode: Literal["text", "semantic", "hybrid"]
    """The mode that was used. If it is not the requested one, `notice` gives the reason."""
    notice: Notice | None


# --- entities ------------------------------------------------------------------------------------------------------
