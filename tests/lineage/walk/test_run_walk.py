"""Lineage by runs and operations in a window, and since when each edge is there: a streaming job that never ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headwater.lineage.errors import NodeNotFound
from headwater.lineage.walk.lineage import lineage
from headwater.openlineage.times import parse_time
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.current_shapes import Window
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of

LAKE = "s3://lake"
APPLICATION, QUERY, OLD = (f"0190c0de-0000-7000-8000-{number:012d}" for number in (1, 2, 3))
SPARK = "https://github.com/OpenLineage/OpenLineage/tree/1.40.0/integration/spark"


def said(
    job: str, run: str, kind: str, day: str, inputs: str = "", outputs: str = "", rows: int | None = None
) -> bytes:
    part = "." in job
    integration = {
        "integration": "SPARK",
        "processingType": "STREAMING",
        "jobType": "SQL_JOB" if part else "APPLICATION",
    }
    facets = (
        {"parent": {"run": {"runId": APPLICATION}, "job": {"namespace": "spark", "name": "clicks"}}} if part else {}
    )
    measured = {} if rows is None else {"outputFacets": {"outputStatistics": {"rowCount": rows}}}
    event = {
        "eventTime": f"2026-02-{day}:00:00Z",
        "eventType": kind,
        "producer": SPARK,
        "run": {"runId": run, "facets": facets},
        "job": {"namespace": "spark", "name": job, "facets": {"jobType": integration}},
        "inputs": [{"namespace": LAKE, "name": name} for name in inputs.split()],
        "outputs": [{"namespace": LAKE, "name": name, **measured} for name in outputs.split()],
    }
    return json.dumps(event).encode()


@pytest.fixture
def stream(filled: Callable[[list[bytes]], Reader]) -> Reader:
    """It reads `topic` from the first day on, and writes `good` on each, `bad` from the fourth; `once` ended long ago."""
    events = [said("clicks", APPLICATION, "START", "01T00")]
    events += [said("clicks.once", OLD, "COMPLETE", "01T02", "seed", "lookup", 7)]
    events += [said("clicks.micro", QUERY, "START", "01T01", "topic")]
    events += [said("clicks.micro", QUERY, "RUNNING", f"0{day}T03", "topic", "good", day) for day in range(1, 6)]
    events += [said("clicks.micro", QUERY, "RUNNING", "04T04", "topic", "bad")]
    return filled(events)


def window(since: str | None = None, until: str | None = None) -> Window:
    return Window(*(None if day is None else parse_time(f"2026-02-{day}:00:00Z") for day in (since, until)))


def ends(answer: dict, side: str) -> set[str]:
    return {node["name"] for node in answer[side]["nodes"] if node["kind"] == "dataset"}


@pytest.mark.parametrize("granularity", ["JOB", "RUN"])
def test_an_application_is_in_the_window_in_which_its_operations_are(stream: Reader, granularity: str) -> None:
    found = lineage(stream, 1, "job:spark:clicks", granularity=granularity, window=window("05T00"))
    assert (ends(found, "upstream"), ends(found, "downstream")) == ({"topic"}, {"good", "bad"})


@pytest.mark.parametrize("granularity", ["RUN", "OPERATION"])
def test_a_run_that_is_asked_for_is_followed_within_the_window(stream: Reader, granularity: str) -> None:
    asked = f"run:{APPLICATION}"
    late = lineage(stream, 1, asked, granularity=granularity, window=window("05T00"))
    early = lineage(stream, 1, asked, granularity=granularity, window=window(None, "02T00"))
    assert (ends(late, "upstream"), ends(late, "downstream")) == ({"topic"}, {"good", "bad"})
    assert (ends(early, "upstream"), ends(early, "downstream")) == ({"topic", "seed"}, {"good", "lookup"})


@pytest.mark.parametrize("granularity", ["JOB", "RUN", "OPERATION"])
def test_what_a_run_said_after_the_window_is_not_in_it(stream: Reader, granularity: str) -> None:
    until = window(None, "03T00")
    found = lineage(stream, 1, f"dataset:{LAKE}:bad", granularity=granularity, window=until)
    assert (ends(found, "upstream"), found["upstream"]["edges"]) == ({"bad"}, [])
    down = lineage(stream, 1, f"dataset:{LAKE}:topic", granularity=granularity, window=until)
    assert ends(down, "downstream") == {"topic", "good"}


@pytest.mark.parametrize("granularity", ["JOB", "RUN", "OPERATION"])
@pytest.mark.parametrize("start", [f"dataset:{LAKE}:topic", f"dataset:{LAKE}:good", f"dataset:{LAKE}:bad", "the whole"])
def test_an_edge_is_as_old_as_what_was_said_of_it_wherever_the_walk_starts(
    stream: Reader, granularity: str, start: str
) -> None:
    if start == "the whole":
        start = "job:spark:clicks" if granularity == "JOB" else f"run:{APPLICATION}"
    found = lineage(stream, 1, start, granularity=granularity)
    times = {
        (edge["kind"], edge["from" if edge["kind"] == "INPUT" else "to"].rpartition(":")[2]): (
            edge["first_seen"][8:13],
            edge["last_seen"][8:13],
        )
        for side in ("upstream", "downstream")
        for edge in found[side]["edges"]
    }
    expected = {
        ("INPUT", "topic"): ("01T01", "05T03"),
        ("INPUT", "seed"): ("01T02", "01T02"),
        ("OUTPUT", "good"): ("01T03", "05T03"),
        ("OUTPUT", "bad"): ("04T04", "04T04"),
        ("OUTPUT", "lookup"): ("01T02", "01T02"),
    }
    assert times
    assert times == {edge: expected[edge] for edge in times}


def test_figures_of_a_run_are_those_of_the_window_from_either_end(stream: Reader) -> None:
    """`once` is over by then, and what it wrote is no part of it."""
    late = window("05T00")
    from_run = lineage(stream, 1, f"run:{APPLICATION}", granularity="RUN", window=late)["downstream"]["edges"]
    from_data = lineage(stream, 1, f"dataset:{LAKE}:good", granularity="RUN", window=late)["upstream"]["edges"]
    (one,) = [edge for edge in from_run if edge["to"].endswith(":good")]
    (other,) = [edge for edge in from_data if edge["to"].endswith(":good")]
    assert one == other
    assert one["rows"] == 5


Told = tuple[str, int, int, str, str, str]
"""Job, number of the run, hour, kind, inputs and outputs, each a letter."""
_few = st.sampled_from(["", "", "a", "b", "c", "d", "ab", "cd"])
_told = st.lists(
    st.tuples(
        st.sampled_from("jk"),
        st.integers(1, 3),
        st.integers(0, 20),
        st.sampled_from(["START", "RUNNING", "COMPLETE", "COMPLETE", "FAIL"]),
        _few,
        _few,
    ),
    min_size=2,
    max_size=9,
)
WINDOWS = [Window(), window("01T10"), window(None, "01T10"), window("01T05", "01T12")]


def body_of(told: Told) -> bytes:
    job, number, hour, kind, inputs, outputs = told
    event = {
        "eventTime": f"2026-02-01T{hour:02}:00:00Z",
        "eventType": kind,
        "run": {"runId": f"0190c0de-0000-7000-8000-{ord(job):06}{number:06}"},
        "job": {"namespace": "etl", "name": job},
        "inputs": [{"namespace": LAKE, "name": name} for name in inputs],
        "outputs": [{"namespace": LAKE, "name": name} for name in outputs],
    }
    return json.dumps(event).encode()


@contextmanager
def holding(events: list[Told]) -> Iterator[Reader]:
    with TemporaryDirectory() as folder:
        store = SqlStore(f"sqlite:///{Path(folder) / 'headwater.db'}")
        store.open()
        store.write([entry_of(body_of(told)) for told in events])
        yield Reader(store.engine)
        store.close()


def by_job(reader: Reader, name: str, side: str, granularity: str, asked: Window) -> set[tuple[str, str]]:
    """Edges next to a dataset, runs by their jobs."""
    start = f"dataset:{LAKE}:{name}"
    found = lineage(reader, 1, start, granularity=granularity, window=asked, depth=2, direction=side)[side]
    job_of = {node["id"]: node["job"] for node in found["nodes"] if node["kind"] in ("run", "operation")}
    return {(job_of.get(edge["from"], edge["from"]), job_of.get(edge["to"], edge["to"])) for edge in found["edges"]}


@settings(max_examples=12)
@given(events=_told)
@example(
    events=[
        ("j", 1, 1, "COMPLETE", "", "c"),
        ("j", 1, 5, "COMPLETE", "d", "c"),
        ("j", 2, 10, "START", "a", "d"),
        ("j", 2, 15, "RUNNING", "", "c"),
    ]
)
def test_runs_and_operations_have_the_flows_of_their_jobs_in_every_window(events: list[Told]) -> None:
    """The example: a run that names an output after the window, in words that another run has used before."""
    with holding(events) as reader:
        for asked in WINDOWS:
            for name in "abcd":
                for side in ("upstream", "downstream"):
                    try:
                        expected = by_job(reader, name, side, "JOB", asked)
                    except NodeNotFound:
                        continue
                    for granularity in ("RUN", "OPERATION"):
                        assert by_job(reader, name, side, granularity, asked) == expected, (asked, name, side)


def test_what_a_run_says_after_the_window_is_not_joined_with_what_it_said_before() -> None:
    """Worked out by hand: by ten o'clock only `d` had flowed into `c`."""
    events: list[Told] = [
        ("j", 1, 1, "COMPLETE", "", "c"),
        ("j", 1, 5, "COMPLETE", "d", "c"),
        ("j", 2, 10, "START", "a", "d"),
        ("j", 2, 15, "RUNNING", "", "c"),
    ]
    with holding(events) as reader:
        job, target = "job:etl:j", f"dataset:{LAKE}:c"
        until = by_job(reader, "c", "upstream", "JOB", window(None, "01T10"))
        assert until == {(f"dataset:{LAKE}:d", job), (job, target)}
        later = by_job(reader, "c", "upstream", "JOB", window(None, "01T15"))
        assert later == until | {(f"dataset:{LAKE}:a", job)}


@pytest.mark.parametrize("granularity", ["JOB", "RUN", "OPERATION"])
def test_a_run_that_failed_wrote_nothing_unless_all_failed(granularity: str) -> None:
    """Worked out by hand: `b` was written by the run that reads `a`; of those that failed to write `d` the newest counts."""
    events: list[Told] = [
        ("j", 1, 1, "COMPLETE", "a", "b"),
        ("j", 2, 2, "FAIL", "c", "b"),
        ("k", 1, 3, "FAIL", "a", "d"),
        ("k", 2, 4, "FAIL", "c", "d"),
    ]

    def ends(name: str, side: str) -> set[str]:
        edges = by_job(reader, name, side, granularity, Window())
        far = {one if side == "upstream" else other for one, other in edges}
        return {node.rpartition(":")[2] for node in far if node.startswith("dataset:")} - {name}

    with holding(events) as reader:
        assert (ends("b", "upstream"), ends("d", "upstream")) == ({"a"}, {"c"})
        assert (ends("a", "downstream"), ends("c", "downstream")) == ({"b"}, {"d"})
        run = f"run:0190c0de-0000-7000-8000-{ord('j'):06}{2:06}"
        if granularity != "JOB":
            own = lineage(reader, 1, run, granularity=granularity, depth=1)
            assert {node["name"] for side in ("upstream", "downstream") for node in own[side]["nodes"]} >= {"c", "b"}
