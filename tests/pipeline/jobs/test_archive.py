"""The job with a real Spark: archived once, deleted only when archived, and the graph is that of log and archive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from headwater.graph.fold import Graph, fold_into
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.pipeline.archive.errors import ArchiveUnusable
from headwater.pipeline.archive.folder import ArchiveFolder
from headwater.pipeline.archive.layout import CHUNK, day_start
from headwater.pipeline.archive.read import read_archive
from headwater.pipeline.archive.retain import retained_until
from headwater.pipeline.jobs.archive import ArchiveReport, run
from headwater.store.pipeline.progress import Progress
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.tables import events
from tests.conftest import read_events
from tests.pipeline.archive.events import archived, body, logged, make_tenant, move_ids, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOW = day_start("2026-01-10") + 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def go(spark: SparkSession, store: SqlStore, folder: Path):
    return starter(spark, store, folder)


def starter(spark: SparkSession, store: SqlStore, folder: Path):
    url = store.engine.url.render_as_string(hide_password=False)

    def start(**more) -> ArchiveReport:
        return run(spark, url, folder=str(folder), now=NOW, **more)

    return start


def test_new_events_are_added_each_time(go, store: SqlStore, folder: Path) -> None:
    write(store, read_events("recorded/spark.ndjson"))
    write(store, read_events("recorded/dbt.ndjson"), make_tenant(store, "acme"))
    move_ids(store, CHUNK - 20)
    steps: list[tuple[int, int]] = []
    first = go(progress=lambda done, total, _: steps.append((done, total)))
    assert first.added == first.events == len(logged(store))
    assert steps == [(0, 2), (2, 2)]
    assert first.archived_to == max(event[1] for event in logged(store))
    assert archived(folder) == logged(store)
    assert go().added == 0
    (noted,) = Progress(store.engine).read_all()
    assert (noted.job, noted.position, noted.events) == ("archive", first.archived_to, first.added)
    write(store, [body(number, number % 3) for number in range(30)])
    assert go().added == 30
    assert archived(folder) == logged(store)


def test_an_empty_log(go, folder: Path) -> None:
    assert go(retain_days=1).events == 0
    assert archived(folder) == []


def test_one_tenant_does_not_hide_the_others(go, store: SqlStore, folder: Path) -> None:
    acme = make_tenant(store, "acme")
    write(store, [body(1)])
    write(store, [body(2)], acme)
    move_ids(store, 3 * CHUNK)
    assert go(tenant="acme").added == 1
    assert {event[0] for event in archived(folder)} == {"acme"}
    assert go().added == 1
    assert archived(folder) == logged(store)
    with pytest.raises(ArchiveUnusable, match="no tenant 'nobody'"):
        go(tenant="nobody")


def test_log_and_archive_together_are_the_graph(spark: SparkSession, database: Callable[[], str], folder: Path) -> None:
    """On every database; the rest of the job does not depend on it."""
    store = SqlStore(database())
    store.open()
    go = starter(spark, store, folder)
    write(store, [body(number, number % 8) for number in range(80)])
    acme = make_tenant(store, "acme")
    write(store, [body(number) for number in range(4)], acme)
    everything, reader = logged(store), Reader(store.engine)
    with reader.snapshot(1) as read:
        before = list(dump_facts(read))
    report = go(retain_days=5)
    assert (report.deleted, report.kept, report.damaged) == (44, 0, 0)
    assert len(logged(store)) == 40
    assert archived(folder) == everything
    with reader.snapshot(1) as read:
        assert list(dump_facts(read)) == before, "the graph stays"
    until = retained_until(store.engine, 1)
    assert until == day_start("2026-01-05")
    graph: Graph = {}
    parts = [event.body for event in read_archive(str(folder), tenants={"default"}, until=until)]
    parts += [event.body for event in reader.log(1)]
    assert len(parts) == 80, "each event once"
    for each in parts:
        fold_into(graph, interpret(decode_event(each), 1).facts())
    assert list(dump_graph(graph)) == before
    assert go(retain_days=5).deleted == 0
    assert archived(folder) == everything
    store.close()


def test_what_the_archive_lost_is_archived_again_before_it_goes(go, store: SqlStore, folder: Path) -> None:
    write(store, [body(number, number % 2) for number in range(10)])
    everything = logged(store)
    go()
    write(store, [body(1, 7)])
    ArchiveFolder(str(folder)).write_manifest(
        {"*": 5 * CHUNK}
    )  # so that the next run does not look that far back by itself
    lost = next(folder.rglob("*.parquet"))
    lost.unlink()
    report = go(retain_days=3)
    assert (report.deleted, report.kept) == (10, 0)
    assert set(archived(folder)) >= set(everything)


def test_events_that_come_later_and_are_older_still_go(go, store: SqlStore, folder: Path) -> None:
    write(store, [body(number, number % 8) for number in range(16)])
    go(retain_days=5)
    write(store, [body(99)])
    report = go(retain_days=5)
    assert (report.added, report.deleted) == (1, 1)
    with store.engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.min(events.c.event_time))).scalar() >= day_start("2026-01-05")
    assert len(archived(folder)) == 17


def test_less_than_a_day_is_refused(go) -> None:
    with pytest.raises(ArchiveUnusable, match="0 days"):
        go(retain_days=0)
