"""What derived rows mean, by example."""

from __future__ import annotations

from headwater.graph.derived import (
    DatasetDay,
    JobDataset,
    JobDatasetDay,
    JobDay,
    Relevance,
    RunSummary,
    RunTotal,
)
from headwater.graph.facts import (
    Activity,
    Evidence,
    OutputType,
    Role,
    Run,
    RunDataset,
    RunShape,
    RunStatus,
    Shape,
    ShapeDataset,
)
from headwater.graph.fold import fold
from headwater.graph.rollup.rollup import roll_up
from headwater.openlineage.identity import stamp

A, B = b"schema a", b"schema ab"
DAY = 86_400_000_000


def rolled(*facts) -> dict:
    graph = fold(facts)
    return roll_up(1, lambda kind: graph.get(kind, {}).values())


def said(run: bytes, shape: bytes, time: int, schema: bytes | None = None, job: bytes = b"job") -> list:
    """A run writes a table, with a schema or without one."""
    return [
        Run(1, run, job=job, activity=Activity.RUN, first_seen=time, last_seen=time),
        Shape(1, shape, kind="RUN_EVENT", origin="openlineage", job=job),
        ShapeDataset(1, shape, b"table", int(Role.OUTPUT), schema=schema, types=OutputType.APPEND),
        RunShape(1, run, shape, first_seen=time, last_seen=time),
        Evidence(1, shape, first_seen=time, last=stamp(time, bytes(16))),
    ]


def test_of_several_schemas_the_latest_holds_at_every_level() -> None:
    """A, A+B and A again in one job."""
    found = rolled(*said(b"1", b"x", 1, A), *said(b"2", b"y", 2, B), *said(b"3", b"x", 3, A))
    for kind in (JobDatasetDay, JobDataset):
        (row,) = found[kind]
        assert (row.schema, row.relevance, row.schema_seen, row.runs) == (A, Relevance.LATEST_KNOWN, 3, 3)
    assert {(row.run, row.schema, row.relevance) for row in found[RunTotal]} == {
        (run, schema, Relevance.EXACT_MATCH) for run, schema in ((b"1", A), (b"2", B), (b"3", A))
    }


def test_an_event_without_a_schema_changes_nothing() -> None:
    found = rolled(*said(b"1", b"x", 1, A), *said(b"1", b"z", 2, None))
    (row,) = found[RunTotal]
    assert (row.schema, row.relevance, row.schema_seen, row.last_seen) == (A, Relevance.EXACT_MATCH, 1, 2)


def test_nothing_said_stays_nothing() -> None:
    found = rolled(*said(b"1", b"x", 1), *said(b"2", b"x", 2), RunDataset(1, b"2", b"table", int(Role.OUTPUT), bytes=4))
    (row,) = found[JobDataset]
    assert (row.rows, row.bytes, row.files, row.types) == (None, 4, None, OutputType.APPEND)


def test_a_run_sums_up_its_operations_but_no_run_below_it() -> None:
    counted = [RunDataset(1, run, b"table", int(Role.OUTPUT), rows=10) for run in (b"op", b"inner", b"other")]
    found = rolled(
        Run(1, b"run", job=b"app", activity=Activity.RUN, first_seen=1),
        Run(
            1, b"op", job=b"step", activity=Activity.OPERATION, parent_run=b"run", first_seen=2, status=RunStatus.FAILED
        ),
        Run(1, b"inner", job=b"query", activity=Activity.OPERATION, parent_run=b"op", first_seen=2),
        Run(1, b"other", job=b"task", activity=Activity.RUN | Activity.OPERATION, parent_run=b"run", first_seen=3),
        *counted,
    )
    assert {row.run: row.inside for row in found[RunSummary]} == {
        b"run": b"run",
        b"op": b"run",
        b"inner": b"run",
        b"other": b"other",
    }
    assert {row.run: row.rows for row in found[RunTotal]} == {b"run": 20, b"op": 10, b"inner": 10, b"other": 10}
    assert {row.job: row.rows for row in found[JobDataset]} == {b"app": 20, b"step": 10, b"query": 10, b"task": 10}
    (day,) = found[DatasetDay]  # the operations are in their run already
    assert (day.writes, day.rows_written) == (2, 30)


def test_percentiles_are_values_that_occurred() -> None:
    runs = [
        Run(1, bytes([number]), job=b"job", first_seen=5 * DAY, started_at=5 * DAY, ended_at=5 * DAY + number * 10)
        for number in range(1, 11)
    ]
    (row,) = rolled(*runs, Run(1, b"unfinished", job=b"job", first_seen=5 * DAY + 1))[JobDay]
    assert (row.day, row.runs, row.duration_p50, row.duration_p95) == (5, 11, 50, 100)


def test_parents_in_a_ring_end() -> None:
    ring = [Run(1, one, activity=Activity.OPERATION, parent_run=other) for one, other in ((b"a", b"b"), (b"b", b"a"))]
    assert {row.run: row.inside for row in rolled(*ring)[RunSummary]} == {b"a": b"a", b"b": b"b"}
