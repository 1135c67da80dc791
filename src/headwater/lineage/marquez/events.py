"""Raw run events, with what Marquez adds to them: every facet it knows is there, null where it was not sent."""

from __future__ import annotations

from typing import Any

import msgspec

from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.view import View
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import run_key
from headwater.store.read import LoggedEvent

__all__ = ["event_page", "namespace_events"]

_RUN = ("nominalTime", "parent")
_JOB = ("documentation", "sourceCodeLocation", "sql", "jobType")
_DATASET = (
    "documentation",
    "schema",
    "dataSource",
    "description",
    "lifecycleStateChange",
    "columnLineage",
    "symlinks",
)
_event = msgspec.json.Decoder(dict[str, Any])


def event_page(
    view: View, *, after: int, before: int, descending: bool, limit: int, offset: int, run: str | None = None
) -> dict[str, Any]:
    """Run events of a window by their time, perhaps of one run only; `totalCount` counts the same events."""
    window: dict[str, Any] = {"after": after, "before": before, "kind": EventKind.RUN.value}
    if run is not None:
        window["run"] = run_key(run)[0]
    found = view.reader.events(view.tenant, limit=limit, offset=offset, descending=descending, **window)
    total = view.reader.count_events(view.tenant, **window)
    return {"events": [_render(item) for item in found], "totalCount": total}


def namespace_events(view: View, namespace: str, *, limit: int, offset: int) -> dict[str, Any]:
    """Events of a namespace's jobs, newest first."""
    found = view.activity.events_of_namespace(view.tenant, namespace, limit=limit, offset=offset)
    return {"events": [_render(item) for item in found]}


def _render(item: LoggedEvent) -> dict[str, Any]:
    event = _event.decode(item.body)
    run, job = _object(event.get("run")), _object(event.get("job"))
    return {
        "eventType": event.get("eventType"),
        "eventTime": instant(item.time),
        "run": {"runId": run.get("runId"), "facets": _facets(run.get("facets"), _RUN)},
        "job": {"namespace": job.get("namespace"), "name": job.get("name"), "facets": _facets(job.get("facets"), _JOB)},
        "inputs": _datasets(event.get("inputs")),
        "outputs": _datasets(event.get("outputs")),
        "producer": event.get("producer"),
        "schemaURL": event.get("schemaURL"),
    }


def _datasets(found: Any) -> list[dict[str, Any]] | None:
    if not isinstance(found, list):
        return None
    return [
        {
            "namespace": dataset.get("namespace"),
            "name": dataset.get("name"),
            "facets": _dataset_facets(dataset.get("facets")),
            "inputFacets": dataset.get("inputFacets"),
            "outputFacets": dataset.get("outputFacets"),
        }
        for dataset in found
        if isinstance(dataset, dict)
    ]


def _facets(found: Any, known: tuple[str, ...]) -> dict[str, Any]:
    stated = {name: _without_nulls(value) for name, value in _object(found).items()}
    return {**dict.fromkeys(known), **stated}


def _dataset_facets(found: Any) -> dict[str, Any]:
    facets = _facets(found, _DATASET)
    schema, columns = _object(facets["schema"]), _object(facets["columnLineage"])
    if isinstance(schema.get("fields"), list):
        fields = [_with(field, "name", "type", "description") for field in schema["fields"]]
        facets["schema"] = {**schema, "fields": fields}
    if isinstance(columns.get("fields"), dict):
        names = ("transformationDescription", "transformationType")
        fields_of = {column: _with(field, *names) for column, field in columns["fields"].items()}
        facets["columnLineage"] = {**columns, "fields": fields_of}
    return facets


def _with(value: Any, *names: str) -> Any:
    return {**dict.fromkeys(names), **value} if isinstance(value, dict) else value


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(member) for name, member in value.items() if member is not None}
    return [_without_nulls(member) for member in value] if isinstance(value, list) else value


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
