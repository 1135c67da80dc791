"""Breadth-first walk by levels, with a visited set and limits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Generic, TypeVar

from msgspec import Struct

__all__ = ["EDGE_LIMIT", "NODE_LIMIT", "Walk", "walk"]

_N = TypeVar("_N")
NODE_LIMIT = 10_000
EDGE_LIMIT = 100_000


class Walk(Struct, Generic[_N], frozen=True):
    """Reached nodes, and whether some were left out."""

    depths: dict[_N, int]
    """Every node reached, with its distance from the start."""
    edges: Collection[tuple[_N, _N]]
    """(from, to) in the direction of the walk, between nodes that were reached; each once."""
    left_out: dict[_N, int]
    """At which nodes how many neighbours were left out, because of a cap."""
    unasked: list[_N]
    """Nodes at the greatest depth, whose neighbours were not asked for."""

    @property
    def truncated(self) -> bool:
        return bool(self.left_out)


def walk(
    starts: Iterable[_N],
    neighbours: Callable[[list[_N]], Mapping[_N, Collection[_N]]],
    *,
    depth: int,
    node_limit: int = NODE_LIMIT,
    edge_limit: int = EDGE_LIMIT,
) -> Walk[_N]:
    """Walk from the starts; neighbours of each node are read once, so cycles and diamonds cost nothing.

    Neighbours are given each once, as a set or the keys of a dictionary.

    >>> graph = {"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": {"a"}}
    >>> walk(["a"], lambda level: {node: graph[node] for node in level}, depth=9).depths["d"]
    2
    """
    depths: dict[_N, int] = dict.fromkeys(starts, 0)
    edges: list[tuple[_N, _N]] = []  # no node is asked twice, so no edge is met twice
    left_out: dict[_N, int] = {}
    level = list(depths)
    for distance in range(1, depth + 1):
        if not level:
            break
        following: list[_N] = []
        for node, found in neighbours(level).items():
            for other in found:
                if other not in depths:
                    if len(depths) >= node_limit or len(edges) >= edge_limit:
                        left_out[node] = left_out.get(node, 0) + 1
                        continue
                    depths[other] = distance
                    following.append(other)
                elif len(edges) >= edge_limit:
                    left_out[node] = left_out.get(node, 0) + 1
                    continue
                edges.append((node, other))
        level = following
    return Walk(depths, edges, left_out, level)
