"""Changes through Marquez' API as events of the log, since the graph is a fold of it."""

from __future__ import annotations

from typing import Any

import msgspec

from headwater.graph.annotations.notes import TAKEN_BACK, YES
from headwater.lineage.edits.event import Remark, encode_event
from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.logged_event import API
from headwater.lineage.marquez.runs import RUN_FACET

__all__ = [
    "dataset_event",
    "hide",
    "job_event",
    "run_event",
    "tag",
    "tag_definition",
]

_FACET = {"_producer": API, "_schemaURL": f"{API}#facet"}
_Named = dict[str, str]


def tag(kind: str, namespace: str, about: str, name: str, *, column: str = "") -> Remark:
    return Remark(kind, "tag", YES, namespace, about, column, name)


def tag_definition(name: str, description: str | None) -> Remark:
    return Remark("TAGS", "tag", msgspec.json.encode({"description": description}).decode(), name=name)


def hide(kind: str, namespace: str, about: str = "", *, undo: bool = False) -> Remark:
    return Remark(kind, "hidden", TAKEN_BACK if undo else YES, namespace, about)


def dataset_event(
    time: int,
    namespace: str,
    name: str,
    *,
    fields: list[dict[str, Any]],
    source: _Named | None,
    description: str | None,
) -> bytes:
    """A dataset as somebody describes it by the older API."""
    facets: dict[str, Any] = {}
    if fields:
        facets["schema"] = {**_FACET, "fields": fields}
    if source is not None:
        facets["dataSource"] = {**_FACET, **source}
    if description is not None:
        facets["documentation"] = {**_FACET, "description": description}
    return _encode("DatasetEvent", time, {"dataset": {"namespace": namespace, "name": name, "facets": facets}})


def job_event(
    time: int,
    namespace: str,
    name: str,
    *,
    kind: str,
    inputs: list[_Named],
    outputs: list[_Named],
    location: str | None,
    description: str | None,
) -> bytes:
    """A job as somebody describes it by the older API."""
    facets: dict[str, Any] = {}
    if kind == "STREAM":
        facets["jobType"] = {**_FACET, "processingType": "STREAMING"}
    if location is not None:
        facets["sourceCodeLocation"] = {**_FACET, "type": "url", "url": location}
    if description is not None:
        facets["documentation"] = {**_FACET, "description": description}
    job = {"namespace": namespace, "name": name, "facets": facets}
    return _encode("JobEvent", time, {"job": job, "inputs": inputs, "outputs": outputs})


def run_event(
    time: int,
    run: str,
    job: _Named,
    *,
    kind: str | None,
    inputs: list[_Named],
    outputs: list[_Named],
    made: dict[str, Any] | None = None,
) -> bytes:
    """A run that is made, started or ended by the older API; one that is only made has no event type yet."""
    facets = {RUN_FACET: {**_FACET, **made}} if made is not None else {}
    members = {"run": {"runId": run, "facets": facets}, "job": job, "inputs": inputs, "outputs": outputs}
    return _encode("RunEvent", time, ({"eventType": kind} if kind else {}) | members)


def _encode(kind: str, time: int, members: dict[str, Any]) -> bytes:
    return encode_event(kind, instant(time), API, members)
