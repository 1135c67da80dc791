"""Creates things by hand: charts and dashboards with their information, and missing ends of edges.

Each is an event as a producer would send it: a dataset event with a `datasetType`, or a job event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.annotations.notes import INFORMATION, MADE, TOLD, YES
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.by_hand.urns import asset_id
from headwater.lineage.edits.event import EDITS, Remark, encode_event
from headwater.openlineage.times import format_time

__all__ = ["Information", "Told", "creation_events", "made_remarks", "read_told", "thing_event", "told_remark"]

_ASSETS = (EndType.CHART, EndType.DASHBOARD)
_FACET = {"_producer": EDITS, "_schemaURL": f"{EDITS}#facet"}


class Information(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Information about a chart or dashboard."""

    title: str = ""
    url: str = ""
    tool: str = ""
    description: str = ""
    owners: Sequence[str] = ()
    properties: dict[str, str] = {}


class Told(Struct, frozen=True):
    """Information about a thing after a change, and before it."""

    now: Information
    before: Information


def creation_events(at: int, ends: Sequence[End]) -> Iterator[bytes]:
    """Events that create charts and dashboards which do not exist, or whose type nobody has stated."""
    for end in ends:
        if end.type in _ASSETS:
            yield thing_event(at, end, Information(title=asset_id(end.type, end.name)))


def made_remarks(ends: Sequence[End]) -> list[Remark]:
    """Notes that somebody made these, in the event that states their edges; they make datasets and jobs."""
    return [_remark(end, MADE, YES) for end in ends]


def told_remark(end: End, now: Information, before: Information) -> Remark:
    """Note of a change of information about a thing, for the history."""
    return _remark(end, TOLD, msgspec.json.encode(Told(now, before)).decode())


def read_told(value: str | None) -> Told | None:
    """Content of such a note; None if it has another form."""
    try:
        return msgspec.json.decode(value or "", type=Told)
    except msgspec.DecodeError:
        return None


def _remark(end: End, kind: str, value: str) -> Remark:
    return Remark("JOB" if end.is_job else "DATASET", kind, value, end.namespace, end.name)


def thing_event(at: int, end: End, about: Information, *, is_all: bool = False) -> bytes:
    """An event with information by hand; `is_all`: it replaces all other information by hand."""
    named: dict[str, Any] = {"namespace": end.namespace, "name": end.name}
    facets: dict[str, Any] = {}
    if about.description or is_all:
        facets["documentation"] = {**_FACET, "description": about.description}
    if about.owners or is_all:
        facets["ownership"] = {**_FACET, "owners": [{"name": name} for name in about.owners]}
    is_asset = end.type in _ASSETS
    known = {"title": about.title, "url": about.url, "tool": about.tool or (end.namespace if is_asset else "")}
    said: dict[str, Any] = {name: text for name, text in known.items() if text}
    if about.properties:
        said["properties"] = dict(sorted(about.properties.items()))
    if said or is_all:
        facets[INFORMATION] = {**_FACET, **said}
    if end.is_job:
        return encode_event("JobEvent", format_time(at), EDITS, {"job": {**named, "facets": facets}})
    if is_asset:
        facets["datasetType"] = {**_FACET, "datasetType": end.type.value.upper()}
    return encode_event("DatasetEvent", format_time(at), EDITS, {"dataset": {**named, "facets": facets}})
