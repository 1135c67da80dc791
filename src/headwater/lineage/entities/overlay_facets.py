"""Facets of an overlay's version, from its publish and its recalls."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

import msgspec

from headwater.graph.facts import Role
from headwater.lineage.lists.listing import list_runs
from headwater.openlineage.decode import decode_event
from headwater.openlineage.event import Event
from headwater.openlineage.naming import dataset_name
from headwater.store.read.lists.runs import RunFilter
from headwater.store.read.reader import Reader

__all__ = ["overlay_facets"]

_OF_DATASET = ("datasetVersion", "gitdataProvenance")
_OF_RUN = ("gitdataSpv", "reorgFacet", "lifecycleStateChange")
_RECALL = "RECALL"
_MOST_RUNS = 8
_EVER = 1 << 62


def overlay_facets(reader: Reader, tenant: int, ids: Collection[bytes]) -> dict[str, Any]:
    """By name, from the newest event of each run that wrote the version; a publish goes before recalls."""
    wanted = RunFilter(datasets=frozenset(ids), roles=(int(Role.OUTPUT),))
    runs = list_runs(reader, tenant, wanted, "-first_seen", None, _MOST_RUNS).items
    found: dict[str, Any] = {}
    for run in sorted(runs, key=lambda item: item.group == _RECALL):
        logged = reader.events(tenant, after=-_EVER, before=_EVER, limit=1, offset=0, run=UUID(run.run).bytes)
        for event in (decode_event(one.body) for one in logged):
            for name, raw in _said(event, ids).items():
                found.setdefault(name, raw)
    return found


def _said(event: Event, ids: Collection[bytes]) -> dict[str, Any]:
    raw = {name: event.run_facets[name] for name in _OF_RUN if name in event.run_facets}
    for output in event.outputs:
        if dataset_name(output.namespace, output.name).id in ids:
            raw |= {name: output.facets[name] for name in _OF_DATASET if name in output.facets}
    decoded = {name: msgspec.json.decode(value) for name, value in raw.items()}
    return {name: _own(value) for name, value in decoded.items() if isinstance(value, dict)}


def _own(facet: dict[str, Any]) -> dict[str, Any]:
    """A facet without the addresses of its producer and its schema, as facets are shown."""
    return {name: value for name, value in facet.items() if not name.startswith("_")}
