"""Edges made by hand, as an event of Headwater's own states them: each is stated, hidden, or taken back."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.annotations.notes import EDGE_HIDDEN, EDGE_STATED, TAKEN_BACK, note_id
from headwater.graph.current.hand_edges import hand_edge_id
from headwater.graph.fact import Fact
from headwater.graph.facts import Edit, HandEdge, Node, NodeKind, Seen
from headwater.interpret.facets.locations import namespace_facts
from headwater.openlineage.identity import digest, stamp_time
from headwater.openlineage.naming import clean, dataset_name, job_id, namespace_id

__all__ = ["EdgeEnd", "OneEdge", "edge_facts"]

_KINDS = {"DATASET": NodeKind.DATASET, "JOB": NodeKind.JOB}
_encode = msgspec.json.Encoder(order="deterministic").encode


class EdgeEnd(Struct, frozen=True, gc=False):
    """A dataset, one of its columns, or a job."""

    type: str = ""
    namespace: str = ""
    name: str = ""
    column: str = ""


class OneEdge(Struct, frozen=True, gc=False):
    source: EdgeEnd
    target: EdgeEnd
    kind: str = EDGE_STATED
    """edge: data flows there; edge_hidden: it is not to be shown."""
    value: dict[str, Any] | None = None
    """The statement about the edge; None if it is taken back."""
    by: str = ""
    """Author and reason, if they differ from those of the event."""
    reason: str = ""


class _End(Struct, frozen=True):
    id: bytes
    kind: NodeKind
    namespace: str
    name: str
    column: str


def edge_facts(tenant: int, item: OneEdge, event_stamp: bytes, made: dict[str, str | None]) -> list[Fact]:
    """Facts of an edge, and of its change by hand. An invalid edge has none."""
    source, target = _end(item.source), _end(item.target)
    if source is None or target is None or item.kind not in (EDGE_STATED, EDGE_HIDDEN):
        return []
    if bool(source.column) != bool(target.column) or source.id == target.id:
        return []
    time = stamp_time(event_stamp)
    value = clean(_encode(item.value).decode()) if item.value is not None else TAKEN_BACK
    edge, note = hand_edge_id(source.id, source.column, target.id, target.column), note_id(item.kind)
    own = {"by": clean(item.by), "reason": clean(item.reason)}
    said = {"stated" if item.kind == EDGE_STATED else "hidden": (event_stamp, value)}
    facts: list[Fact] = [
        HandEdge(
            tenant,
            edge,
            source=source.id,
            target=target.id,
            source_kind=int(source.kind),
            target_kind=int(target.kind),
            source_column=source.column or None,
            target_column=target.column or None,
            first_seen=time,
            **said,
        ),
        Edit(
            tenant,
            digest("edit", event_stamp, edge, note),
            stamp=event_stamp,
            about=edge,
            about_type="EDGE",
            note=note,
            kind=item.kind,
            value=value,
            **(made | {name: text for name, text in own.items() if text}),
        ),
    ]
    for end in (source, target):
        place, addresses = namespace_facts(tenant, end.namespace)
        facts += [msgspec.structs.replace(place, first_seen=time), *addresses]
        node = Node(tenant, end.id, end.kind, namespace_id(end.namespace), end.name, Seen.REFERENCE, time)
        facts.append(node)
    return facts


def _end(end: EdgeEnd) -> _End | None:
    namespace, name, column = clean(end.namespace).strip(), clean(end.name).strip(), clean(end.column)
    kind = _KINDS.get(end.type)
    if kind is None or not namespace or not name or (column and kind is not NodeKind.DATASET):
        return None
    if kind is NodeKind.JOB:
        return _End(job_id(namespace, name), kind, namespace, name, "")
    known = dataset_name(namespace, name)
    return _End(known.id, kind, known.namespace, known.name, column)
