"""Sources of data: those that events name, and those that were made by hand."""

from __future__ import annotations

from typing import Any

import msgspec

from headwater.graph.annotations.notes import SOURCES, note_id
from headwater.graph.facts import Note
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.view import View
from headwater.openlineage.identity import stamp_time

__all__ = ["one_source", "source_page", "sources"]


def sources(view: View) -> list[Note]:
    """All of them, by name."""
    return sorted(view.facts(Note, about=SOURCES), key=lambda note: note.name or "")


def source_page(view: View, *, limit: int, offset: int) -> dict[str, Any]:
    return {"sources": [_render(note) for note in sources(view)[offset : offset + limit]]}


def one_source(view: View, name: str) -> dict[str, Any]:
    found = view.facts(Note, about=SOURCES, note=note_id("source", name=name))
    if not found:
        raise NodeNotFound(f"Source '{name}' not found.")
    return _render(found[0])


def _render(note: Note) -> dict[str, Any]:
    """Marquez takes every source that an event names for a PostgreSQL database."""
    by_hand = msgspec.json.decode(note.value[1], type=dict[str, Any]) if note.value and note.value[1] else {}
    edited = stamp_time(note.value[0]) if note.value else 0
    created = note.first_seen or 0
    return {
        "type": by_hand.get("type") or "POSTGRESQL",
        "name": note.name,
        "createdAt": instant(created),
        "updatedAt": instant(max(created, edited)),
        "connectionUrl": by_hand.get("connectionUrl", note.text),
        "description": by_hand.get("description"),
    }
