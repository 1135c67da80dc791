"""Edges by hand: those in force at a time, in the form of shapes.

A stated edge is in force from then until a person removes it, independent of runs. One between datasets acts as a
dataset event, one from or to a job as a job event. A hidden edge is removed from the flows.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from headwater.graph.annotations.notes import PERSON, TAKEN_BACK
from headwater.graph.current.shape_body import ShapeBody, ShapePart
from headwater.graph.current.window import Window
from headwater.graph.facts import NodeKind
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import digest, stamp_time

__all__ = ["EdgeByHand", "body_of_edge", "columns_of_edge", "hand_edge_id", "value_in"]


class EdgeByHand(Struct, frozen=True, gc=False):
    """An edge with edits by hand."""

    edge: bytes
    source: bytes
    target: bytes
    source_kind: int
    target_kind: int
    source_column: str
    target_column: str
    stated: str
    """JSON; empty if it does not hold."""
    stated_at: int | None
    hidden: str
    """JSON; empty if it is shown."""
    first_seen: int | None

    @property
    def is_of_columns(self) -> bool:
        return bool(self.source_column)

    @property
    def from_job(self) -> bool:
        return self.source_kind == NodeKind.JOB

    @property
    def into_job(self) -> bool:
        return self.target_kind == NodeKind.JOB


def hand_edge_id(source: bytes, source_column: str, target: bytes, target_column: str) -> bytes:
    """The id of the edge between these ends."""
    return digest("edge by hand", source, source_column, target, target_column)


def body_of_edge(edge: EdgeByHand) -> ShapeBody:
    """An edge as the body of a shape.

    >>> ends = (b"a", b"j", NodeKind.DATASET, NodeKind.JOB, "", "")
    >>> body = body_of_edge(EdgeByHand(b"e", *ends, "{}", None, "", None))
    >>> body.job, list(body.reads), list(body.writes)
    (b'j', [b'a'], [])
    """
    source, target = edge.source, edge.target
    job = target if edge.into_job else source if edge.from_job else None
    kind = EventKind.DATASET if job is None else EventKind.JOB
    is_of_jobs = edge.into_job and edge.from_job
    return ShapeBody(
        edge.edge,
        kind.value,
        job,
        target if job is None else None,
        PERSON,
        None,
        None,
        inputs=(_part(source),) if edge.into_job and not edge.from_job else (),
        outputs=(_part(target),) if edge.from_job and not edge.into_job else (),
        subjects=(_part(target),) if job is None else (),
        references=(source,) if job is None else (),
        jobs=(source,) if is_of_jobs else (),
        edges=((source, target),) if job is None or is_of_jobs else (),
    )


def columns_of_edge(edge: EdgeByHand) -> list[tuple[bytes, bytes, bytes]]:
    """The columns of an edge, in the form in which shapes have them."""
    if not edge.is_of_columns:
        return []
    members = msgspec.json.decode(edge.stated).get("transformation") if edge.stated else None
    how = members if isinstance(members, dict) else {}
    told = [str(how.get("type") or "DIRECT"), str(how.get("subtype") or "UNKNOWN"), bool(how.get("masking"))]
    entry = [edge.source_column, edge.target_column, *told, str(how.get("description") or "")]
    return [(edge.source, edge.target, msgspec.json.encode([entry]))]


def value_in(window: Window, changes: Iterable[tuple[bytes, str]]) -> str:
    """The edits of an edge that apply: at a moment the last one; in a window each that held during a part of it.

    >>> from headwater.openlineage.identity import stamp
    >>> changes = [(stamp(5, b""), "{}"), (stamp(9, b""), "")]
    >>> value_in(Window(as_of=7), changes), value_in(Window(as_of=9), changes), value_in(Window(since=6), changes)
    ('{}', '', '{}')
    """
    since, until = window.bounds
    ordered = sorted(change for change in changes if stamp_time(change[0]) <= until)
    if not ordered:
        return TAKEN_BACK
    if window.as_of is not None:
        return ordered[-1][1]
    ends = [stamp_time(stamp) for stamp, _ in ordered[1:]]
    held = [value for (_, value), end in zip(ordered, [*ends, None], strict=True) if end is None or end >= since]
    return next((value for value in reversed(held) if value), TAKEN_BACK)


def _part(dataset: bytes) -> ShapePart:
    return ShapePart(dataset, None, 0, explicit=False)
