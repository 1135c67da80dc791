"""Event of a change by hand."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.annotations.notes import EDITS
from headwater.interpret.facets.notes import NOTES
from headwater.openlineage.times import format_time

__all__ = ["DATAHUB", "EDITS", "EdgeStatement", "Maker", "Remark", "encode_event", "notes_event", "now"]

_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"


DATAHUB = "DATAHUB"
"""The door of DataHub's clients, in `via`."""


class Maker(Struct, frozen=True):
    """Author of a change, the reason, and the door it came through."""

    actor: str = ""
    """The credential."""
    by: str = ""
    """A name, if it differs from the credential's."""
    reason: str = ""
    via: str = ""


class Remark(Struct, frozen=True):
    """One note: `type` is DATASET, JOB, NAMESPACE, TAGS or SOURCES; an empty value takes it back."""

    type: str
    kind: str
    value: str
    namespace: str = ""
    about: str = ""
    column: str = ""
    name: str = ""


class EdgeStatement(Struct, frozen=True, omit_defaults=True):
    """The statement about one edge: it exists (`edge`) or is hidden (`edge_hidden`); without a value, neither."""

    source: dict[str, str]
    """Type (DATASET or JOB), namespace, name, and perhaps column."""
    target: dict[str, str]
    kind: str
    value: dict[str, Any] | None
    by: str = ""
    """Author and reason, if they differ from those of the event."""
    reason: str = ""


def now() -> int:
    """The time of a change, in microseconds."""
    return time.time_ns() // 1000


def notes_event(
    at: int, remarks: list[Remark], maker: Maker, producer: str = EDITS, *, edges: Sequence[EdgeStatement] = ()
) -> bytes:
    """An event that states notes and edges by hand, and nothing else."""
    notes = [
        {
            "about": {"type": remark.type, "namespace": remark.namespace, "name": remark.about},
            "kind": remark.kind,
            "column": remark.column,
            "name": remark.name,
            "value": remark.value,
        }
        for remark in remarks
    ]
    made = {name: value for name, value in msgspec.structs.asdict(maker).items() if value}
    facet = {"_producer": producer, "_schemaURL": f"{producer}#facet", **made, "notes": notes}
    if edges:
        facet["edges"] = msgspec.to_builtins(edges)
    job = {"namespace": "headwater", "name": "notes", "facets": {NOTES: facet}}
    return encode_event("JobEvent", format_time(at), producer, {"job": job})


def encode_event(kind: str, at: str, producer: str, members: dict[str, Any]) -> bytes:
    head = {"eventTime": at, "producer": producer, "schemaURL": f"{_SPEC}{kind}"}
    return msgspec.json.encode(head | members)
