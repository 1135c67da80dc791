"""When column edges were seen first and last, and whether they are current: stated by what feeds a dataset now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headwater.graph.current.window import NOW
from headwater.lineage.columns import Stated
from headwater.lineage.edge_times import Seen, seen_members
from headwater.lineage.flow import Flow
from headwater.openlineage.identity import stamp_time
from headwater.store.read import Reader
from headwater.store.shapes import Column

__all__ = ["ColumnTimes"]

_EVIDENCE = "SELECT shape, first_seen, [last] FROM evidence WHERE tenant = ? AND shape {ids}"


class ColumnTimes:
    """The times of the column edges of one answer, worked out from the shapes that state them."""

    def __init__(self, reader: Reader, flow: Flow, shapes: Mapping[bytes, Iterable[bytes]]) -> None:
        """`shapes` are those that are asked about, by the dataset that they write."""
        self._flow = flow
        self._now = Flow(reader, flow.tenant, lookup=flow.lookup, window=NOW)
        self._seen = self._looked_up({target: set(listed) for target, listed in shapes.items()})
        self._members: dict[tuple[bytes, bytes, tuple[bytes, ...]], dict[str, Any]] = {}

    @classmethod
    def of_edges(cls, reader: Reader, flow: Flow, edges: Iterable[tuple[Column, Column, Stated]]) -> ColumnTimes:
        """The times of these edges, each with its source and its target."""
        shapes: dict[bytes, set[bytes]] = {}
        for _, (target, _), stated in edges:
            shapes.setdefault(target, set()).update(stated.shapes)
        return cls(reader, flow, shapes)

    def members(self, source: bytes, target: bytes, shapes: tuple[bytes, ...]) -> dict[str, Any]:
        """The times of an edge from a column of one dataset to one of another, as answers show them."""
        key = source, target, shapes
        known = self._members.get(key)
        if known is None:
            known = self._members[key] = seen_members(self.seen(source, target, shapes))
        return known

    def seen(self, source: bytes, target: bytes, shapes: Iterable[bytes]) -> Seen:
        found = Seen(is_current=False)
        for shape in shapes:
            seen = self._seen[target][shape]
            found.add(seen.first, seen.last)
            found.is_current = found.is_current or seen.is_current
        if found.is_current and self._now.dropped([source, target]):
            found.is_current = False
        return found

    def _looked_up(self, shapes: Mapping[bytes, set[bytes]]) -> dict[bytes, Mapping[bytes, Seen]]:
        recent = self._flow.recent
        found: dict[bytes, Mapping[bytes, Seen]] = {}
        unknown: dict[bytes, set[bytes]] = {}
        for target, listed in shapes.items():
            known = recent.get(target)
            if known is not None and known.keys() >= listed:
                found[target] = known
            else:
                unknown[target] = listed | (known.keys() if known is not None else set())
        if not unknown:
            return found
        flow, wanted = self._flow, set[bytes]().union(*unknown.values())
        times = {
            shape: (first, stamp_time(last) if last is not None else None)
            for shape, first, last in flow.lookup.rows(_EVIDENCE, flow.tenant, wanted)
        }
        current = flow.shapes_as_of_now(self._now, unknown)
        self._now.dropped(unknown)
        for target, listed in unknown.items():
            seen = {shape: Seen(*times.get(shape, (None, None)), shape in current[target]) for shape in listed}
            found[target] = recent[target] = seen
        return found
