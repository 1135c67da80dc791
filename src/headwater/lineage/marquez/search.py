"""Search by a part of the name."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from headwater.graph.facts import NodeKind, Role
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.marquez.instants import instant
from headwater.lineage.marquez.logged_event import DecodedEvent, merged, sent
from headwater.lineage.marquez.parents import job_names
from headwater.lineage.marquez.version.event_datasets import in_event
from headwater.lineage.marquez.view import View
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.naming import namespace_id
from headwater.store.read.lists.nodes import NodeFilter
from headwater.store.read.reader import Name

__all__ = ["search", "search_datasets", "search_jobs"]

_MOST = 10_000
"""Matches that are sorted by the time of their last change, or filtered by it."""
_HITS = 100


def search(
    view: View,
    text: str,
    *,
    kind: NodeKind | None,
    sort: str,
    limit: int,
    namespace: str | None,
    after: int | None,
    before: int | None,
) -> dict[str, Any]:
    """Datasets and jobs whose name contains the text; `totalCount` is the number of all of them."""
    namespace_key = namespace_id(namespace) if namespace is not None else None
    wanted = NodeFilter(kind=kind, namespace=namespace_key, text=text, without=hidden_nodes(view.reader, view.tenant))
    by_time = sort == "UPDATE_AT" or after is not None or before is not None
    found = view.listing.nodes(view.tenant, wanted, limit=_MOST if by_time else limit)
    updated = _updated(view, found)
    if after is not None or before is not None:
        updated |= _settled(view, found)
        found = [
            name
            for name in found
            if (after is None or updated[name.id] > after) and (before is None or updated[name.id] < before)
        ]
        total = len(found)
    else:
        total = view.listing.count_nodes(view.tenant, wanted)
    if sort == "UPDATE_AT":
        found.sort(key=lambda name: updated[name.id], reverse=True)
    found = found[:limit]
    return {"totalCount": total, "results": _render(view, found, updated | _settled(view, found))}


def search_jobs(view: View, text: str) -> dict[str, Any]:
    """Jobs with the facets of their newest event, as the search with OpenSearch gives them."""
    names, events = _newest(view, text, NodeKind.JOB)
    hits = []
    for name in names:
        event = events[name.id].event
        kind = "JOB" if event.job is None else "BATCH"
        hits.append(
            {
                **_run_of(events[name.id]),
                "name": name.name,
                "type": kind,
                "namespace": name.namespace,
                "facets": sent(merged([event.job.facets])) if event.job else {},
                "runFacets": sent(merged([event.run_facets])),
            }
        )
    return {"hits": hits, "highlights": [_highlight(name, text) for name in names]}


def search_datasets(view: View, text: str) -> dict[str, Any]:
    """Datasets with the facets of the newest event that speaks of them."""
    names, events = _newest(view, text, NodeKind.DATASET)
    hits = []
    for name in names:
        event = events[name.id].event
        decoded = in_event(view, events[name.id], set(view.members([name.id])))
        read = [event_dataset.dataset for event_dataset in decoded if event_dataset.role is Role.INPUT]
        written = [event_dataset.dataset for event_dataset in decoded if event_dataset.role is Role.OUTPUT]
        about = [event.dataset] if event.dataset is not None else []
        hits.append(
            {
                **_run_of(events[name.id]),
                "name": name.name,
                "namespace": name.namespace,
                "facets": sent(merged(dataset.facets for dataset in (*read, *written, *about))),
                "inputFacets": merged(dataset.role_facets for dataset in read),
                "outputFacets": merged(dataset.role_facets for dataset in written),
            }
        )
    return {"hits": hits, "highlights": [_highlight(name, text) for name in names]}


def _updated(view: View, names: list[Name]) -> dict[bytes, int]:
    event_times = _event_times(view, [name.id for name in names])
    return {
        name.id: stamp_time(event_times[name.id]) if name.id in event_times else name.first_seen or 0 for name in names
    }


def _event_times(view: View, nodes: list[bytes]) -> dict[bytes, bytes]:
    """The newest stamp of each of these, under whatever name."""
    names = {node: list(view.members([node])) for node in nodes}
    event_times = view.listing.last_event_times(view.tenant, [name for group in names.values() for name in group])
    stamps = {node: [event_times[name] for name in group if name in event_times] for node, group in names.items()}
    return {node: max(found) for node, found in stamps.items() if found}


def _settled(view: View, names: list[Name]) -> dict[bytes, int]:
    """Datasets whose newest version was made by their newest event show the time at which that was."""
    event_times = _event_times(view, [name.id for name in names if name.kind is NodeKind.DATASET])
    events = view.stated_at(list(event_times.values()))
    found = {}
    for node, stamp in event_times.items():
        item = events.get(stamp)
        event_dataset = next(iter(in_event(view, item, set(view.members([node])))), None) if item is not None else None
        if event_dataset is not None:
            found[node] = event_dataset.written_at
    return found


def _render(view: View, names: list[Name], updated: dict[bytes, int]) -> list[dict[str, Any]]:
    jobs = job_names(view, [name.id for name in names if name.kind is NodeKind.JOB])
    answer = []
    for name in names:
        shown = jobs[name.id].name if name.id in jobs else name.name
        answer.append(
            {
                "type": name.kind.name,
                "name": shown,
                "updatedAt": instant(updated[name.id]),
                "namespace": name.namespace,
                "nodeId": f"{name.kind.name.lower()}:{name.namespace}:{shown}",
            }
        )
    return answer


def _newest(view: View, text: str, kind: NodeKind) -> tuple[list[Name], dict[bytes, DecodedEvent]]:
    wanted = NodeFilter(kind=kind, text=text, without=hidden_nodes(view.reader, view.tenant))
    names = view.listing.nodes(view.tenant, wanted, limit=_HITS)
    event_times = view.listing.last_event_times(view.tenant, [name.id for name in names])
    events = view.stated_at(list(event_times.values()))
    found = {node: events[stamp] for node, stamp in event_times.items() if stamp in events}
    return [name for name in names if name.id in found], found


def _run_of(item: DecodedEvent) -> dict[str, Any]:
    run = item.event.run_id
    return {"run_id": str(UUID(bytes=run)) if run else None, "eventType": item.event.event_type}


def _highlight(name: Name, text: str) -> dict[str, list[str]]:
    start = name.name.lower().find(text.lower())
    if start < 0:
        return {}
    end = start + len(text)
    return {"name": [f"{name.name[:start]}<em>{name.name[start:end]}</em>{name.name[end:]}"]}
