"""A picture shows the flows that lineage has, no more and no less, whatever the graph is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.graph.current.window import ALWAYS, Window
from headwater.lineage.picture.answer import Picture
from headwater.lineage.picture.options import PictureOptions
from headwater.lineage.picture.picture import picture
from headwater.lineage.walk.lineage import lineage
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.lineage.model import BASE, PLACE, Said

names = st.sampled_from("abcdefg")
columns = st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz"), st.booleans())


@st.composite
def said(draw: st.DrawFn, second: int) -> Said:
    kind = draw(st.sampled_from(["COMPLETE"] * 6 + ["FAIL", "START"]))
    some = st.lists(names, max_size=2, unique=True).map(tuple)
    run = draw(st.sampled_from([1, 2, 3, None]))
    return Said(
        second,
        draw(st.sampled_from("pqrs")),
        run,
        kind,
        inputs=draw(some),
        outputs=draw(some),
        drops=draw(st.sampled_from([(), (), (), ("g",)])) if run is not None else (),
        columns=tuple(draw(st.lists(columns, max_size=3, unique_by=lambda one: one[:2]))),
        schema=tuple(draw(st.sampled_from([(), ("x", "y"), ("x", "y", "z")]))),
    )


@st.composite
def logs(draw: st.DrawFn) -> list[Said]:
    return [draw(said(second)) for second in range(1, draw(st.integers(2, 9)))]


@contextmanager
def reading(log: list[Said]) -> Iterator[Reader]:
    with tempfile.TemporaryDirectory() as folder:
        store = SqlStore(f"sqlite:///{Path(folder) / 'headwater.db'}")
        store.open()
        store.write([entry_of(one.body()) for one in log])
        try:
            yield Reader(store.engine)
        finally:
            store.close()


def datasets_of(log: list[Said]) -> list[str]:
    return sorted({name for one in log for name in (*one.inputs, *one.outputs, *one.drops)})


def edges_of_lineage(reader: Reader, name: str, window: Window, granularity: str, depth: int) -> set[tuple[str, str]]:
    found = lineage(reader, 1, name, window=window, granularity=granularity, depth=depth)
    return {(edge["from"], edge["to"]) for side in ("upstream", "downstream") for edge in found[side]["edges"]}


def flows_of(shown: Picture) -> set[tuple[str, str]]:
    ids = {node.key: node.id for node in shown.nodes}
    assert len(ids) == len(shown.nodes)
    return {(ids[flow.source], ids[flow.target]) for flow in shown.flows}


some_steps = st.integers(1, 3)
moments = st.sampled_from([None, 2, 4, 7])
quietly = settings(max_examples=60, suppress_health_check=list(HealthCheck))


@quietly
@given(log=logs(), steps=some_steps, second=moments, start=st.integers(0, 6))
def test_flows_are_those_of_lineage(log: list[Said], steps: int, second: int | None, start: int) -> None:
    known = datasets_of(log)
    if not known:
        return
    window = ALWAYS if second is None else Window(as_of=BASE + second * 1_000_000)
    name = f"dataset:{PLACE}:{known[start % len(known)]}"
    with reading(log) as reader:
        for _ in range(2):  # the second time out of the cache
            shown = picture(reader, 1, name, PictureOptions(steps=steps, window=window))
            assert flows_of(shown) == edges_of_lineage(reader, name, window, "DATASET", steps)
            assert len({(flow.source, flow.target) for flow in shown.flows}) == len(shown.flows)
            assert shown.left_out.nodes == shown.left_out.flows == shown.left_out.hidden == 0
            by_job = picture(reader, 1, name, PictureOptions(steps=steps, window=window, granularity="JOB"))
            assert flows_of(by_job) == edges_of_lineage(reader, name, window, "JOB", 2 * steps)
            for flow in shown.flows:
                assert flow.via, "runs and job events alone make these flows, so each leads through a job"


@quietly
@given(log=logs(), start=st.integers(0, 6), side=st.sampled_from(["upstream", "downstream"]))
def test_expanding_keeps_what_was_there_and_adds_what_was_counted(log: list[Said], start: int, side: str) -> None:
    known = datasets_of(log)
    if not known:
        return
    name = f"dataset:{PLACE}:{known[start % len(known)]}"
    with reading(log) as reader:
        before = picture(reader, 1, name, PictureOptions())
        for node in before.nodes:
            after = picture(reader, 1, name, PictureOptions(expand=(f"{node.key}:{side}",)))
            assert flows_of(before) <= flows_of(after)
            steps = {shown.key: shown.step for shown in after.nodes}
            assert {shown.key: shown.step for shown in before.nodes}.items() <= steps.items()
            added = len(after.nodes) - len(before.nodes)
            assert added == getattr(node.more, side)
            every = {pair for depth in (1, 2) for pair in edges_of_lineage(reader, node.id, ALWAYS, "DATASET", depth)}
            assert flows_of(after) - flows_of(before) <= every


@quietly
@given(log=logs(), start=st.integers(0, 6), column=st.sampled_from("xyz"))
def test_a_lit_path_is_that_of_lineage_by_columns(log: list[Said], start: int, column: str) -> None:
    known = datasets_of(log)
    if not known:
        return
    name = f"dataset:{PLACE}:{known[start % len(known)]}"
    with reading(log) as reader:
        plain = picture(reader, 1, name, PictureOptions(steps=9, columns="all"))
        own = {shown.name for node in plain.nodes if not node.step for shown in node.columns}
        if column not in own:
            return
        shown = picture(reader, 1, name, PictureOptions(steps=9, columns="lit", column=column))
        found = lineage(reader, 1, f"{name}#{column}", depth=50)
        sides = ("upstream", "downstream")
        expected = {node["id"] for side in sides for node in found[side]["nodes"] if node["column"] is not None}
        lit = {f"{node.id}#{one.name}" for node in shown.nodes for one in node.columns}
        assert lit == expected
        edges = {(edge["from"], edge["to"]) for side in sides for edge in found[side]["edges"]}
        ids = {node.key: node.id for node in shown.nodes}
        drawn = {
            (f"{ids[edge.source]}#{edge.source_column}", f"{ids[edge.target]}#{edge.target_column}")
            for edge in shown.columns
        }
        assert drawn == edges
        assert flows_of(shown) == flows_of(plain), "lighting a path invents no flow"


def test_column_edges_of_shapes_that_no_longer_count_stay_away_once_the_graph_is_cached() -> None:
    """Job events of p wrote g once; the newest of them does not, though it still reads a."""
    log = [
        Said(1, "s", 1, "COMPLETE", inputs=("b",), outputs=("a", "g"), columns=(("z", "y", False), ("x", "x", True))),
        Said(2, "p", None, "COMPLETE", inputs=("a", "b"), outputs=("b", "g"), columns=(("y", "z", True),)),
        Said(3, "p", None, "COMPLETE", inputs=("a", "c"), outputs=("e", "b"), schema=("x", "y", "z")),
    ]
    name = f"dataset:{PLACE}:b#z"
    with reading(log) as reader:
        cold = edges_by_column(reader, name)
        for columns in ("all", "none"):
            picture(reader, 1, f"dataset:{PLACE}:b", PictureOptions(steps=9, columns=columns))
            assert edges_by_column(reader, name) == cold
    with reading(log) as reader:
        picture(reader, 1, f"dataset:{PLACE}:b", PictureOptions(steps=9, columns="all"))
        assert edges_by_column(reader, name) == cold == {("b#z", "a#y"), ("b#z", "g#y")}


def edges_by_column(reader: Reader, name: str) -> set[tuple[str, str]]:
    found = lineage(reader, 1, name, depth=50)
    edges = [edge for side in ("upstream", "downstream") for edge in found[side]["edges"]]
    return {(edge["from"].rpartition(":")[2], edge["to"].rpartition(":")[2]) for edge in edges}
