from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.walk import EDGE_LIMIT, NODE_LIMIT, walk

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


@given(graphs, st.integers(0, 12), st.integers(0, 6), st.integers(1, 14), st.integers(0, 20))
def test_a_walk_that_left_something_out_says_so_and_no_other(
    graph: dict, start: int, depth: int, node_limit: int, edge_limit: int
) -> None:
    """Whichever cap it was, each on its own and both together."""
    for limits in (
        {"node_limit": node_limit},
        {"edge_limit": edge_limit},
        {"node_limit": node_limit, "edge_limit": edge_limit},
    ):
        found, asked = run(graph, start, depth=depth, **limits)
        whole, _ = run(graph, start, depth=depth)
        is_whole = found.depths == whole.depths and sorted(found.edges) == sorted(whole.edges)
        assert found.truncated is not is_whole
        assert len(found.depths) <= limits.get("node_limit", 99)
        assert len(found.edges) <= limits.get("edge_limit", 999)
        assert set(found.edges) <= set(whole.edges)
        assert sum(found.left_out.values()) == sum(len(graph.get(node, ())) for node in asked) - len(found.edges)
        assert set(found.left_out) <= set(asked) <= set(found.depths)
        assert all(node in found.depths for edge in found.edges for node in edge)


@given(graphs, st.integers(0, 12), st.integers(0, 6))
def test_what_was_not_asked_is_told(graph: dict, start: int, depth: int) -> None:
    found, asked = run(graph, start, depth=depth)
    assert set(found.unasked) == set(found.depths) - set(asked)


def test_the_caps_that_hold_where_nobody_names_one() -> None:
    wide = {0: set(range(1, 400)), **{node: set(range(1, 400)) for node in range(1, 400)}}
    assert (NODE_LIMIT, EDGE_LIMIT) == (10_000, 100_000)
    found, _ = run(wide, 0, depth=3)
    assert len(found.edges) == EDGE_LIMIT
    assert found.truncated
    found, _ = run({0: set(range(1, 20_000))}, 0, depth=1)
    assert len(found.depths) == NODE_LIMIT
    assert found.left_out == {0: 19_999 - (NODE_LIMIT - 1)}
