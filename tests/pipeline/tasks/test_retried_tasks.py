"""Tasks that are done twice, since their first attempt was lost after all its work: nothing is missing, nothing counts twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.graph.fact import Fact, columns_of
from headwater.graph.fold import Graph
from headwater.graph.merge_rules import Rule
from headwater.openlineage.decode import decode_event
from headwater.pipeline.jobs import import_events, replay
from headwater.pipeline.merge.slots import to_rows
from headwater.pipeline.tasks.fold import Folding
from headwater.store.read.dump import dump_graph
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.upsert import row_of
from tests.conftest import read_events
from tests.pipeline.tasks.test_fold import Written
from tests.pipeline.test_equivalence import TENANTS, dump, log, opened
from tests.store.test_contract import event, graph_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Work = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@pytest.fixture
def lost(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever work a job gives to Spark, the first attempt of each of its tasks dies after it has done all of it."""
    kind: type[DataFrame] = type(spark.range(1))
    map_in_arrow = kind.mapInArrow

    def mapped(frame: DataFrame, work: Work, *arguments: Any, **options: Any) -> DataFrame:
        def done_twice(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            from pyspark import TaskContext

            context = TaskContext.get()
            if context is not None and context.attemptNumber() == 0:
                for _ in work(batches):
                    pass
                raise ConnectionError("this attempt is lost")
            yield from work(batches)

        return map_in_arrow(frame, done_twice, *arguments, **options)

    monkeypatch.setattr(kind, "mapInArrow", mapped)


def test_every_task_is_done_twice(spark: SparkSession, lost: None, tmp_path: Path) -> None:
    imported, replayed = (opened(f"sqlite:///{tmp_path / name}.db") for name in ("imported", "replayed"))
    bodies = (*read_events("written/spark.ndjson"), *read_events("written/spec.ndjson"), *BODIES)
    file = tmp_path / "events.ndjson"
    file.write_bytes(b"\n".join([*bodies, b"no event"]) + b"\n")
    half = file.stat().st_size // 2 + 1
    report = import_events.run(spark, imported, [str(file)], tenants=TENANTS, split_bytes=half)
    assert (report.splits, report.events, report.refused) == (2, len(bodies), 1)
    expected = list(dump_graph(graph_of(bodies, DEFAULT_TENANT.id)))
    assert dump(imported) == expected
    assert log(imported) == sorted({body.strip() for body in bodies})
    replay.run(spark, imported, [DEFAULT_TENANT], into=replayed)
    assert dump(replayed) == expected


BODIES = [event(f"job{number % 4}", f"2026-03-01T00:00:{number:02d}Z") for number in range(12)]
"""The same few shapes in every task, the first of them not always in the first."""
RUNS = iter(range(1_000_000))
attempts = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), max_size=8)


@settings(max_examples=200)
@given(attempts, st.permutations(range(3)), st.permutations(BODIES))
def test_whatever_is_lost_is_said_again(lost: list[tuple[int, int]], order: list[int], bodies: list[bytes]) -> None:
    """In one process: attempts of three tasks that die after so many events, and at last one of each that is done."""
    run, written, handed_on = f"run {next(RUNS)}", Written(), []
    parts = [bodies[task::3] for task in range(3)]
    for task, taken in [*lost, *((task, None) for task in order)]:
        folding = Folding(run, f"task {task}", written)
        for body in parts[task][:taken]:
            folding.take(DEFAULT_TENANT, decode_event(body))
        if taken is None:
            handed_on += [
                (kind, row) for batch in folding.batches() for kind, _, rows in to_rows(batch) for row in rows
            ]
    expected: Graph = graph_of(tuple(BODIES), DEFAULT_TENANT.id)
    for kind, table in expected.items():
        rows = written.rows(kind) if kind.is_of_run else [row for other, row in handed_on if other is kind]
        keys = {row[: kind.key_size] for row in rows}
        assert keys == {row_of(fact)[: kind.key_size] for fact in table.values()}, kind
        for place, rule in enumerate(rules_of(kind)):
            if rule is Rule.MIN:
                expected_first = {row_of(fact)[: kind.key_size]: row_of(fact)[place] for fact in table.values()}
                assert expected_first == {
                    key: min(
                        (row[place] for row in rows if row[: kind.key_size] == key and row[place] is not None),
                        default=None,
                    )
                    for key in keys
                }, kind


def rules_of(kind: type[Fact]) -> list[Rule | None]:
    """By place in a row, where a value that the latest event decides has its stamp behind it."""
    found: list[Rule | None] = []
    for column in columns_of(kind):
        found += [column.rule, None] if column.rule is Rule.LATEST else [column.rule]
    return found


def test_the_events_are_many_and_the_shapes_few() -> None:
    assert len(graph_of(tuple(BODIES), 1)) > 5
    assert len({json.loads(body)["job"]["name"] for body in BODIES}) == 4
