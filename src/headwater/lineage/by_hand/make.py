"""Creates things by hand: charts and dashboards with their information, and missing ends of edges.

Each is an event as a producer would send it: a dataset event with a `datasetType`, or a job event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from headwater.graph.annotations.notes import MADE, YES
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.by_hand.urns import asset_id
from headwater.lineage.edits.event import EDITS, Remark, encode_event
from headwater.openlineage.times import format_time

__all__ = ["INFORMATION", "Information", "creation_events", "made_remarks", "thing_event"]

INFORMATION = "headwater_information"
"""Dataset facet with the information about a chart or dashboard."""
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


def creation_events(at: int, ends: Sequence[End]) -> Iterator[bytes]:
    """Events that create charts and dashboards which do not exist, or whose type nobody has stated."""
    for end in ends:
        if end.type in _ASSETS:
            yield thing_event(at, end, Information(title=asset_id(end.type, end.name)))


def made_remarks(ends: Sequence[End]) -> list[Remark]:
    """Notes that make datasets and jobs which do not exist, in the event that states their edges."""
    return [
        Remark("JOB" if end.is_job else "DATASET", MADE, YES, end.namespace, end.name)
        for end in ends
        if end.type not in _ASSETS
    ]


def thing_event(at: int, end: End, about: Information) -> bytes:
    """An event that creates or describes a thing by hand."""
    named: dict[str, Any] = {"namespace": end.namespace, "name": end.name}
    facets: dict[str, Any] = {}
    if about.description:
        facets["documentation"] = {**_FACET, "description": about.description}
    if about.owners:
        facets["ownership"] = {**_FACET, "owners": [{"name": name} for name in about.owners]}
    is_asset = end.type in _ASSETS
    known = {"title": about.title, "url": about.url, "tool": about.tool or (end.namespace if is_asset else "")}
    said: dict[str, Any] = {name: text for name, text in known.items() if text}
    if about.properties:
        said["properties"] = dict(sorted(about.properties.items()))
    if said:
        facets[INFORMATION] = {**_FACET, **said}
    if end.is_job:
        return encode_event("JobEvent", format_time(at), EDITS, {"job": {**named, "facets": facets}})
    if is_asset:
        facets["datasetType"] = {**_FACET, "datasetType": end.type.value.upper()}
    return encode_event("DatasetEvent", format_time(at), EDITS, {"dataset": {**named, "facets": facets}})
