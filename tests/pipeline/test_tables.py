"""Tables of every store as frames, and frames into the tables aside."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

import pytest

from headwater.graph.derived import RunSummary
from headwater.graph.facts import Run, RunShape
from headwater.graph.rollup.summarize import summarize
from headwater.pipeline import tables
from headwater.pipeline.derived import write_derived
from headwater.pipeline.rollup.summarize import place_runs, summaries_of
from headwater.pipeline.tables import plan_ranges, read_facts
from headwater.store.derived import DerivedStore
from headwater.store.read import Reader
from headwater.store.sql import DEFAULT_TENANT, SqlStore
from headwater.store.staged_derived import StagedDerived
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
