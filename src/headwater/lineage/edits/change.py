"""Notes that a change by hand writes; none if nothing changes."""

from __future__ import annotations

from collections.abc import Collection

from headwater.graph.annotations.described import Described
from headwater.graph.annotations.notes import ALWAYS_HIDDEN, GIVEN_TAGS, HIDDEN, NO, TAGS, TAKEN_BACK, YES, note_id
from headwater.graph.annotations.tags import read_tag, same_tag
from headwater.graph.facts import Note
from headwater.lineage.edits.event import Remark
from headwater.lineage.edits.target import EditTarget, described_target
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.errors import BadQuestion
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["describe_remarks", "hide_remarks", "own_remarks", "tag_remarks"]


def tag_remarks(
    reader: Reader, tenant: int, target: EditTarget, add: Collection[str], remove: Collection[str]
) -> list[Remark]:
    """Put tags on a dataset, column or job, and take others off."""
    _refuse_location(target, "tags")
    wanted, unwanted = (
        {same_tag(it): it for it in map(read_tag, add)},
        {same_tag(it): it for it in map(read_tag, remove)},
    )
    _check(wanted, unwanted, "tag", "$.add")
    annotation = described_target(reader, tenant, target)
    now = {same_tag(tag) for tag in _tags(annotation, target)}
    stated = {same_tag(tag) for tag in _tags(_by_events(reader, tenant, target), target)}
    remarks = [target.remark("tag", YES, tag) for key, tag in wanted.items() if key not in now]
    # What only a person gave is taken back; what events state, and will state again, is denied.
    remarks += [
        target.remark("tag", NO if key in stated else TAKEN_BACK, spelt)
        for key, tag in unwanted.items()
        if key in now
        for spelt in _spellings(reader, tenant, target, tag)
    ]
    return [*remarks, *_definitions(reader, tenant, [it.name for it in remarks if it.value == YES])]


def describe_remarks(reader: Reader, tenant: int, target: EditTarget, description: str) -> list[Remark]:
    """Write a description; the empty one takes it back."""
    text = description.strip()
    if target.type == "NAMESPACE":
        known = _noted(reader, tenant, target, note_id("description"))
    else:
        known = _noted(reader, tenant, target, note_id("description", target.column))
    return [] if text == known else [target.remark("description", text)]


def own_remarks(
    reader: Reader, tenant: int, target: EditTarget, add: Collection[str], remove: Collection[str]
) -> list[Remark]:
    """Name owners of a dataset, job or location, and strike others out. A location has one."""
    if target.column:
        raise BadQuestion("A column has no owner of its own.", path="$.name", hint="Name the dataset.")
    wanted = {name.strip(): name.strip() for name in add}
    unwanted = {name.strip(): name.strip() for name in remove}
    _check(wanted, unwanted, "owner", "$.add")
    if target.type == "NAMESPACE":
        return _own_location(reader, tenant, target, list(wanted), list(unwanted))
    now = set(described_target(reader, tenant, target).owners)
    stated = set(_by_events(reader, tenant, target).owners)
    remarks = [target.remark("owner", YES, name) for name in wanted if name not in now]
    return remarks + [
        target.remark("owner", NO if name in stated else TAKEN_BACK, name) for name in unwanted if name in now
    ]


def hide_remarks(reader: Reader, tenant: int, target: EditTarget, *, undo: bool, until_heard: bool) -> list[Remark]:
    """Hide a dataset, job or location, for good or until an event names it again; or show it again."""
    if target.column:
        raise BadQuestion("A column cannot be hidden.", path="$.name", hint="Hide the dataset.")
    known = _noted(reader, tenant, target, HIDDEN)
    if undo:
        return [target.remark("hidden", TAKEN_BACK)] if known else []
    if until_heard:
        return [target.remark("hidden", YES)]  # again, since something may have been heard
    return [] if known == ALWAYS_HIDDEN else [target.remark("hidden", ALWAYS_HIDDEN)]


def _own_location(reader: Reader, tenant: int, target: EditTarget, add: list[str], remove: list[str]) -> list[Remark]:
    known = _noted(reader, tenant, target, note_id("owner"))
    if len(add) > 1:
        raise BadQuestion("A location has one owner.", path="$.add", hint="Name one.")
    if add:
        return [target.remark("owner", add[0])] if add[0] != known else []
    return [target.remark("owner", TAKEN_BACK)] if known and known in remove else []


def _definitions(reader: Reader, tenant: int, tags: list[str]) -> list[Remark]:
    """Tags that nobody described yet, so that the list of tags has them."""
    known = {same_tag(note.name or "") for note in reader.facts(tenant, Note, about=TAGS)} if tags else set()
    nothing = '{"description":null}'
    return [Remark("TAGS", "tag", nothing, name=tag) for tag in tags if same_tag(tag) not in known | GIVEN_TAGS.keys()]


def _tags(annotation: Described, target: EditTarget) -> list[str]:
    return annotation.column_tags.get(target.column, []) if target.column else annotation.tags


def _by_events(reader: Reader, tenant: int, target: EditTarget) -> Described:
    found = described_of(tenant, Lookup(reader.engine), {b"": target.ids}, with_notes=False)
    return found.get(b"") or Described()


def _spellings(reader: Reader, tenant: int, target: EditTarget, tag: str) -> list[str]:
    """The one that was noted, if any: of two notes on one tag the newest counts, however it is spelt."""
    notes = reader.facts(tenant, Note, about=target.ids)
    found = [
        note
        for note in notes
        if note.kind == "tag" and (note.column or "") == target.column and same_tag(note.name or "") == same_tag(tag)
    ]
    newest = max(found, key=lambda note: note.value or (b"", ""), default=None)
    return [newest.name if newest is not None and newest.name else tag]


def _noted(reader: Reader, tenant: int, target: EditTarget, note: bytes) -> str:
    """Newest notes by hand under any name of the thing."""
    found = [item.value for item in reader.facts(tenant, Note, about=target.ids) if item.note == note and item.value]
    return max(found)[1] if found else TAKEN_BACK


def _check(add: dict[str, str], remove: dict[str, str], word: str, path: str) -> None:
    if not add and not remove:
        raise BadQuestion(f"No {word} is named.", path=path, hint=f"Name at least one {word} to add or remove.")
    if "" in add or "" in remove:
        raise BadQuestion(f"A {word} is empty.", path=path)
    both = add.keys() & remove.keys()
    if both:
        raise BadQuestion(f"{add[min(both)]!r} is both to be added and to be removed.", path=path)


def _refuse_location(target: EditTarget, word: str) -> None:
    if target.type == "NAMESPACE":
        raise BadQuestion(f"A location has no {word}.", path="$.name", hint="Name a dataset, DATASET#COLUMN or a job.")
