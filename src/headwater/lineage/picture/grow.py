"""Which nodes a picture has: steps from the start each way, one more step from nodes that are expanded, up to a limit.

Pure: neighbours are asked for by level. Each direction is walked for itself, as for lineage, and both share the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field

__all__ = ["MOST_FLOWS", "Expansion", "Grown", "Neighbours", "grow"]

Neighbours = Callable[[list[bytes]], Mapping[bytes, Collection[bytes]]]
MOST_FLOWS = 5_000


class Expansion(Struct, frozen=True):
    node: bytes
    down: bool
    text: str
    """As it was asked for."""


class Grown(Struct):
    steps: dict[bytes, int]
    """By node, in the order in which they were met, its distance from the start; negative upstream."""
    flows: dict[tuple[bytes, bytes], None] = field(default_factory=dict)
    """(source, target), the way the data flows."""
    left_out: set[bytes] = field(default_factory=set)
    """Neighbours for which there was no room."""
    flows_left_out: set[tuple[bytes, bytes]] = field(default_factory=set)
    asked: dict[bool, dict[bytes, None]] = field(default_factory=lambda: {True: {}, False: {}})
    """Downstream and upstream: nodes whose neighbours are drawn."""
    refused: list[str] = field(default_factory=list)
    """Expansions whose node is not there."""


def grow(
    starts: Iterable[bytes],
    hops: Mapping[bool, Neighbours],
    sides: Sequence[bool],
    *,
    steps: int,
    limit: int,
    expansions: Sequence[Expansion] = (),
) -> Grown:
    """`hops` by whether it goes downstream; `sides` are those to walk.

    >>> down = lambda level: {node: [node + b"x"] for node in level}
    >>> grow([b"a"], {True: down}, [True], steps=2, limit=9).steps
    {b'a': 0, b'ax': 1, b'axx': 2}
    """
    found: Grown = Grown(dict.fromkeys(starts, 0))
    seen = {down: set(found.steps) for down in sides}
    level = {down: list(found.steps) for down in sides}
    for distance in range(1, steps + 1):
        for down in sides:
            following: list[bytes] = []
            found.asked[down].update(dict.fromkeys(level[down]))
            for node, others in _asked(hops[down], level[down]):
                for other in others:
                    if not _add(found, node, other, distance if down else -distance, down=down, limit=limit):
                        continue
                    if other not in seen[down]:
                        seen[down].add(other)
                        following.append(other)
            level[down] = following
    _expand(found, hops, expansions, limit)
    return found


def _expand(found: Grown, hops: Mapping[bool, Neighbours], expansions: Sequence[Expansion], limit: int) -> None:
    """One more step from each of these nodes; one may lead to the node of another."""
    waiting = list(dict.fromkeys(expansions))
    while waiting:
        ready = {(item.node, item.down) for item in waiting if item.node in found.steps}
        if not ready:
            break
        waiting = [item for item in waiting if (item.node, item.down) not in ready]
        for down in (False, True):
            nodes = [node for node in found.steps if (node, down) in ready]
            found.asked[down].update(dict.fromkeys(nodes))
            for node, others in _asked(hops[down], nodes):
                for other in others:
                    _add(found, node, other, found.steps[node] + (1 if down else -1), down=down, limit=limit)
    found.refused = [item.text for item in waiting]


def _asked(hops: Neighbours, level: list[bytes]) -> Iterable[tuple[bytes, list[bytes]]]:
    answers = hops(level) if level else {}
    return [(node, sorted(answers.get(node, ()))) for node in level]


def _add(found: Grown, node: bytes, other: bytes, step: int, *, down: bool, limit: int) -> bool:
    """Add a flow and, if it is new, the neighbour; false if there was no room for that."""
    flow = (node, other) if down else (other, node)
    if other not in found.steps:
        if len(found.steps) >= limit:
            found.left_out.add(other)
            found.flows_left_out.add(flow)
            return False
        found.steps[other] = step
    if flow not in found.flows and len(found.flows) >= MOST_FLOWS:
        found.flows_left_out.add(flow)
    else:
        found.flows[flow] = None
    return True
