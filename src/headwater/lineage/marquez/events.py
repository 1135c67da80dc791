"""Raw run events with Marquez' additions: every facet it knows is there, null if it was not sent."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.view import View
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import run_key
from headwater.openlineage.surrogates import without_lone_surrogates
from headwater.store.read.reader import LoggedEvent

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
_members = msgspec.json.Decoder(dict[str, Raw])
_items = msgspec.json.Decoder(list[Raw])
_any = msgspec.json.Decoder(Any)


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
    event = _object(Raw(without_lone_surrogates(item.body)))
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


def _datasets(raw: Raw | None) -> list[dict[str, Any]] | None:
    if raw is None or not bytes(raw).startswith(b"["):
        return None
    found = (_object(item) for item in _items.decode(raw) if bytes(item).startswith(b"{"))
    return [
        {
            "namespace": dataset.get("namespace"),
            "name": dataset.get("name"),
            "facets": _dataset_facets(dataset.get("facets")),
            "inputFacets": dataset.get("inputFacets"),
            "outputFacets": dataset.get("outputFacets"),
        }
        for dataset in found
    ]


def _facets(raw: Raw | None, known: tuple[str, ...]) -> dict[str, Any]:
    return {**dict.fromkeys(known), **{name: _value(value) for name, value in _object(raw).items()}}


def _dataset_facets(raw: Raw | None) -> dict[str, Any]:
    facets = _facets(raw, _DATASET)
    schema, columns = facets["schema"], facets["columnLineage"]
    if isinstance(schema, dict) and isinstance(schema.get("fields"), list):
        fields = [_with(field, "name", "type", "description") for field in schema["fields"]]
        facets["schema"] = {**schema, "fields": fields}
    if isinstance(columns, dict) and isinstance(columns.get("fields"), dict):
        names = ("transformationDescription", "transformationType")
        fields_of = {column: _with(field, *names) for column, field in columns["fields"].items()}
        facets["columnLineage"] = {**columns, "fields": fields_of}
    return facets


def _with(value: Any, *names: str) -> Any:
    return {**dict.fromkeys(names), **value} if isinstance(value, dict) else value


def _value(raw: Raw) -> Any:
    """A facet without members that are null; as it was sent if it nests or counts further than can be read."""
    try:
        return _without_nulls(_any.decode(raw))
    except (msgspec.DecodeError, RecursionError):
        return raw


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(member) for name, member in value.items() if member is not None}
    return [_without_nulls(member) for member in value] if isinstance(value, list) else value


def _object(raw: Raw | None) -> dict[str, Raw]:
    """Members of an object, read no further than that; none if it is no object."""
    return _members.decode(raw) if raw is not None and bytes(raw).startswith(b"{") else {}
