"""Answer to a change by hand: the thing after the change."""

from __future__ import annotations

from headwater.graph.annotations.described import Described
from headwater.graph.facts import Edit
from headwater.lineage.answer.records import EditAnswer, Hidden
from headwater.lineage.edits.target import EditTarget, described_target
from headwater.lineage.entities.hidden import hidden_of
from headwater.lineage.entities.locations import find_location, location_entity
from headwater.openlineage.identity import stamp
from headwater.store.read.reader import Reader

__all__ = ["edit_answer"]


def edit_answer(
    reader: Reader,
    tenant: int,
    target: EditTarget | None,
    shown: str,
    event: tuple[int, bytes] | None,
    *,
    of_edge: bool = False,
) -> EditAnswer:
    """The current notes of a thing, and the changes that an event made."""
    annotation, hidden = (Described(), None) if target is None else _annotation_of(reader, tenant, target)
    column = target.column if target is not None else ""
    about = target.ids if target is not None else frozenset()
    written = stamp(*event) if event is not None else None
    found = reader.facts(tenant, Edit, stamp=written) if of_edge else reader.facts(tenant, Edit, about=about)
    edits = [edit for edit in found if edit.stamp == written]
    return EditAnswer(
        of=shown,
        changed=event is not None,
        description=annotation.column_descriptions.get(column) if column else annotation.description,
        tags=annotation.column_tags.get(column, []) if column else annotation.tags,
        owners=[] if column else annotation.owners,
        hidden=hidden,
        edits=sorted(f"edit:{edit.edit.hex()}" for edit in edits),
    )


def _annotation_of(reader: Reader, tenant: int, target: EditTarget) -> tuple[Described, Hidden | None]:
    if target.type == "NAMESPACE":
        location = location_entity(reader, tenant, target.shown)
        annotation = Described(description=location.description, owners=location.owners)
        return annotation, hidden_of(reader, tenant, target.namespace, [find_location(reader, tenant, target.shown)])
    return described_target(reader, tenant, target), hidden_of(reader, tenant, target.namespace, target.ids)
