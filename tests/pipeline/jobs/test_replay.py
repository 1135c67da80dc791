"""A replay puts right what is wrong, while readers and writers go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from headwater.graph.facts import Evidence, Node, Shape
from headwater.pipeline.jobs import replay
from headwater.store.engine import make_engine
from headwater.store.pipeline.jobs import PipelineJob
from headwater.store.read.dump import dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import fact_tables
from headwater.store.write.bulk import BulkWriter
from headwater.store.write.log import Tenant, log_rows
from headwater.store.write.upsert import append_statement, row_of
from tests.pipeline.test_equivalence import dump
from tests.servers import DatabaseServer
from tests.store.test_contract import entry, event, graph_of, recorded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OTHER = Tenant(2, "other", "Other")


def filled(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    store = SqlStore(url)
    store.open()
    store.write([entry(body) for body in recorded()])
    store.write([entry(event("theirs"), OTHER)])
    store.close()
    return url


def spoil(url: str) -> None:
    """A fact that no event states, and one that is missing."""
    writer = BulkWriter(url)
    writer.merge({Node: [row_of(Node(1, b"x" * 16, name="nobody said so"))]})
    writer.close()
    engine = make_engine(url)
    table = fact_tables[Evidence]
    with engine.begin() as connection:
        connection.execute(table.delete().where(table.c.tenant == 1))
    engine.dispose()


def test_wrong_facts_go_and_missing_ones_come_back(spark: SparkSession, tmp_path: Path) -> None:
    url = filled(tmp_path)
    theirs = dump(url, OTHER)
    spoil(url)
    report = replay.run(spark, url, [DEFAULT_TENANT])
    assert report.swapped
    assert dump(url) == list(dump_graph(graph_of(recorded(), 1)))
    assert dump(url, OTHER) == theirs
    engine = make_engine(url)
    assert not [name for name in sa.inspect(engine).get_table_names() if name.startswith("staged")]
    engine.dispose()


def test_events_that_come_meanwhile_are_there_afterwards(spark: SparkSession, tmp_path: Path) -> None:
    url = filled(tmp_path)
    store = SqlStore(url)
    store.open()
    late = event("late")

    def write(done: int, total: int, _: object) -> None:
        if done == total:  # all is folded, nothing is swapped yet
            store.write([entry(late)])

    replay.run(spark, url, [DEFAULT_TENANT], on_progress=write)
    store.close()
    assert dump(url) == list(dump_graph(graph_of((*recorded(), late), 1)))


def test_an_event_that_is_committed_after_greater_ids_were_read(
    spark: SparkSession, server_of: Callable[[str], DatabaseServer]
) -> None:
    """A server gives ids before the commit; whatever a replay has read by then, the event is in its graph."""
    url = server_of("postgresql").make_database()
    store = SqlStore(url)
    store.open()
    slow, others = event("slow"), recorded()[:20]
    engine = make_engine(url, writes=True)
    with engine.connect() as connection:
        append_statement(connection.dialect).run(connection, log_rows([entry(slow)]))
        store.write([entry(body) for body in others])  # greater ids, and there before

        def commit(done: int, total: int, _: object) -> None:
            if done == total:  # all is folded, nothing is swapped yet
                connection.commit()
                store.write([entry(slow)])  # it is in the log; its facts come into the graph

        replay.run(spark, url, [DEFAULT_TENANT], on_progress=commit)
    engine.dispose()
    store.close()
    assert dump(url) == list(dump_graph(graph_of((*others, slow), 1)))


def test_many_events_that_come_meanwhile_are_folded_aside_too(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "_FEW", 3)
    url = filled(tmp_path)
    store = SqlStore(url)
    store.open()
    late = [event(f"late{number}") for number in range(8)]
    steps: list[str] = []
    tell = PipelineJob.tell
    monkeypatch.setattr(PipelineJob, "tell", lambda job, step, *more: (steps.append(step), tell(job, step, *more)))

    def write(done: int, total: int, _: object) -> None:
        if done == total:
            store.write([entry(body) for body in late])

    replay.run(spark, url, [DEFAULT_TENANT, OTHER], on_progress=write)
    store.close()
    assert [step for step in steps if step != "folding"] == [
        "events that came in meanwhile, round 1",
        "swapping",
        "swapping",
    ]
    assert dump(url) == list(dump_graph(graph_of((*recorded(), *late), 1)))


def test_what_did_not_come_from_the_log_stays(spark: SparkSession, tmp_path: Path) -> None:
    url = filled(tmp_path)
    writer = BulkWriter(url)
    writer.merge({Shape: [row_of(Shape(1, b"s" * 16, kind="RUN_EVENT", origin="sql"))]})
    writer.close()
    replay.run(spark, url, [DEFAULT_TENANT])
    engine = make_engine(url)
    assert Reader(engine).facts(1, Shape, origin="sql") == [Shape(1, b"s" * 16, kind="RUN_EVENT", origin="sql")]
    engine.dispose()


def test_a_window_is_merged_into_what_is_there(spark: SparkSession, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    store = SqlStore(url)
    store.open()
    bodies = [event(f"job{day}", f"2026-03-0{day}T00:00:00Z") for day in range(1, 6)]
    store.write([entry(body) for body in bodies])
    store.close()
    engine = make_engine(url)
    with engine.begin() as connection:
        for table in fact_tables.values():
            connection.execute(table.delete())
    engine.dispose()
    start, end = (entry(body).event.time for body in (bodies[1], bodies[3]))
    report = replay.run(spark, url, [DEFAULT_TENANT], since=start, until=end)
    assert (report.events, report.swapped) == (2, False)
    assert dump(url) == list(dump_graph(graph_of(tuple(bodies[1:3]), 1)))
