"""Notes made by hand: an event of Headwater's own, whose job facet says what was noted about what."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.fact import Fact
from headwater.graph.facts import Evidence, Note, Shape
from headwater.graph.notes import SOURCES, TAGS, note_id
from headwater.interpret.describe import Description
from headwater.interpret.places import namespace_facts
from headwater.openlineage.event import Event, EventKind
from headwater.openlineage.facets import read_facet
from headwater.openlineage.identity import digest, stamp
from headwater.openlineage.naming import clean, dataset_name, job_id, namespace_id

__all__ = ["NOTES", "description_of_notes", "has_notes", "note_facts"]

NOTES = "headwater_notes"
"""The job facet that holds them."""
_SHAPE = digest("shape of notes")
_JOB = EventKind.JOB
_PLACES = {"TAGS": TAGS, "SOURCES": SOURCES}


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


def has_notes(event: Event) -> bool:
    return event.kind is _JOB and event.job is not None and NOTES in event.job.facets


def description_of_notes(tenant: int) -> Description:
    """Notes describe no job and no dataset; all of them are of one shape."""
    header = Shape(tenant, _SHAPE, kind=EventKind.JOB.value, origin="manual")
    return Description(_SHAPE, None, (), (), None, (), (header,), (), (), 0)


def note_facts(event: Event, tenant: int) -> list[Fact]:
    """Every note, stamped with its event: of two notes on the same thing the later holds."""
    event_stamp = stamp(event.time, event.fingerprint)
    facts: list[Fact] = [Evidence(tenant, _SHAPE, first_seen=event.time, last=event_stamp)]
    job_facets = event.job.facets if event.job else {}
    facet = read_facet(Notes, job_facets, NOTES, "$.job.facets", event.warnings)
    for item in facet.notes if facet else ():
        about = _about(item.about)
        if about is None or not item.kind:
            continue
        kind, column, name = clean(item.kind), clean(item.column), clean(item.name)
        members: dict[str, Any] = {"kind": kind, "column": column or None, "name": name or None}
        value = (event_stamp, clean(item.value))
        facts.append(Note(tenant, about, note_id(kind, column, name), **members, value=value, first_seen=event.time))
        if item.about.type == "NAMESPACE":
            namespace, addresses = namespace_facts(tenant, clean(item.about.namespace).strip())
            facts += [msgspec.structs.replace(namespace, first_seen=event.time), *addresses]
    return facts


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
