"""Versions of a dataset as Marquez shows them."""

from __future__ import annotations

from typing import Any

from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.datasets import DatasetView, load_datasets, render_fields
from headwater.lineage.marquez.instants import instant, made_id
from headwater.lineage.marquez.runs import load_runs, render_runs
from headwater.lineage.marquez.version.event_datasets import (
    EventDataset,
    facets_of,
    fields_of,
    lifecycle_of,
    version_event_datasets,
)
from headwater.lineage.marquez.version.versions import DatasetVersion, histories, version_page
from headwater.lineage.marquez.view import View
from headwater.store.read.reader import Name

__all__ = ["find_version", "one_version", "versions_page"]

_PAGE = 1_000


def versions_page(view: View, name: Name, *, limit: int, offset: int) -> dict[str, Any]:
    """A page of versions, newest first."""
    item = load_datasets(view, [name])[0]
    found, total = version_page(view, item.history, limit=limit, offset=offset)
    return {"versions": _render(view, item, found), "totalCount": total}


def one_version(view: View, name: Name, version: str) -> dict[str, Any]:
    found = find_version(view, name, version)
    if found is None:
        raise NodeNotFound(f"Dataset version '{version}' not found.")
    return _render(view, load_datasets(view, [name])[0], [found])[0]


def find_version(view: View, name: Name, version: str) -> DatasetVersion | None:
    """The version with this id, looked for from the newest on."""
    shown = view.shown([name.id])[name.id]
    history = histories(view, [shown])[shown]
    offset = 0
    while True:
        page, total = version_page(view, history, limit=_PAGE, offset=offset)
        for item in page:
            if item.id == version:
                return item
        offset += _PAGE
        if offset >= total or not page:
            return None


def _render(view: View, item: DatasetView, versions: list[DatasetVersion]) -> list[dict[str, Any]]:
    runs = load_runs(view, {version.run for version in versions if version.run is not None})
    rendered = render_runs(view, runs)
    events = {run: found.events for run, found in runs.items()}
    current = item.history.current
    answer = []
    for version in versions:
        is_current = current is not None and version.id == current.id
        mentions = item.mentions.current if is_current else version_event_datasets(view, version, events)
        answer.append(_one(item, version, mentions, rendered.get(version.run or b"")))
    return answer


def _one(
    item: DatasetView, version: DatasetVersion, mentions: list[EventDataset], run: dict[str, Any] | None
) -> dict[str, Any]:
    basics, fields = item.basics(), fields_of(mentions)
    return {
        **{key: basics[key] for key in ("id", "type", "name", "physicalName")},
        "createdAt": instant(version.created),
        "version": version.id,
        **{key: basics[key] for key in ("namespace", "sourceName")},
        "fields": render_fields(fields, item.notes),
        "tags": item.tags,
        "lifecycleState": lifecycle_of(mentions) or "",
        "description": item.description,
        "currentSchemaVersion": made_id("schema", item.name.id, *(f"{it['name']}:{it.get('type')}" for it in fields)),
        "createdByRun": run,
        "facets": facets_of(mentions),
    }
