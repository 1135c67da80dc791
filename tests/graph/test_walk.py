from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.walk import walk

graphs = st.dictionaries(st.integers(0, 12), st.sets(st.integers(0, 12), max_size=4), max_size=12)


def run(graph: dict, start: int, **limits):
    asked: list[int] = []

    def neighbours(level: list[int]) -> dict[int, set[int]]:
        asked.extend(level)
        return {node: graph.get(node, set()) for node in level}

    return walk([start], neighbours, **limits), asked


@given(graphs, st.integers(0, 12), st.integers(0, 6))
def test_distances_are_shortest_and_nobody_is_asked_twice(graph: dict, start: int, depth: int) -> None:
    found, asked = run(graph, start, depth=depth)
    expected, level = {start: 0}, {start}
    for distance in range(1, depth + 1):
        level = {other for node in level for other in graph.get(node, set())} - set(expected)
        expected |= dict.fromkeys(level, distance)
    assert found.depths == expected
    assert len(asked) == len(set(asked))
    assert sorted(found.edges) == sorted((node, other) for node in set(asked) for other in graph.get(node, set()))
    assert not found.truncated


def test_diamonds_cost_nothing() -> None:
    layers = {(layer, side): {(layer + 1, 0), (layer + 1, 1)} for layer in range(40) for side in (0, 1)}
    found, asked = run(layers, (0, 0), depth=50)
    assert len(found.depths) == 81
    assert len(asked) == 81


def test_what_is_left_out_is_counted() -> None:
    found, _ = run({0: set(range(1, 101))}, 0, depth=3, node_limit=10)
    assert len(found.depths) == 10
    assert found.truncated
    assert found.left_out == {0: 91}
