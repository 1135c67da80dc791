"""Records of requests and answers of the adapter's routes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from headwater.emit.configuration import Overlay, Sink
from headwater.lineage.answer.text_types import Instant

__all__ = [
    "CheckQuery",
    "DlqEvent",
    "DlqItem",
    "DlqList",
    "DlqQuery",
    "DlqRetried",
    "DlqRetryQuery",
    "OverlayItem",
    "OverlayList",
    "Removed",
    "Requested",
    "SinkItem",
    "SinkList",
    "VersionItem",
    "VersionList",
    "VersionQuery",
    "VersionRequest",
    "WorkDone",
]


class VersionRequest(Struct, forbid_unknown_fields=True, rename="camel"):
    """A version that was published or recalled."""

    version_id: str
    overlay: str | None = None
    """Name of the overlay; may be left out if there is one only."""


class Requested(Struct, rename="camel"):
    version_id: str
    overlay: str
    namespace: str


class OverlayItem(Overlay, frozen=True, kw_only=True):
    namespace: str = ""
    checked_at: Instant | None = None
    check_result: dict[str, int] | None = None
    """Of the last comparison with the listings: how many versions, and how many of them were missing."""


class OverlayList(Struct):
    overlays: list[OverlayItem]


class SinkItem(Sink, frozen=True, kw_only=True):
    state: Literal["ACTIVE", "PAUSED"] = "ACTIVE"
    reason: str | None = None
    """Of the last failure."""
    pending: int = 0
    sent: int = 0
    dead: int = 0


class SinkList(Struct):
    sinks: list[SinkItem]


class Removed(Struct):
    removed: bool


class VersionItem(Struct):
    overlay: str
    version_id: str
    state: Literal["REQUESTED", "WAITING", "WATCHED", "DONE", "FAILED"]
    confs: int
    min_confs: int | None
    """Confirmations that it needs to be shown; None if the overlay is not configured any more."""
    attempts: int
    requested_at: Instant
    error: str | None
    events: dict[str, dict[str, str]]
    """By sink and step (publish, unstable.1, stable.1, abort, recall): PENDING, SENT or DEAD."""


class VersionList(Struct):
    versions: list[VersionItem]
    total: int
    """Of the state that was asked for, or of all."""


_State = Literal["REQUESTED", "WAITING", "WATCHED", "DONE", "FAILED"]


class VersionQuery(Struct, kw_only=True):
    state: Annotated[_State, Meta(description="Only those in this state.")] | None = None
    overlay: Annotated[str, Meta(description="Name of an overlay.", examples=["prod"])] | None = None
    version: Annotated[str, Meta(description="Id of one version; with `overlay`.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many at most.")] = 100


class CheckQuery(Struct, kw_only=True):
    overlay: Annotated[str, Meta(description="Name of an overlay; the only one if not given.")] | None = None
    after: Annotated[str, Meta(description="`next` of the page before.")] | None = None
    repair: Annotated[bool, Meta(description="Have what is missing emitted.")] = False


class DlqQuery(Struct, kw_only=True):
    sink: Annotated[str, Meta(description="Name of a sink.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many at most.")] = 100


class DlqRetryQuery(Struct, kw_only=True):
    sink: Annotated[str, Meta(description="Name of a sink; all if not given.")] | None = None


class DlqItem(Struct):
    id: str
    sink: str
    overlay: str | None
    version_id: str
    step: str
    event_time: Instant
    attempts: int
    reason: str | None
    """The status of the last answer, or `network`."""
    error: str | None
    dead_since: Instant | None


class DlqEvent(DlqItem):
    body: str


class DlqList(Struct):
    dead_letters: list[DlqItem]
    total: int


class DlqRetried(Struct):
    retried: int


class WorkDone(Struct):
    """Result of one round."""

    read: int
    """Versions that were read."""
    sent: int
    """Events that were sent, or became dead letters."""
    requested: int
    """Versions that are still to be read."""
    pending: int
    """Events that still wait."""
