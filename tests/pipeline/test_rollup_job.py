"""The jobs on real stores: the same tables whether worked out at once by Spark or kept up to date batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

import pytest

from headwater.graph.derived import JobDay, RunSummary, RunTotal
from headwater.graph.facts import Run
from headwater.interpret.interpret import interpret
from headwater.pipeline import tables
from headwater.pipeline.jobs import infer as infer_job
from headwater.pipeline.jobs import rollup as rollup_job
from headwater.pipeline.tables import read_facts
from headwater.pipeline.touched import touched_by
from headwater.store.derived import DerivedStore, Replacement
from headwater.store.log import Entry
from headwater.store.read import Reader
from headwater.store.sql import DEFAULT_TENANT, SqlStore
from headwater.store.tenants import Tenants
from tests.conftest import entry_of
from tests.pipeline.made_events import made_events
from tests.pipeline.test_changes import compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TENANT = DEFAULT_TENANT.id
SQL = b"""{"eventType": "COMPLETE", "eventTime": "2026-01-01T00:00:00Z", "producer": "p",
 "run": {"runId": "0197833d-511d-7034-be27-078fb128ca59"},
 "job": {"namespace": "n", "name": "j", "facets": {"sql": {"query": "insert into b select x from a"}}},
 "inputs": [{"namespace": "made", "name": "a"}], "outputs": [{"namespace": "made", "name": "b"}]}"""


def test_at_once(spark: SparkSession, database: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROWS_PER_TASK", 25)
    url = database()
    store = SqlStore(url)
    store.open()
    entries = [entry_of(body) for body in [*made_events(Random(5), 60), SQL]]
    store.write(entries)
    reader, derived = Reader(store.engine), DerivedStore(url)

    runs = read_facts(spark, url, Run)
    assert runs.rdd.getNumPartitions() > 1 or runs.count() <= 25
    assert sorted(bytes(row.run) for row in runs.collect()) == [run.run for run in reader.all_facts(TENANT, Run)]
    some = [run.run for run in reader.all_facts(TENANT, Run)][:3]
    assert sorted(bytes(row.run) for row in read_facts(spark, url, Run, TENANT, some, ["run"]).collect()) == some

    report = rollup_job.run(spark, url)
    compare(reader, derived)
    assert report.changed == report.rows > 0
    assert infer_job.run(spark, url).inferred == 1

    # A table that is right already is left alone, whatever was inferred; one that is not is mended.
    derived.replace(TENANT, [Replacement(JobDay, (), (), []), Replacement(RunTotal, (), (), [])])
    again = rollup_job.run(spark, url, tenant=DEFAULT_TENANT.code)
    compare(reader, derived)
    assert 0 < again.changed < report.changed
    assert infer_job.run(spark, url).written == 0
    derived.close()
    store.close()


def test_a_large_batch_goes_to_spark(spark: SparkSession, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollup_job, "ON_THE_DRIVER", 5)
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    store = SqlStore(url)
    store.open()
    other = Tenants(store.engine).create("other", "Other")
    mine = [entry_of(body) for body in made_events(Random(6), 40)]
    store.write(mine)
    event = mine[-1].event
    store.write([Entry(other, event, interpret(event, other.id), 0)])
    touched = touched_by(fact for entry in mine for fact in entry.interpretation.facts())
    rollup_job.rollup_changes(spark, url, touched)
    derived = DerivedStore(url)
    compare(Reader(store.engine), derived)
    assert not derived.rows(other.id, RunSummary)  # of another tenant nothing was touched
    derived.close()
    store.close()
