"""Shortest ways against all ways there are, in graphs that are small enough to list them."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.graph.shortest_paths import before, count_paths, has_longer, shortest_paths
from headwater.graph.walk import walk

graphs = st.dictionaries(st.integers(0, 5), st.sets(st.integers(0, 5), max_size=3), max_size=6)


def every_way(graph: dict[int, set[int]], way: tuple[int, ...], end: int) -> Iterator[tuple[int, ...]]:
    """All ways on from there to the end that pass no node twice and end where they first meet it."""
    if way[-1] == end:
        yield way
        return
    for other in graph.get(way[-1], set()) - set(way):
        yield from every_way(graph, (*way, other), end)


@settings(max_examples=400)
@given(graphs, st.integers(1, 5))
def test_ways_are_those_of_a_list(graph: dict[int, set[int]], end: int) -> None:
    found = walk([0], lambda level: {node: graph.get(node, set()) for node in level}, depth=10)
    preceding = before(found)
    ways = sorted(every_way(graph, (0,), end), key=len)
    assert (end in found.depths) is bool(ways)
    if not ways:
        return
    shortest = sorted(way for way in ways if len(way) == len(ways[0]))
    assert sorted(map(tuple, shortest_paths(preceding, end))) == shortest
    assert count_paths(found, preceding)[end] == len(shortest)
    assert found.depths[end] == len(shortest[0]) - 1
    if has_longer(found, preceding, [end]):
        assert len(ways) > len(shortest)


@settings(max_examples=400)
@given(graphs, st.integers(1, 5))
def test_whether_there_are_longer_ones(graph: dict[int, set[int]], end: int) -> None:
    found = walk([0], lambda level: {node: graph.get(node, set()) for node in level}, depth=10)
    ways = list(every_way(graph, (0,), end))
    if ways:
        assert has_longer(found, before(found), [end]) is (len({len(way) for way in ways}) > 1)


def test_so_many_detours_that_it_is_left_open() -> None:
    """More than 200 edges lead back or aside, and none of them makes a way of its own."""
    graph = {0: set(range(1, 30)), **{node: set(range(1, 30)) - {node} for node in range(1, 30)}}
    graph[29] = {30}
    found = walk([0], lambda level: {node: graph.get(node, set()) for node in level}, depth=10)
    assert has_longer(found, before(found), [30]) in (True, None)
    aside = {0: {1, 99}, 1: set(), 99: set(range(2, 300)), **{node: {99} for node in range(2, 300)}}
    aside[99] |= {1}
    found = walk([0], lambda level: {node: aside.get(node, set()) for node in level}, depth=10)
    assert has_longer(found, before(found), [1]) is True


def test_a_detour_from_another_shortest_way_than_the_first() -> None:
    graph = {0: {2, 5}, 2: {3}, 5: {0, 1, 3}, 3: {0, 2, 5}}
    found = walk([0], lambda level: {node: graph.get(node, set()) for node in level}, depth=10)
    assert has_longer(found, before(found), [1]) is True
