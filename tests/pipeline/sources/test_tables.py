"""Tables of every store as frames, and frames into the tables aside."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from headwater.graph.derived import RunSummary
from headwater.graph.facts import Run, RunShape
from headwater.graph.rollup.summarize import summarize
from headwater.pipeline.rollup.summarize import place_runs, summaries_of
from headwater.pipeline.sinks.derived_rows import write_derived
from headwater.pipeline.sources import tables
from headwater.pipeline.sources.tables import _conditions, plan_ranges, read_facts
from headwater.store.engine import WRITING
from headwater.store.pipeline.progress import Progress
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import fact_tables
from headwater.store.write.derived import DerivedStore
from headwater.store.write.staged_derived import StagedDerived
from tests.conftest import entry_of
from tests.pipeline.made_events import made_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TENANT = DEFAULT_TENANT.id


def test_read_work_and_write(spark: SparkSession, database: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROWS_PER_TASK", 5)
    url = database()
    store = SqlStore(url)
    store.open()
    store.write([entry_of(body) for body in made_events(Random(5), 60)])
    reader, derived = Reader(store.engine), DerivedStore(url)
    expected = list(reader.all_facts(TENANT, Run))
    assert 1 < len(plan_ranges(store.engine, Run, [TENANT])) < len(expected)
    assert plan_ranges(store.engine, Run, [TENANT + 1]) == []

    runs = read_facts(spark, url, Run)
    assert sorted(bytes(row.run) for row in runs.collect()) == [run.run for run in expected]
    some = [run.run for run in expected[:3]]
    links = read_facts(spark, url, RunShape, TENANT, some, ["run", "shape"]).collect()
    assert {(bytes(row.run), bytes(row.shape)) for row in links} == {
        (link.run, link.shape) for link in reader.facts(TENANT, RunShape, run=some)
    }

    staged = StagedDerived(url, "aside_tables")
    with staged.open():
        written = write_derived(summaries_of(place_runs(runs)), url, RunSummary, "aside_tables")
        assert written == staged.swap(TENANT, lambda _: None) == len(expected)
    assert {row.run: row for row in derived.rows(TENANT, RunSummary)} == summarize(expected)
    derived.close()
    store.close()


def test_every_row_is_in_one_range_and_none_is_passed_over_twice(
    database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "ROWS_PER_TASK", 5)
    store = SqlStore(database())
    store.open()
    counts = [1, 1, 1, 12, 1, 3, 5, 5, 1, 7, 2]  # rows of a key: more than a range has, too
    rows = [
        (TENANT, bytes([key]) * 16, bytes([place]) * 16) for key, count in enumerate(counts) for place in range(count)
    ]
    table = fact_tables[RunShape]
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        connection.execute(table.insert(), [dict(zip(("tenant", "run", "shape"), row, strict=True)) for row in rows])
    offsets: list[int] = []

    @sa.event.listens_for(store.engine, "before_execute")
    def look(_: object, statement: object, *__: object) -> None:
        offset = getattr(statement, "_offset", None)
        if offset is not None:
            offsets.append(offset)

    tasks = plan_ranges(store.engine, RunShape, [TENANT])
    found = []
    with store.engine.connect() as connection:
        for part in (part for task in tasks for part in task):
            query = sa.select(table.c.run, table.c.shape).where(*_conditions(RunShape, part))
            found.append([(TENANT, bytes(run), bytes(shape)) for run, shape in connection.execute(query)])
    store.close()
    assert sorted(row for part in found for row in part) == sorted(rows)
    assert max(map(len, found)) <= 12 + 5
    assert offsets == [5] * len(offsets)
    assert len(offsets) == len(found)


def test_a_stream_goes_on_under_its_new_name(store: SqlStore) -> None:
    progress = Progress(store.engine)
    progress.write("stream kafka t", position=7, batch=3, batch_events=7, batch_seconds=1.0, now=1)
    progress.rename("stream kafka t", "stream kafka t 12345678")
    assert [(each.job, each.position) for each in progress.read_all()] == [("stream kafka t 12345678", 7)]
    progress.write("stream kafka t", position=9, batch=3, batch_events=7, batch_seconds=1.0, now=1)
    progress.rename("stream kafka t", "stream kafka t 12345678")
    progress.rename("nothing", "new")
    assert [each.position for each in progress.read_all()] == [9, 7]
