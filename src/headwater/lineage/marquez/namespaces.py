"""Namespaces and notes by hand about them."""

from __future__ import annotations

from typing import Any

from headwater.graph.facts import Namespace, Note
from headwater.lineage.entities.hidden import Hiding, hidden_namespaces
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.view import View
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.naming import namespace_id

__all__ = ["namespace_exists", "namespace_page", "one_namespace"]

DEFAULT = "default"
_ABOUT_DEFAULT = (
    "The default global namespace for dataset, job, and run metadata not belonging to a user-specified namespace."
)
_BEGINNING = 1_767_225_600_000_000
"""The default namespace has always been there; 2026-01-01 stands for that."""


def namespace_page(view: View, *, limit: int, offset: int) -> dict[str, Any]:
    """A page of namespaces by name, those that were deleted included."""
    found = view.listing.namespaces(view.tenant, limit=limit + offset, offset=0)
    if not any(item.text == DEFAULT for item in found):
        found = sorted([*found, _default(view)], key=lambda item: item.text or "")
    page = found[offset : offset + limit]
    hidden, notes = hidden_namespaces(view.reader, view.tenant), view.notes([item.namespace for item in page])
    return {"namespaces": [_render(item, notes.get(item.namespace, []), hidden) for item in page]}


def one_namespace(view: View, name: str) -> dict[str, Any]:
    item = _find(view, name)
    if item is None:
        raise NodeNotFound(f"Namespace '{name}' not found.")
    return _render(
        item, view.notes([item.namespace]).get(item.namespace, []), hidden_namespaces(view.reader, view.tenant)
    )


def namespace_exists(view: View, name: str) -> bool:
    return _find(view, name) is not None


def _find(view: View, name: str) -> Namespace | None:
    found = view.facts(Namespace, namespace=namespace_id(name))
    return found[0] if found else _default(view) if name == DEFAULT else None


def _default(view: View) -> Namespace:
    return Namespace(view.tenant, namespace_id(DEFAULT), text=DEFAULT, first_seen=_BEGINNING)


def _render(item: Namespace, notes: list[Note], hidden: dict[bytes, Hiding]) -> dict[str, Any]:
    noted = {note.kind: note.value[1] for note in notes if note.value}
    edited = max((stamp_time(note.value[0]) for note in notes if note.value and note.kind != "hidden"), default=0)
    created = item.first_seen or 0
    return {
        "name": item.text,
        "createdAt": instant(created),
        "updatedAt": instant(max(created, edited)),
        "ownerName": noted.get("owner", "anonymous"),
        "description": noted.get("description", _ABOUT_DEFAULT if item.text == DEFAULT else None),
        "isHidden": item.namespace in hidden,
    }
