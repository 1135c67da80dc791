"""The jobs on real stores: the same tables whether worked out at once by Spark or kept up to date batch by batch."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from headwater.graph.derived import JobDay, RunSummary
from headwater.interpret.interpret import interpret
from headwater.pipeline.jobs import infer as infer_job
from headwater.pipeline.jobs import rollup as rollup_job
from headwater.pipeline.rollup.changed_keys import changed_keys_of
from headwater.store.access.tenants import Tenants
from headwater.store.pipeline.jobs import running
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.derived import DerivedStore, Replacement
from headwater.store.write.log import Entry
from tests.conftest import entry_of
from tests.pipeline.made_events import made_events
from tests.pipeline.rollup.test_changes import compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TENANT = DEFAULT_TENANT.id
SQL = b"""{"eventType": "COMPLETE", "eventTime": "2026-01-01T00:00:00Z", "producer": "p",
 "run": {"runId": "0197833d-511d-7034-be27-078fb128ca59"},
 "job": {"namespace": "n", "name": "j", "facets": {"sql": {"query": "insert into b select x from a"}}},
 "inputs": [{"namespace": "made", "name": "a"}], "outputs": [{"namespace": "made", "name": "b"}]}"""


def test_at_once(spark: SparkSession, store: SqlStore, reader: Reader) -> None:
    url = store.engine.url.render_as_string(hide_password=False)
    store.write([entry_of(body) for body in [*made_events(Random(5), 60), SQL]])
    derived = DerivedStore(url)
    assert infer_job.run(spark, url).inferred > 0
    report = rollup_job.run(spark, url, tenant=DEFAULT_TENANT.code)
    compare(reader, derived)
    assert report.changed == report.rows > 0

    # A table that is right already is left alone; one that is not is mended.
    gone = len(derived.rows(TENANT, JobDay))
    derived.replace(TENANT, [Replacement(JobDay, (), (), [])])
    again = rollup_job.run(spark, url)
    compare(reader, derived)
    assert again.changed == gone
    assert infer_job.run(spark, url).written == 0
    derived.close()


@pytest.fixture
def reader(store: SqlStore) -> Reader:
    return Reader(store.engine)


def test_a_large_batch_goes_to_spark(spark: SparkSession, store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollup_job, "ON_THE_DRIVER", 5)
    url = store.engine.url.render_as_string(hide_password=False)
    other = Tenants(store.engine).create("other", "Other")
    mine = [entry_of(body) for body in made_events(Random(6), 40)]
    store.write(mine)
    event = mine[-1].event
    store.write([Entry(other, event, interpret(event, other.id), 0)])
    touched = changed_keys_of(fact for entry in mine for fact in entry.interpretation.facts())
    with running(url, "stream") as job:
        rollup_job.rollup_changes(spark, url, touched, job)
    derived = DerivedStore(url)
    compare(Reader(store.engine), derived)
    assert not derived.rows(other.id, RunSummary)  # of another tenant nothing was touched
    derived.close()
