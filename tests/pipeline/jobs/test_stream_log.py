"""Derived tables are right where an import has its events in the log before their facts are in the graph."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from headwater.pipeline.jobs import import_events, rollup
from headwater.pipeline.jobs import stream_log as module
from headwater.pipeline.jobs.stream_log import stream_log
from headwater.store.engine import make_engine
from headwater.store.pipeline.import_journal import ImportJournal
from headwater.store.pipeline.late_facts import LateFacts
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.bulk import BulkWriter
from tests.pipeline.made_events import made_events
from tests.pipeline.test_equivalence import dump, opened
from tests.store.test_contract import entry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_an_import_that_was_cut_off_beside_the_stream(spark: SparkSession, tmp_path: Path) -> None:
    url = opened(f"sqlite:///{tmp_path / 'headwater.db'}")
    file, checkpoint = tmp_path / "events.ndjson", (tmp_path / "checkpoint").as_uri()
    bodies = list(dict.fromkeys(made_events(Random(3), 60)))
    file.write_bytes(b"\n".join(bodies) + b"\n")
    engine = make_engine(url)
    journal = ImportJournal(engine, bytes(16))

    # What an import leaves behind that is killed after its first portion: events in the log, and no facts.
    LateFacts(engine, journal.name).begin()
    writer = BulkWriter(url)
    writer.append([entry(body) for body in bodies[:30]])
    writer.close()
    assert stream_log(spark, url, checkpoint=checkpoint, once=True).events == 30
    assert not [line for line in dump(url, derived=True) if '"run_summary"' in line]

    tenants = {DEFAULT_TENANT.code: DEFAULT_TENANT}
    report = import_events.run(spark, url, [str(file)], tenants=tenants, journal=journal)
    assert (report.events, report.appended) == (len(bodies), len(bodies) - 30)
    stream_log(spark, url, checkpoint=checkpoint, once=True)
    found = dump(url, derived=True)
    assert rollup.run(spark, url).changed == 0
    assert dump(url, derived=True) == found
    engine.dispose()


def test_a_new_stream_works_out_only_what_no_rollup_has(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SMALL", 5)
    url = opened(f"sqlite:///{tmp_path / 'headwater.db'}")
    bodies = list(dict.fromkeys(made_events(Random(4), 40)))
    store = SqlStore(url)
    store.open()
    store.write([entry(body) for body in bodies[:30]])
    rollup.run(spark, url)
    store.write([entry(body) for body in bodies[30:]])
    store.close()
    monkeypatch.setattr(module, "roll_up_all", None)
    assert stream_log(spark, url, checkpoint=(tmp_path / "checkpoint").as_uri(), once=True).events == 0
    found = dump(url, derived=True)
    assert rollup.run(spark, url).changed == 0
    assert dump(url, derived=True) == found
