"""The log as a source: every event, also one that becomes visible after a greater id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from headwater.pipeline.sources.log_stream import LogSource, LogStreamReader
from headwater.pipeline.tasks.replay_events import reading_engine
from headwater.store.engine import make_engine
from headwater.store.pipeline.late_facts import opened_late_facts
from headwater.store.sql_store import SqlStore
from headwater.store.tables import events
from tests.store.test_contract import entry, event

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.servers import DatabaseServer


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    reading_engine.cache_clear()


def fill(url: str, *names: str) -> None:
    store = SqlStore(url)
    store.open()
    store.write([entry(event(name)) for name in names])
    store.close()


def ids_of(reader: LogStreamReader, start: dict, end: dict) -> list[int]:
    parts = reader.partitions(start, end)
    return sorted(number for part in parts for batch in reader.read(part) for number in batch["id"].to_pylist())


def test_goes_on_from_where_it_was(database: Callable[[], str]) -> None:
    url = database()
    fill(url, "a", "b")
    reader = LogStreamReader(url, 0, 1000)
    start = reader.initialOffset()
    first = reader.latestOffset(start)
    assert len(ids_of(reader, start, first)) == 2
    assert reader.latestOffset(first) == first
    assert ids_of(reader, first, first) == []
    fill(url, "c")
    second = reader.latestOffset(first)
    assert len(ids_of(reader, first, second)) == 1
    reading_engine(url).dispose()


def test_takes_no_more_at_once_than_it_may(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    fill(url, *(f"job{number}" for number in range(10)))
    reader, offset, seen = LogStreamReader(url, 0, 4), {"id": 0, "late": ""}, []
    for _ in range(4):
        following = reader.latestOffset(offset)
        seen.append(len(ids_of(reader, offset, following)))
        offset = following
    assert seen == [4, 4, 2, 0]
    reading_engine(url).dispose()


def test_an_id_that_becomes_visible_late_is_not_lost(server: DatabaseServer) -> None:
    url = server.make_database()
    fill(url, "a", "b", "c")
    engine = make_engine(url)
    with engine.begin() as connection:  # "b" is not there yet, "c" is
        row = connection.execute(sa.select(events).where(events.c.job_name == "b")).one()
        connection.execute(events.delete().where(events.c.id == row.id))
    reader = LogStreamReader(url, 0, 1000)
    start = reader.initialOffset()
    first = reader.latestOffset(start)
    assert row.id not in ids_of(reader, start, first)
    with engine.begin() as connection:
        connection.execute(events.insert().values(**row._mapping))
    second = reader.latestOffset(first)
    assert ids_of(reader, first, second) == [row.id]
    third = reader.latestOffset(second)
    assert ids_of(reader, second, third) == []
    engine.dispose()
    reading_engine(url).dispose()


def test_events_whose_facts_come_later_are_read_once_more(database: Callable[[], str]) -> None:
    url = database()
    fill(url, "a", "b")
    reader = LogStreamReader(url, 0, 3)
    with opened_late_facts(url, "import"):
        fill(url, "c", "d", "e", "f")
        offset, seen = {"id": 0, "late": ""}, []  # as older versions wrote it
        for _ in range(3):
            following = reader.latestOffset(offset)
            seen += ids_of(reader, offset, following)
            offset = following
    assert len(seen) == 6
    first = reader.latestOffset(offset)
    assert ids_of(reader, offset, first) == seen[2:5], "as many as a batch may have"
    second = reader.latestOffset(first)
    reader.commit(first)
    assert ids_of(reader, first, second) == seen[5:]
    assert reader.latestOffset(second) == second
    fresh = LogStreamReader(url, 0, 3).latestOffset(second)
    assert fresh == second or not fresh["again"], "a process that has just started knows what is taken"
    reader.commit(second)
    start = {"id": second["id"], "late": "", "again": ""}
    assert ids_of(reader, start, reader.latestOffset(start)) == []
    reading_engine(url).dispose()


def test_a_stream_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    fill(url, "a", "b")
    spark.dataSource.register(LogSource)
    seen: list[tuple[int, bytes]] = []

    def take(frame, _: int) -> None:
        seen.extend((row.id, bytes(row.event)) for row in frame.collect())

    def run() -> None:
        source = spark.readStream.format("headwater_log").option("url", url).load()
        writer = source.writeStream.foreachBatch(take).option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination(60)
        assert query.exception() is None

    run()
    fill(url, "c")
    run()
    assert [body for _, body in sorted(seen)] == [event(name) for name in "abc"]
