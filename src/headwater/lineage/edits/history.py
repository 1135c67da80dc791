"""History of changes by hand, and undo."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec
from msgspec import Struct

from headwater.graph.annotations.notes import EDGE_HIDDEN, EDGE_STATED, MADE, NO, SAME_LOCATION, TAKEN_BACK, TOLD
from headwater.graph.current.hand_edges import EdgeByHand
from headwater.graph.current.window import ALWAYS
from headwater.graph.facts import Edit, Namespace
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.answer.records import EditItem, Page
from headwater.lineage.answer.values import stamped
from headwater.lineage.by_hand.listing import shown_end
from headwater.lineage.by_hand.make import Information, Told, read_told
from headwater.lineage.edits.event import EdgeStatement, Remark
from headwater.lineage.edits.target import EditTarget
from headwater.lineage.entities.locations import LOCATION
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.openlineage.identity import stamp_time
from headwater.store.read.lists.edits import EditLog
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Name, Reader
from headwater.store.read.shapes.edge_rows import edges_by_id
from headwater.store.read.shapes.hand_edges import HandEdges

__all__ = ["Undo", "list_edits", "undo_of"]

_ORDER = "-time"
_ID = "edit:"
_EDGE = "EDGE"
"""Subject of a change of an edge."""


class _Subject(Struct, frozen=True):
    """Subject of a change."""

    namespace: str
    name: str
    shown: str


def list_edits(
    reader: Reader, tenant: int, target: EditTarget | bytes | None, cursor: str | None, limit: int
) -> Page[EditItem]:
    """Changes of one thing under all its names and of its edges, of one edge, or of everything; the newest first."""
    after = read_cursor(cursor, _ORDER, int)
    log = EditLog(reader.engine)
    about: frozenset[bytes] | None = None
    column = None
    if isinstance(target, bytes):
        about = frozenset((target,))
    elif target is not None:
        about, column = _about(reader, tenant, target), target.column or None
    found = log.edits(tenant, about, column, after=None if after is None else after[1], limit=limit + 1)
    shown = found[:limit]
    things = _things(reader, tenant, shown)
    last = (shown[-1].stamp or b"") + shown[-1].edit if len(found) > limit else None
    following = write_cursor(_ORDER, None, last) if last is not None else None
    return Page([_item(edit, things) for edit in shown], log.count(tenant, about, column), following)


class Undo(Struct, frozen=True):
    """What takes a change back: a note, or a statement about an edge."""

    shown: str
    """The subject of the change."""
    remark: Remark | None = None
    edge: EdgeStatement | None = None
    told: Information | None = None
    """Former information about the thing, if the change was of information."""
    newest: int = 0
    """When the change was made."""


def undo_of(reader: Reader, tenant: int, text: str) -> Undo:
    """What takes a change back. A change that a later one replaced stays."""
    edit = _find(reader, tenant, text)
    same = reader.facts(tenant, Edit, about=edit.about, note=edit.note)
    newest = max(same, key=_age)
    if newest != edit:
        raise BadQuestion(
            f"{text} was replaced by {_ID}{newest.edit.hex()}.", path="$.id", hint="Take that back, or change it again."
        )
    before = max((item for item in same if item != edit), key=_age, default=None)
    value = before.value or TAKEN_BACK if before is not None else TAKEN_BACK
    if value == edit.value:
        raise BadQuestion(f"{text} changed nothing.", path="$.id")
    newest_at = stamp_time(edit.stamp) if edit.stamp is not None else 0
    if edit.about_type == _EDGE:
        return Undo(*_edge_as_before(reader, tenant, edit, value), newest=newest_at)
    thing = _things(reader, tenant, [edit]).get(edit.about or b"", _Subject("", "", ""))
    names = (edit.column or "", edit.name or "")
    shown = f"{thing.shown}#{edit.column}" if edit.column else thing.shown
    told = None
    if edit.kind == TOLD:
        now = read_told(edit.value)
        told = restored.now if (restored := read_told(value)) is not None else now.before if now is not None else None
    remark = Remark(edit.about_type or "", edit.kind or "", value, thing.namespace, thing.name, *names)
    return Undo(shown, remark=remark, told=told, newest=newest_at)


def _edge_as_before(reader: Reader, tenant: int, edit: Edit, value: str) -> tuple[str, None, EdgeStatement]:
    """The statement about an edge before a change."""
    edges = edges_by_id(tenant, Lookup(reader.engine), [edit.about or b""])
    edge = edges[edit.about or b""]
    names = reader.names(tenant, [edge.source, edge.target])
    ends = [
        {"type": name.kind.name, "namespace": name.namespace, "name": name.name, "column": column}
        for name, column in ((names[edge.source], edge.source_column), (names[edge.target], edge.target_column))
    ]
    before = msgspec.json.decode(value) if value else None
    return _edge_text(edge, names), None, EdgeStatement(ends[0], ends[1], edit.kind or "", before)


def _about(reader: Reader, tenant: int, target: EditTarget) -> frozenset[bytes]:
    """The ids of a thing, and of the edges that lead from it or to it."""
    edges = HandEdges(tenant, Lookup(reader.engine), ALWAYS)
    listed = [edge for down in (True, False) for edge in edges.at(target.ids, down=down)]
    return target.ids | {edge.edge for edge in listed if not target.column or target.column in _columns_of(edge)}


def _columns_of(edge: EdgeByHand) -> tuple[str, str]:
    return edge.source_column, edge.target_column


def _edge_text(edge: EdgeByHand, names: Mapping[bytes, Name]) -> str:
    source = shown_end(names.get(edge.source), edge.source, edge.source_column)
    return f"{source} -> {shown_end(names.get(edge.target), edge.target, edge.target_column)}"


def _find(reader: Reader, tenant: int, text: str) -> Edit:
    try:
        known = bytes.fromhex(text.strip().removeprefix(_ID))
    except ValueError:
        known = b""
    found = reader.facts(tenant, Edit, edit=known) if len(known) == 16 else []
    if not found:
        raise NodeNotFound(f"There is no change {text!r}.", hint="GET /api/v2/edits lists them.")
    return found[0]


def _age(edit: Edit) -> tuple[bytes, str]:
    return edit.stamp or b"", edit.value or ""


def _things(reader: Reader, tenant: int, edits: Collection[Edit]) -> dict[bytes, _Subject]:
    """Names of the subjects of these changes."""
    ids = {edit.about for edit in edits if edit.about is not None}
    names = reader.names(tenant, ids)
    places = {fact.namespace: fact.text or "" for fact in reader.facts(tenant, Namespace, namespace=ids)}
    edges = edges_by_id(tenant, Lookup(reader.engine), ids - names.keys() - places.keys())
    ends = reader.names(tenant, {end for edge in edges.values() for end in (edge.source, edge.target)})
    of_edges = {edge.edge: _Subject("", "", _edge_text(edge, ends)) for edge in edges.values()}
    found = {location: _Subject(text, "", f"{LOCATION}{text}") for location, text in places.items()}
    return found | of_edges | {node: _Subject(name.namespace, name.name, name.node_id) for node, name in names.items()}


def _item(edit: Edit, things: dict[bytes, _Subject]) -> EditItem:
    thing = things.get(edit.about or b"")
    shown = thing.shown if thing is not None else (edit.about_type or "").lower()
    return EditItem(
        id=f"{_ID}{edit.edit.hex()}",
        time=stamped(edit.stamp),
        of=f"{shown}#{edit.column}" if edit.column else shown,
        kind=edit.kind,
        name=edit.name,
        value=_shown_value(edit) or None,
        change=_words(edit),
        by=edit.by,
        actor=edit.actor,
        reason=edit.reason,
        via=edit.via,
    )


def _shown_value(edit: Edit) -> str | None:
    """The value for readers: of information only the changed part."""
    told = read_told(edit.value) if edit.kind == TOLD else None
    return edit.value if told is None else "; ".join(_text(getattr(told.now, name)) for name in _told_members(told))


def _told_members(told: Told) -> list[str]:
    """Which of its members a change was about."""
    members = Information.__struct_fields__
    return [name for name in members if getattr(told.now, name) != getattr(told.before, name)]


def _text(value: str | Sequence[str] | Mapping[str, str]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {text}" for name, text in value.items())
    return ", ".join(value)


def _words(edit: Edit) -> str:
    """The change in a few words."""
    kind, value, name = edit.kind or "", edit.value or "", edit.name or ""
    if kind in (EDGE_STATED, EDGE_HIDDEN):
        words = ("edge stated", "edge removed") if kind == EDGE_STATED else ("edge hidden", "edge shown again")
        return words[0] if value else words[1]
    if kind == MADE:
        return "made by hand" if value else "made by hand: taken back"
    told = read_told(value) if kind == TOLD else None
    if told is not None and (members := _told_members(told)):
        return f"{', '.join(members)} set"
    if kind == "hidden":
        return "hidden" if value else "shown again"
    if kind == SAME_LOCATION:
        return f"{'decided nothing about' if not value else 'apart from' if value == NO else 'the same as'} {name}"
    word = kind.replace("_", " ")
    if name:
        return f"{word} {name} {'taken back' if not value else 'denied' if value == NO else 'added'}"
    return f"{word} set" if value else f"{word} taken back"
