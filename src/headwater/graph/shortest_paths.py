"""Shortest paths within a walk: count, list, and whether longer ones exist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import TypeVar

from headwater.graph.walk import Walk

__all__ = ["before", "count_paths", "has_longer", "shortest_paths"]

_N = TypeVar("_N")
_TRIES = 200
_STEPS = 5000
"""Number of paths tried one by one where detours alone do not decide: some milliseconds."""


def before(found: Walk[_N]) -> dict[_N, list[_N]]:
    """By node, those that lie before it on shortest ways from the start."""
    depths = found.depths
    preceding: dict[_N, list[_N]] = {node: [] for node in depths}
    for near, far in found.edges:
        if depths[far] == depths[near] + 1:
            preceding[far].append(near)
    return preceding


def count_paths(found: Walk[_N], preceding: dict[_N, list[_N]]) -> dict[_N, int]:
    """How many shortest ways lead to each node. Counted level by level, so a thousand diamonds cost nothing.

    >>> edges = {(0, 1), (0, 2), (1, 3), (2, 3)}
    >>> found = Walk({0: 0, 1: 1, 2: 1, 3: 2}, edges, {}, [])
    >>> count_paths(found, before(found))[3]
    2
    """
    ways: dict[_N, int] = {}
    for node, depth in found.depths.items():  # in the order of their depths
        ways[node] = 1 if depth == 0 else sum(ways[near] for near in preceding[node])
    return ways


def shortest_paths(preceding: dict[_N, list[_N]], end: _N) -> Iterator[list[_N]]:
    """Every shortest way to a node, one after the other, without holding them all."""
    waiting: list[list[_N]] = [[end]]
    while waiting:
        way = waiting.pop()
        nearer = preceding[way[-1]]
        if not nearer:
            yield way[::-1]
        waiting += [[*way, near] for near in nearer]


def has_longer(found: Walk[_N], preceding: dict[_N, list[_N]], ends: Collection[_N]) -> bool | None:
    """Whether some longer way leads there that passes no node twice; None when that would take too long to find out."""
    following: dict[_N, list[_N]] = defaultdict(list)
    backwards: dict[_N, list[_N]] = defaultdict(list)
    for near, far in found.edges:
        following[near].append(far)
        backwards[far].append(near)
    leads_there = _reached(ends, backwards, set())
    detours = [
        (near, far)
        for near, far in found.edges
        if found.depths[far] != found.depths[near] + 1 and far in leads_there and near not in ends
    ]
    shortest = min((found.depths[end] for end in ends if end in found.depths), default=0)
    if any(found.depths[end] > shortest for end in ends if end in found.depths):
        return True
    for near, far in detours[:_TRIES]:
        way = set(next(shortest_paths(preceding, near)))
        if far not in way and _reached([far], following, way) & set(ends):
            return True
    return _searched(found, following, leads_there, ends) if detours else False


def _searched(
    found: Walk[_N], following: dict[_N, list[_N]], leads_there: set[_N], ends: Collection[_N]
) -> bool | None:
    """The same by trying every path, if there are few: a detour may start from another path than the one tried."""
    waiting = [[node] for node, depth in found.depths.items() if depth == 0]
    for _ in range(_STEPS):
        if not waiting:
            return False
        way = waiting.pop()
        if way[-1] in ends:
            if len(way) - 1 > found.depths[way[-1]]:
                return True
            continue
        waiting += [[*way, far] for far in following[way[-1]] if far in leads_there and far not in way]
    return None


def _reached(starts: Collection[_N], following: dict[_N, list[_N]], avoiding: set[_N]) -> set[_N]:
    reached = set(starts)
    queue = list(starts)
    while queue:
        for other in following[queue.pop()]:
            if other not in reached and other not in avoiding:
                reached.add(other)
                queue.append(other)
    return reached
