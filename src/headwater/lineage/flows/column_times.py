"""First and last time of column edges, and whether they are current: part of the flows as of now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from headwater.graph.current.window import NOW
from headwater.lineage.flows.edge_times import SeenTimes, seen_members
from headwater.lineage.flows.neighbours import Flow
from headwater.openlineage.identity import stamp_time
from headwater.store.read.reader import Reader

__all__ = ["ColumnEnds", "column_times"]

ColumnEnds = tuple[bytes, bytes, tuple[bytes, ...]]
"""The datasets of both columns, source first, and the shapes that state the edge and count."""


def column_times(reader: Reader, flow: Flow, edges: Sequence[ColumnEnds]) -> list[dict[str, Any]]:
    """The times of each of these edges, as answers show them."""
    until_next_event = flow.until_next_event
    missing = {edge for edge in edges if edge[::2] not in until_next_event.get(edge[1], ())}
    if missing:
        for (source, target, shapes), members in _looked_up(reader, flow, missing):
            until_next_event.setdefault(target, {})[source, shapes] = members
    return [until_next_event[target][source, shapes] for source, target, shapes in edges]


def _looked_up(reader: Reader, flow: Flow, edges: Iterable[ColumnEnds]) -> Iterable[tuple[ColumnEnds, dict[str, Any]]]:
    now = Flow(reader, flow.tenant, lookup=flow.lookup, window=NOW)
    gone = now.dropped({end for edge in edges for end in edge[:2]})
    current = flow.shapes_as_of_now(now, {target for _, target, _ in edges})
    rows = flow.applying.times({shape for _, _, shapes in edges for shape in shapes})
    times = {shape: (first, stamp_time(last) if last is not None else None) for shape, first, last in rows}
    for edge in edges:
        source, target, shapes = edge
        stating = current[target]
        is_there = source not in gone and target not in gone
        seen = SeenTimes(is_current=is_there and (stating is None or not stating.isdisjoint(shapes)))
        for shape in shapes:
            seen.add(*times.get(shape, (None, None)))
        yield edge, seen_members(seen)
