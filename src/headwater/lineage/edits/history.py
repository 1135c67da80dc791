"""The history of changes by hand, and taking one back."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from headwater.graph.annotations.notes import NO, SAME_LOCATION, TAKEN_BACK
from headwater.graph.facts import Edit, Namespace
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.answer.records import EditItem, Page
from headwater.lineage.answer.values import stamped
from headwater.lineage.edits.event import Remark
from headwater.lineage.edits.target import Target
from headwater.lineage.entities.locations import LOCATION
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.store.read.lists.edits import EditLog
from headwater.store.read.reader import Reader

__all__ = ["list_edits", "undo_remark"]

_ORDER = "-time"
_ID = "edit:"


class _Thing(Struct, frozen=True):
    """What a change was about."""

    namespace: str
    name: str
    shown: str


def list_edits(reader: Reader, tenant: int, target: Target | None, cursor: str | None, limit: int) -> Page[EditItem]:
    """Changes of one thing under all its names, or of everything; the newest first."""
    after = read_cursor(cursor, _ORDER, int)
    log = EditLog(reader.engine)
    about, column = (target.ids, target.column or None) if target is not None else (None, None)
    found = log.edits(tenant, about, column, after=None if after is None else after[1], limit=limit + 1)
    shown = found[:limit]
    things = _things(reader, tenant, shown)
    last = (shown[-1].stamp or b"") + shown[-1].edit if len(found) > limit else None
    following = write_cursor(_ORDER, None, last) if last is not None else None
    return Page([_item(edit, things) for edit in shown], log.count(tenant, about, column), following)


def undo_remark(reader: Reader, tenant: int, text: str) -> tuple[Remark, str]:
    """What takes a change back, and the id of what it was about. A change that another one replaced stays."""
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
    thing = _things(reader, tenant, [edit]).get(edit.about or b"", _Thing("", "", ""))
    names = (edit.column or "", edit.name or "")
    shown = f"{thing.shown}#{edit.column}" if edit.column else thing.shown
    return Remark(edit.about_type or "", edit.kind or "", value, thing.namespace, thing.name, *names), shown


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


def _things(reader: Reader, tenant: int, edits: Collection[Edit]) -> dict[bytes, _Thing]:
    """The names of what these changes were about."""
    ids = {edit.about for edit in edits if edit.about is not None}
    names = reader.names(tenant, ids)
    places = {fact.namespace: fact.text or "" for fact in reader.facts(tenant, Namespace, namespace=ids)}
    found = {place: _Thing(text, "", f"{LOCATION}{text}") for place, text in places.items()}
    return found | {node: _Thing(name.namespace, name.name, name.node_id) for node, name in names.items()}


def _item(edit: Edit, things: dict[bytes, _Thing]) -> EditItem:
    thing = things.get(edit.about or b"")
    shown = thing.shown if thing is not None else (edit.about_type or "").lower()
    return EditItem(
        id=f"{_ID}{edit.edit.hex()}",
        time=stamped(edit.stamp),
        of=f"{shown}#{edit.column}" if edit.column else shown,
        kind=edit.kind,
        name=edit.name,
        value=edit.value or None,
        change=_words(edit),
        by=edit.by,
        actor=edit.actor,
        reason=edit.reason,
        via=edit.via,
    )


def _words(edit: Edit) -> str:
    """The change in a few words."""
    kind, value, name = edit.kind or "", edit.value or "", edit.name or ""
    if kind == "hidden":
        return "hidden" if value else "shown again"
    if kind == SAME_LOCATION:
        return f"{'decided nothing about' if not value else 'apart from' if value == NO else 'the same as'} {name}"
    word = kind.replace("_", " ")
    if name:
        return f"{word} {name} {'taken back' if not value else 'denied' if value == NO else 'added'}"
    return f"{word} set" if value else f"{word} taken back"
