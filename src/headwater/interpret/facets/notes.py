"""Notes made by hand, read from Headwater's own events."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.annotations.notes import (
    MADE,
    NO,
    SAME_LOCATION,
    SOURCES,
    TAGS,
    TAKEN_BACK,
    YES,
    note_id,
)
from headwater.graph.fact import Fact
from headwater.graph.facts import (
    Edit,
    Evidence,
    LocationDecision,
    Node,
    NodeKind,
    Note,
    SameLocation,
    Seen,
    Shape,
)
from headwater.interpret.describe import Description
from headwater.interpret.facets.hand_edges import OneEdge, edge_facts
from headwater.interpret.facets.locations import namespace_facts
from headwater.openlineage.event import Event, EventKind
from headwater.openlineage.facets import read_facet
from headwater.openlineage.identity import digest, stamp, stamp_time
from headwater.openlineage.naming import clean, dataset_name, job_id, namespace_id

__all__ = ["NOTES", "description_of_notes", "has_notes", "note_facts"]

NOTES = "headwater_notes"
"""The job facet that holds them."""
_MADE = {"DATASET": NodeKind.DATASET, "JOB": NodeKind.JOB}
_SHAPE = digest("shape of notes")
_JOB = EventKind.JOB
_PLACES = {"TAGS": TAGS, "SOURCES": SOURCES}
_DECIDED = {YES: SameLocation.SAME, NO: SameLocation.APART, TAKEN_BACK: SameLocation.UNDECIDED}


class About(Struct, frozen=True, gc=False):
    type: str = ""
    namespace: str = ""
    name: str = ""


class OneNote(Struct, frozen=True, gc=False):
    about: About
    kind: str = ""
    column: str = ""
    name: str = ""
    value: str = ""


class Notes(Struct, frozen=True, gc=False):
    notes: list[OneNote] = []
    edges: list[OneEdge] = []
    actor: str = ""
    """The credential that the change came with."""
    by: str = ""
    reason: str = ""
    via: str = ""


def has_notes(event: Event) -> bool:
    return event.kind is _JOB and event.job is not None and NOTES in event.job.facets


def description_of_notes(tenant: int) -> Description:
    """Notes describe no job and no dataset; all of them are of one shape."""
    header = Shape(tenant, _SHAPE, kind=EventKind.JOB.value, origin="manual")
    return Description(_SHAPE, None, (), (), None, None, (), (header,), (), (), 0)


def note_facts(event: Event, tenant: int) -> list[Fact]:
    """Every note, stamped with its event: of two notes on the same thing the later holds."""
    event_stamp = stamp(event.time, event.fingerprint)
    facts: list[Fact] = [Evidence(tenant, _SHAPE, first_seen=event.time, last=event_stamp)]
    job_facets = event.job.facets if event.job else {}
    facet = read_facet(Notes, job_facets, NOTES, "$.job.facets", event.warnings)
    for item in facet.notes if facet else ():
        about = _about(item.about)
        if facet is None or about is None or not item.kind:
            continue
        facts += _facts_of(item, facet, about, tenant, event_stamp)
        if item.kind == MADE and item.about.type in _MADE:
            facts.append(_made_node(tenant, item.about, event.time))
        named = [item.about.namespace] if item.about.type == "NAMESPACE" or item.kind == MADE else []
        named += [item.name] if _is_decision(item) else []
        for text in named:
            namespace, addresses = namespace_facts(tenant, clean(text).strip())
            facts += [msgspec.structs.replace(namespace, first_seen=event.time), *addresses]
    if facet is not None and facet.edges:
        made = _made(facet)
        for edge in facet.edges:
            facts += edge_facts(tenant, edge, event_stamp, made)
    return facts


def _facts_of(item: OneNote, all_notes: Notes, about: bytes, tenant: int, event_stamp: bytes) -> list[Fact]:
    """The note, and the change in its history."""
    kind, column, name, value = clean(item.kind), clean(item.column), clean(item.name), clean(item.value)
    note, time = note_id(kind, column, name), stamp_time(event_stamp)
    members_of_edit = _made(all_notes)
    by = members_of_edit["by"]
    made = Edit(
        tenant,
        digest("edit", event_stamp, about, note),
        stamp=event_stamp,
        about=about,
        about_type=clean(item.about.type),
        note=note,
        kind=kind,
        column=column or None,
        name=name or None,
        value=value,
        **members_of_edit,
    )
    if _is_decision(item):
        one, other = sorted((about, namespace_id(name)))
        same = (event_stamp, int(_DECIDED.get(value, SameLocation.UNDECIDED)))
        return [made, LocationDecision(tenant, one, other, same=same, decided_by=(event_stamp, by) if by else None)]
    members: dict[str, Any] = {"kind": kind, "column": column or None, "name": name or None}
    return [made, Note(tenant, about, note, **members, value=(event_stamp, value), first_seen=time)]


def _made(said: Notes) -> dict[str, str | None]:
    """Author of a change, reason, and door."""
    actor = clean(said.actor) or None
    return {
        "actor": actor,
        "by": clean(said.by) or actor,
        "reason": clean(said.reason) or None,
        "via": clean(said.via) or None,
    }


def _made_node(tenant: int, about: About, time: int) -> Node:
    """A thing made by hand exists."""
    namespace, name = clean(about.namespace).strip(), clean(about.name).strip()
    if about.type == "JOB":
        node = job_id(namespace, name)
    else:
        known = dataset_name(namespace, name)
        node, namespace, name = known.id, known.namespace, known.name
    return Node(tenant, node, _MADE[about.type], namespace_id(namespace), name, Seen.SUBJECT, time)


def _is_decision(item: OneNote) -> bool:
    return item.kind == SAME_LOCATION and item.about.type == "NAMESPACE" and bool(item.name.strip())


def _about(about: About) -> bytes | None:
    if about.type in _PLACES:
        return _PLACES[about.type]
    if about.type == "NAMESPACE" and about.namespace.strip():
        return namespace_id(about.namespace)
    if not (about.namespace and about.name):
        return None
    if about.type == "DATASET":
        return dataset_name(about.namespace, about.name).id
    return job_id(about.namespace, about.name) if about.type == "JOB" else None
