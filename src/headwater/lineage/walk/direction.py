"""One direction of an answer: reached nodes, by their readable ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from msgspec import Struct, field

from headwater.graph.walk import EDGE_LIMIT

__all__ = ["Side", "contract"]

Edge = tuple[str, str]


class Side(Struct):
    """Nodes and edges; edges lead the way the data flows."""

    nodes: dict[str, dict[str, Any]]
    edges: dict[Edge, dict[str, Any]]
    """By the ids of both ends, which each edge also has itself, as `from` and `to`."""
    left_out: dict[str, int]
    """At which node how many neighbours are missing, because the answer would have become too large."""
    complete: bool
    """Whether the walk ended by itself, not at the depth that was asked for."""
    hidden: int = 0
    """Nodes that the filters hide."""
    keys: dict[str, bytes] = field(default_factory=dict)
    """Ids of the nodes that are datasets or jobs, or columns of such."""
    masking_unknown: int | None = None
    """Columns that a filter by masking hides because it is not known whether values reach them masked."""

    @property
    def truncated(self) -> bool:
        return bool(self.left_out)

    def answer(self) -> dict[str, Any]:
        unknown = {} if self.masking_unknown is None else {"masking_unknown": self.masking_unknown}
        return {
            "nodes": sorted(self.nodes.values(), key=itemgetter("depth", "id")),
            "edges": [self.edges[ends] for ends in sorted(self.edges)],
            "truncated": self.truncated,
            "left_out": self.left_out,
            "complete": self.complete,
            "hidden": self.hidden,
            **unknown,
        }


def contract(side: Side, shows: Callable[[dict[str, Any]], bool]) -> Side:
    """Without these nodes: an edge takes the place of the way through them and counts them."""
    kept = {node_id: node for node_id, node in side.nodes.items() if shows(node)}
    following: dict[str, list[str]] = defaultdict(list)
    for one, other in side.edges:
        following[one].append(other)
    edges: dict[Edge, dict[str, Any]] = {}
    left_out = {node: count for node, count in side.left_out.items() if node in kept or node not in side.nodes}
    for start in kept:
        seen, level, between = {start}, [start], 0
        while level:
            beyond = []
            for node in level:
                for other in following[node]:
                    if other in seen:
                        continue
                    seen.add(other)
                    if other not in kept:
                        beyond.append(other)
                    elif len(edges) >= EDGE_LIMIT:
                        left_out[start] = left_out.get(start, 0) + 1
                    else:
                        bridge = {"from": start, "to": other, "kind": "FLOW", "hidden": between}
                        edges[start, other] = bridge if between else side.edges[start, other]
            level, between = beyond, between + 1
    hidden = side.hidden + len(side.nodes) - len(kept)
    return Side(kept, edges, left_out, side.complete, hidden, side.keys, side.masking_unknown)
