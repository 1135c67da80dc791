"""Nodes that are not drawn, and the flows that lead through them: one flow takes the place of each way. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable

__all__ = ["contract", "end_points"]

Edge = tuple[bytes, bytes]


def contract(
    nodes: Collection[bytes],
    flows: Collection[Edge],
    shows: Callable[[bytes], bool],
    *,
    counts: Callable[[bytes], bool] = lambda _: True,
    most: int = 1 << 30,
) -> tuple[dict[Edge, int], int]:
    """The flows between nodes that are shown, each with the fewest that it leads through; and how many are too many.

    `counts`: whether a node counts as one that is led through.

    >>> contract([b"a", b"b", b"c"], [(b"a", b"b"), (b"b", b"c")], lambda node: node != b"b")
    ({(b'a', b'c'): 1}, 0)
    """
    following: dict[bytes, list[bytes]] = defaultdict(list)
    for source, target in flows:
        following[source].append(target)
    found: dict[Edge, int] = {}
    left_out = 0
    for start in nodes:
        if not shows(start):
            continue
        for target, between in _beyond(start, following, shows, counts).items():
            if (start, target) not in found and len(found) >= most:
                left_out += 1
            else:
                found[start, target] = between
    return found, left_out


def _beyond(
    start: bytes, following: dict[bytes, list[bytes]], shows: Callable[[bytes], bool], counts: Callable[[bytes], bool]
) -> dict[bytes, int]:
    """The nodes that are shown next to one, with how many lie between, the nearest way first."""
    found: dict[bytes, int] = {}
    distances = {start: 0}
    levels: dict[int, list[bytes]] = {0: [start]}
    while levels:
        between = min(levels)
        for node in levels.pop(between):
            if distances[node] < between:
                continue
            for other in following.get(node, ()):
                if shows(other):
                    if other != start and between < found.get(other, between + 1):
                        found[other] = between
                    continue
                far = between + counts(other)
                if far < distances.get(other, far + 1):
                    distances[other] = far
                    levels.setdefault(far, []).append(other)
    return found


def end_points(nodes: Iterable[bytes], flows: Collection[Edge]) -> set[bytes]:
    """Nodes that nothing flows into, or out of.

    >>> sorted(end_points([b"a", b"b", b"c"], [(b"a", b"b"), (b"b", b"c")]))
    [b'a', b'c']
    """
    sources, targets = {source for source, _ in flows}, {target for _, target in flows}
    return {node for node in nodes if node not in sources or node not in targets}
