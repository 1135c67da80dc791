"""Lineage by runs as of a moment, against the plain model: each run in place of its job, the same nodes and edges."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from headwater.graph.current.window import ALWAYS, Window
from headwater.lineage.walk.lineage import lineage
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.lineage.difference.test_diff import DROPPED, FLIPS, IDLE, LINKED, STREAM, UNDONE, events
from tests.lineage.model import BASE, Said, dataset, moment_of

Edges = set[tuple[str, str]]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events(), st.integers(0, 5))
@example(FLIPS, 0)
@example(DROPPED, 1)
@example(IDLE, 2)
@example(STREAM, 3)
@example(LINKED, 4)
@example(UNDONE, 5)
def test_by_job_it_is_the_same(tmp_path_factory: pytest.TempPathFactory, said: list[Said], arrival: int) -> None:
    """Runs alone are asked about: what job and dataset events say has no run."""
    said = [event for event in said if event.run is not None]
    store = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('runs')}/headwater.db")
    store.open()
    bodies = [event.body() for event in said]
    random.Random(arrival).shuffle(bodies)
    for body in bodies:
        store.write([entry_of(body)])
    try:
        check(Reader(store.engine), said)
    finally:
        store.close()


def check(reader: Reader, said: list[Said]) -> None:
    starts = sorted({dataset(name) for event in said for name in (*event.inputs, *event.outputs)})
    seconds = sorted({event.second for event in said})
    for start in starts:
        for second in seconds:
            nodes, edges, _ = by_job(reader, start, window=Window(as_of=BASE + second * 1_000_000))
            assert (nodes, edges) == moment_of(said, second).lineage(start), f"{start} at second {second}"
        nodes, edges, marked = by_job(reader, start, window=ALWAYS)
        assert (nodes, edges) == moment_of(said, None).lineage(start), f"{start} of all time"
        now = moment_of(said, seconds[-1])
        assert edges & now.lineage(start)[1] <= marked <= now.edges, f"{start}: what of it is current"
        assert by_job(reader, start, window=ALWAYS, current=True)[:2] == now.lineage(start), f"{start} now"


def by_job(reader: Reader, start: str, *, window: Window, current: bool = False) -> tuple[set[str], Edges, Edges]:
    """Nodes, edges, and those that are current, with jobs for runs."""
    found = lineage(reader, 1, start, granularity="RUN", depth=50, window=window, current=current)
    sides = (found["upstream"], found["downstream"])
    jobs = {node["id"]: node.get("job") or node["id"] for side in sides for node in side["nodes"]}
    listed = [((jobs[edge["from"]], jobs[edge["to"]]), edge["current"]) for side in sides for edge in side["edges"]]
    return set(jobs.values()), {edge for edge, _ in listed}, {edge for edge, is_current in listed if is_current}
