"""Jobs on one store at the same time: nothing is lost, and the one that has to wait is told for whom."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from headwater.pipeline.jobs import archive, infer, replay, rollup
from headwater.pipeline.jobs.replay import ReplayReport
from headwater.store.access.tenants import Tenants
from headwater.store.engine import WRITING, make_engine
from headwater.store.pipeline import jobs as module
from headwater.store.pipeline.job_locks import LockedPart
from headwater.store.pipeline.jobs import LeaseLost, LockedByOther, Waiting, running
from headwater.store.read.dump import dump_graph
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import pipeline_jobs
from headwater.store.write.log import Tenant
from tests.pipeline.jobs.test_replay import OTHER, spoil
from tests.pipeline.test_equivalence import dump
from tests.store.test_contract import entry, event, graph_of, recorded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AT_ONCE = Waiting(0)
WHOLE = list(dump_graph(graph_of(recorded(), 1)))
KILLED = """
import os, signal, sys
from headwater.pipeline.jobs import replay
from headwater.pipeline.spark.session import make_session
from headwater.store.write.log import Tenant

def kill(done, total, _):
    if done == total:  # all is folded aside, nothing is swapped in yet
        print("folded", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

replay.run(make_session("local[1]"), sys.argv[1], [Tenant(1, "default", "Default")], on_progress=kill)
"""


@pytest.fixture
def store(database: Callable[[], str]) -> Iterator[SqlStore]:
    """A store with the recorded events, whose graph is wrong."""
    opened = SqlStore(database())
    opened.open()
    Tenants(opened.engine).create(OTHER.code, OTHER.name, OTHER.id)
    opened.write([entry(body) for body in recorded()])
    opened.write([entry(event("theirs"), OTHER)])
    spoil(opened.engine.url.render_as_string(hide_password=False))
    yield opened
    opened.close()


@pytest.fixture
def url(store: SqlStore) -> str:
    return store.engine.url.render_as_string(hide_password=False)


def when_folded(then: Callable[[], None]) -> Callable[[int, int, ReplayReport], None]:
    """What is done while a replay has folded all of it, and swapped in nothing."""
    return lambda done, total, _: then() if done == total else None


def test_a_second_replay_of_a_tenant_waits_for_the_first(spark: SparkSession, url: str) -> None:
    refused: list[LockedByOther] = []

    def again() -> None:
        with pytest.raises(LockedByOther, match=r"the replay of .* holds the graph of tenant 'default'") as error:
            replay.run(spark, url, [DEFAULT_TENANT, OTHER], waiting=AT_ONCE)
        refused.append(error.value)

    replay.run(spark, url, [DEFAULT_TENANT], on_progress=when_folded(again))
    assert refused
    assert dump(url) == WHOLE
    replay.run(spark, url, [DEFAULT_TENANT, OTHER], waiting=AT_ONCE)
    assert dump(url) == WHOLE


@pytest.mark.parametrize("order", [(DEFAULT_TENANT, OTHER), (OTHER, DEFAULT_TENANT)])
def test_replays_of_two_tenants_at_once(spark: SparkSession, url: str, order: tuple[Tenant, Tenant]) -> None:
    first, second = order
    theirs = dump(url, OTHER)
    replay.run(spark, url, [first], on_progress=when_folded(lambda: _replay(spark, url, second)))
    assert dump(url) == WHOLE
    assert dump(url, OTHER) == theirs


def test_after_a_kill_the_next_one_begins_at_once(spark: SparkSession, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    store = SqlStore(url)
    store.open()
    store.write([entry(body) for body in recorded()])
    store.close()
    spoil(url)
    killed = subprocess.run([sys.executable, "-c", KILLED, url], capture_output=True, text=True, check=False)
    assert (killed.stdout, killed.returncode) == ("folded\n", -signal.SIGKILL)
    engine = make_engine(url)
    assert [name for name in sa.inspect(engine).get_table_names() if name.startswith("staged_")]
    assert dump(url) != WHOLE
    replay.run(spark, url, [DEFAULT_TENANT], waiting=AT_ONCE)
    assert dump(url) == WHOLE
    assert not [name for name in sa.inspect(engine).get_table_names() if name.startswith("staged_")]
    engine.dispose()


def test_one_that_was_held_up_too_long_puts_nothing_in_place(
    spark: SparkSession, url: str, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_TELL", 3600.0)  # the thread that renews the lease is held up too
    late = event("late")

    def take_over() -> None:
        """What happens to a machine that slept: its lease ran out, and another one replayed meanwhile."""
        with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
            mine = pipeline_jobs.c.ended_at.is_(None)
            connection.execute(pipeline_jobs.update().where(mine).values(expires_at=1, machine="another"))
        replay.run(spark, url, [DEFAULT_TENANT], waiting=AT_ONCE)
        store.write([entry(late)])

    with pytest.raises(LeaseLost):
        replay.run(spark, url, [DEFAULT_TENANT], on_progress=when_folded(take_over))
    assert dump(url) == list(dump_graph(graph_of((*recorded(), late), 1)))


def test_every_job_holds_what_it_changes(spark: SparkSession, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    opened = SqlStore(url)
    opened.open()
    opened.write([entry(body) for body in recorded()[:20]])
    opened.close()
    folder = str(tmp_path / "archive")
    jobs: list[tuple[LockedPart, Callable[[], object]]] = [
        (LockedPart.DERIVED, lambda: rollup.run(spark, url, waiting=AT_ONCE)),
        (LockedPart.INFERRED, lambda: infer.run(spark, url, waiting=AT_ONCE)),
        (LockedPart.ARCHIVE, lambda: archive.run(spark, url, folder=folder, waiting=AT_ONCE)),
        (LockedPart.LOG, lambda: archive.run(spark, url, folder=folder, retain_days=1, waiting=AT_ONCE)),
        (LockedPart.LOG, lambda: replay.run(spark, url, [DEFAULT_TENANT], waiting=AT_ONCE)),
        (LockedPart.GRAPH, lambda: replay.run(spark, url, [DEFAULT_TENANT], since=1, waiting=AT_ONCE)),
    ]
    with running(url, "another") as other:
        for part, job in jobs:
            with other.holding([1], [part], AT_ONCE), pytest.raises(LockedByOther, match=f"holds the {part.value} of"):
                job()
    assert dump(url) == list(dump_graph(graph_of(recorded()[:20], 1)))  # nothing was deleted, nothing lost


def test_a_replay_waits_for_a_rollup_before_it_swaps(spark: SparkSession, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    opened = SqlStore(url)
    opened.open()
    opened.write([entry(body) for body in recorded()])
    spoil(url)
    told: list[str] = []
    with running(url, "rollup") as other:
        held = other.holding([1], [LockedPart.DERIVED], AT_ONCE)
        held.__enter__()

        def tell(message: str) -> None:
            told.append(message)
            assert dump(url) != WHOLE
            held.__exit__(None, None, None)

        replay.run(spark, url, [DEFAULT_TENANT], waiting=Waiting(0, tell))
    assert len(told) == 1
    assert dump(url) == WHOLE
    opened.close()


def _replay(spark: SparkSession, url: str, tenant: Tenant) -> None:
    replay.run(spark, url, [tenant], waiting=AT_ONCE)
