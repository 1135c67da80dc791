"""Facts stated by hand: current values (`Note`, `LocationDecision`) and the history (`Edit`)."""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

from headwater.graph.fact import Fact, Id, Stamp, declare
from headwater.graph.merge_rules import AnyOf, Latest, Min

__all__ = ["Edit", "HandEdge", "LocationDecision", "Note", "SameLocation"]


class SameLocation(IntEnum):
    """A person's decision about two namespaces."""

    UNDECIDED = -1
    """Taken back: their addresses decide."""
    APART = 0
    SAME = 1


@declare
class Note(Fact, frozen=True, gc=False):
    """Something noted about a dataset, job or namespace: a tag, an owner, that it is hidden; or a source of data."""

    table: ClassVar[str] = "note"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("note",),)
    about: Id
    """The node or namespace; for a note about neither, the digest of a word."""
    note: Id
    """The digest of kind, column and name."""
    kind: AnyOf[str] = None
    """tag, owner, description, hidden, external_id, source ..."""
    column: AnyOf[str] = None
    """The column of a dataset that it is about."""
    name: AnyOf[str] = None
    """The tag or the owner."""
    text: AnyOf[str] = None
    """A note that an event states on the way: the address of a source."""
    value: Latest[str] = None
    """Newest value by hand: a text, or a word of `graph.annotations.notes`; the empty text when it was removed."""
    first_seen: Min[int] = None


@declare
class LocationDecision(Fact, frozen=True, gc=False):
    """Two namespaces are one location, or are not, whatever their addresses; `one` is the smaller id."""

    table: ClassVar[str] = "location_decision"
    one: Id
    """The smaller id of the two namespaces."""
    other: Id
    """The greater id."""
    same: Latest[int] = None
    """A `SameLocation`."""
    decided_by: Latest[str] = None
    """Author."""


@declare
class HandEdge(Fact, frozen=True, gc=False):
    """An edge that a person stated or hid, independent of events."""

    table: ClassVar[str] = "hand_edge"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("source",), ("target",))
    edge: Id
    """The digest of both ends."""
    source: AnyOf[Id] = None
    """The dataset or job that data comes from."""
    target: AnyOf[Id] = None
    """The dataset or job that it goes to."""
    source_kind: AnyOf[int] = None
    """A `NodeKind`."""
    target_kind: AnyOf[int] = None
    """A `NodeKind`."""
    source_column: AnyOf[str] = None
    """Of an edge between columns, which both are datasets' then."""
    target_column: AnyOf[str] = None
    """As `source_column`."""
    stated: Latest[str] = None
    """JSON: author, time, properties, transformation; the empty text after removal."""
    hidden: Latest[str] = None
    """JSON: author and reason; the empty text when it is shown again."""
    first_seen: Min[int] = None


@declare
class Edit(Fact, frozen=True, gc=False):
    """One change by hand, kept for the history; `Note` and `LocationDecision` have the current state."""

    table: ClassVar[str] = "edit"
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("about", "stamp"), ("stamp", "edit"))
    edit: Id
    """The digest of stamp, thing and note."""
    stamp: AnyOf[Stamp] = None
    about: AnyOf[Id] = None
    """The node or namespace; of an edge the id that `HandEdge` has."""
    about_type: AnyOf[str] = None
    """DATASET, JOB, NAMESPACE, TAGS, SOURCES or EDGE."""
    note: AnyOf[Id] = None
    """That of `Note`; of a decision about locations the digest of its kind and the other namespace."""
    kind: AnyOf[str] = None
    """As in `Note`, and same_location; of an edge edge or edge_hidden."""
    column: AnyOf[str] = None
    """The column of a dataset that it is about."""
    name: AnyOf[str] = None
    """The tag, the owner, the other namespace."""
    value: AnyOf[str] = None
    """The value; empty when it was taken back. For an edge JSON, as in `HandEdge`."""
    actor: AnyOf[str] = None
    """The credential that the change came with."""
    by: AnyOf[str] = None
    """The author's name as given with the change; the actor if none was given."""
    reason: AnyOf[str] = None
    """Why."""
    via: AnyOf[str] = None
    """API, CLI, UI, MARQUEZ or DATAHUB."""
