"""Datasets as Marquez shows them: the current version, with the facets that its events carried."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from headwater.graph.facts import NodeKind, Note, RunShape, Seen, ShapeEdge, Symlink
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.graph.column_sources import column_sources, render_source, source_order
from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.logged_event import facet
from headwater.lineage.marquez.version.event_datasets import (
    EventDatasets,
    facets_of,
    fields_of,
    lifecycle_of,
    load_event_datasets,
)
from headwater.lineage.marquez.version.versions import VersionHistory, histories
from headwater.lineage.marquez.view import View
from headwater.openlineage.naming import dataset_name, namespace_id
from headwater.store.read.lists.newest_jobs import OWN as _OWN
from headwater.store.read.lists.nodes import NodeFilter
from headwater.store.read.reader import Name

__all__ = ["DatasetView", "dataset_page", "find_dataset", "load_datasets", "render_datasets", "render_fields"]


class DatasetView(Struct, frozen=True):
    """A dataset, its versions, and the events about the current one."""

    name: Name
    history: VersionHistory
    mentions: EventDatasets
    notes: list[Note]

    def noted(self, kind: str) -> str | None:
        """Notes by hand about the dataset as a whole."""
        return next((note.value[1] for note in self.notes if note.kind == kind and note.value), None)

    @property
    def description(self) -> str | None:
        """Description by hand, else from events."""
        noted = next(
            (note.value[1] for note in self.notes if note.kind == "description" and not note.column and note.value),
            None,
        )
        if noted:
            return noted
        texts = [facet(item.dataset.facets, "documentation").get("description") for item in self.mentions.current]
        return next((text for text in reversed(texts) if isinstance(text, str)), None)

    @property
    def tags(self) -> list[str]:
        return sorted(note.name for note in self.notes if note.kind == "tag" and note.name and not note.column)

    def basics(self) -> dict[str, Any]:
        """Members of a dataset that every answer has."""
        newest, name = self.mentions.newest, self.name
        return {
            "id": {"namespace": name.namespace, "name": name.name},
            "type": self.noted("type") or "DB_TABLE",
            "name": name.name,
            "physicalName": self.noted("physicalName") or name.name,
            "createdAt": instant(name.first_seen or 0),
            "updatedAt": instant(newest.written_at if newest else name.first_seen or 0),
            "namespace": name.namespace,
            "sourceName": self.mentions.source,
            "fields": render_fields(fields_of(self.mentions.current), self.notes),
        }


def load_datasets(view: View, names: Collection[Name], *, with_facets: bool = True) -> list[DatasetView]:
    """All that is needed to show these datasets, in few questions."""
    shown = view.shown([name.id for name in names])
    found = histories(view, set(shown.values()))
    mentions = load_event_datasets(view, found) if with_facets else load_event_datasets(view, found, reads=1)
    notes = view.notes(list(shown))
    return [
        DatasetView(name, found[shown[name.id]], mentions[shown[name.id]], notes.get(name.id, [])) for name in names
    ]


def find_dataset(view: View, namespace: str, name: str) -> Name:
    """The dataset of this name, if it is there and not hidden."""
    wanted = dataset_name(namespace, name).id
    shown = view.shown([wanted])[wanted]
    found = view.names([shown, wanted])
    own = found.get(wanted)
    answer = own if own is not None and own.seen & _OWN and not _is_second_name(view, own) else found.get(shown)
    if answer is None or not answer.seen & _OWN or answer.id in hidden_nodes(view.reader, view.tenant):
        raise NodeNotFound(f"Dataset '{name}' not found.")
    return answer


def _is_second_name(view: View, name: Name) -> bool:
    """Whether the name first came up as another name of a dataset; the lists leave these out."""
    if not name.seen & Seen.SYMLINK:
        return False
    links = [link for link in view.facts(Symlink, source=name.id) if link.first_seen == name.first_seen]
    others = view.names([link.target for link in links])
    return any(not other.seen & Seen.SYMLINK for other in others.values())


def dataset_page(view: View, namespace: str, *, limit: int, offset: int) -> dict[str, Any]:
    """A page of a namespace's datasets, by name."""
    wanted = NodeFilter(
        kind=NodeKind.DATASET, namespace=namespace_id(namespace), without=hidden_nodes(view.reader, view.tenant)
    )
    names = view.listing.nodes(view.tenant, wanted, limit=limit, offset=offset)
    total = view.listing.count_nodes(view.tenant, wanted)
    return {"datasets": render_datasets(view, load_datasets(view, names)), "totalCount": total}


def render_datasets(view: View, datasets: list[DatasetView]) -> list[dict[str, Any]]:
    """Datasets in full."""
    lineage = _column_lineage(view, datasets)
    return [
        {
            **item.basics(),
            "tags": item.tags,
            "lastModifiedAt": None,
            "lastLifecycleState": lifecycle_of(item.mentions.current),
            "description": item.description,
            "currentVersion": item.history.current.id if item.history.current else None,
            "columnLineage": lineage.get(item.history.dataset),
            "facets": facets_of(item.mentions.current),
            "deleted": item.mentions.is_dropped,
        }
        for item in datasets
    ]


def render_fields(fields: list[dict[str, Any]], notes: list[Note]) -> list[dict[str, Any]]:
    tags: dict[str, list[str]] = {}
    texts = {note.column: note.value[1] for note in notes if note.kind == "description" and note.column and note.value}
    for note in notes:
        if note.kind == "tag" and note.column and note.name:
            tags.setdefault(note.column, []).append(note.name)
    return [
        {
            "name": field["name"],
            "type": field.get("type"),
            "tags": sorted({tag.upper() for tag in tags.get(field["name"], ())}),
            "description": texts.get(field["name"], field.get("description")),
        }
        for field in fields
    ]


def _column_lineage(view: View, datasets: list[DatasetView]) -> dict[bytes, list[dict[str, Any]]]:
    """By dataset, which columns each of its columns comes from in the current version."""
    shapes: set[bytes] = set()
    runs = {item.history.current.run for item in datasets if item.history.current and item.history.current.run}
    run_shapes = {(item.run, item.shape) for item in view.facts(RunShape, run=runs)}
    for item in datasets:
        current = item.history.current
        if current is not None and current.run is not None:
            shapes |= {shape for run, shape in run_shapes if run == current.run and shape in item.history.output_shapes}
        elif current is not None and current.shape is not None:
            shapes.add(current.shape)
    fields = {item.history.dataset: [field["name"] for field in fields_of(item.mentions.current)] for item in datasets}
    found = column_sources(view, view.facts(ShapeEdge, shape=shapes), fields)
    names = view.names({source.dataset for sources in found.values() for source in sources})
    answer: dict[bytes, list[dict[str, Any]]] = {}
    for (dataset, column), sources in sorted(found.items(), key=lambda item: item[0]):
        kinds = sorted({source.kind for source in sources if source.kind})
        texts = sorted({source.description for source in sources if source.description})
        answer.setdefault(dataset, []).append(
            {
                "name": column,
                "inputFields": [
                    render_source(it, names) for it in sorted(sources, key=source_order) if it.dataset in names
                ],
                "transformationDescription": ", ".join(texts) or None,
                "transformationType": ", ".join(kinds) or None,
            }
        )
    return answer
