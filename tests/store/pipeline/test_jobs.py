"""Jobs of the pipeline hold parts of a tenant's data against each other, on every database."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import sqlalchemy as sa

from headwater.store.access.tenants import Tenants
from headwater.store.engine import WRITING, make_engine
from headwater.store.pipeline import jobs as module
from headwater.store.pipeline.job_locks import LockedPart, take
from headwater.store.pipeline.jobs import LeaseLost, LockedByOther, PipelineJob, Waiting, read_jobs, running
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import pipeline_jobs, pipeline_locks
from headwater.store.write.leftovers import drop_leftovers

MINE = DEFAULT_TENANT.id
AT_ONCE = Waiting(0)
KILLED = """
import sys, time
from headwater.store.pipeline.job_locks import LockedPart
from headwater.store.pipeline.jobs import Waiting, running
with running(sys.argv[1], "replay") as job, job.holding([1], [LockedPart.GRAPH], Waiting()):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def url(store: SqlStore) -> str:
    return store.engine.url.render_as_string(hide_password=False)


def change(store: SqlStore, job: PipelineJob, **values: object) -> None:
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        connection.execute(pipeline_jobs.update().where(pipeline_jobs.c.token == job.token).values(**values))


@contextmanager
def without_renewal(monkeypatch: pytest.MonkeyPatch, url: str) -> Iterator[PipelineJob]:
    """A job whose process is held up."""
    with monkeypatch.context() as patched:
        patched.setattr(module, "_TELL", 3600.0)
        with running(url, "replay") as job:
            yield job


def test_one_at_a_time_and_it_says_which(url: str, store: SqlStore) -> None:
    with running(url, "replay") as first, running(url, "archive") as second, ExitStack() as kept:
        kept.enter_context(first.holding([MINE], [LockedPart.GRAPH, LockedPart.LOG], AT_ONCE))
        with (
            pytest.raises(LockedByOther) as refused,
            second.holding([MINE], [LockedPart.ARCHIVE, LockedPart.LOG], AT_ONCE),
        ):
            pass
        message = refused.value.message
        assert "the replay of" in message
        assert "the log of tenant 'default' since 20" in message
        assert f"process {read_jobs(store.engine)[0].holder.rpartition(' ')[2]}" in message
        with second.holding([MINE], [LockedPart.ARCHIVE], AT_ONCE):  # nothing was kept of what it did not get in full
            pass
    with running(url, "archive") as second, second.holding([MINE], [LockedPart.ARCHIVE, LockedPart.LOG], AT_ONCE):
        assert len(read_jobs(store.engine)) == 1
    assert [job.job for job in read_jobs(store.engine, ended=3)] == ["archive", "replay", "archive"]


def test_tenants_do_not_hinder_each_other(url: str, store: SqlStore) -> None:
    other = Tenants(store.engine).create("other", "Other").id
    with running(url, "replay") as first, first.holding([MINE], [LockedPart.GRAPH], AT_ONCE):
        with running(url, "replay") as second, second.holding([other], [LockedPart.GRAPH], AT_ONCE):
            pass
        with running(url, "stream") as third:
            with third.holding_free([MINE, other], [LockedPart.GRAPH], AT_ONCE) as free:
                assert free == {other}
            with pytest.raises(LockedByOther), third.holding([MINE, other], [LockedPart.GRAPH], AT_ONCE):
                pass


def test_it_waits_and_says_so_once(url: str) -> None:
    told: list[str] = []
    with running(url, "replay") as first, running(url, "replay") as second, ExitStack() as kept:
        kept.enter_context(first.holding([MINE], [LockedPart.GRAPH], AT_ONCE))

        def tell(message: str) -> None:
            told.append(message)
            threading.Timer(0.2, kept.close).start()

        with second.holding([MINE], [LockedPart.GRAPH], Waiting(60, tell)):
            assert len(told) == 1


def test_what_a_killed_process_held_is_free_at_once(url: str, store: SqlStore) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, url], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == b"held\n"
        with running(url, "replay") as job:
            with pytest.raises(LockedByOther), job.holding([MINE], [LockedPart.GRAPH], AT_ONCE):
                pass
            process.send_signal(signal.SIGKILL)
            process.wait()
            with job.holding([MINE], [LockedPart.GRAPH], AT_ONCE):
                assert [each.token for each in read_jobs(store.engine)] == [job.token]


def test_a_job_of_another_machine_has_its_lease(url: str, store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with without_renewal(monkeypatch, url) as away, running(url, "replay") as job:
        with away.holding([MINE], [LockedPart.GRAPH], AT_ONCE):
            change(store, away, machine="another", pid=1, process_began=1)
            with (
                pytest.raises(LockedByOther, match="holds the graph"),
                job.holding([MINE], [LockedPart.GRAPH], AT_ONCE),
            ):
                pass
            change(store, away, expires_at=1)
            with job.holding([MINE], [LockedPart.GRAPH], AT_ONCE):
                with pytest.raises(LeaseLost), store.engine.begin() as connection:
                    away.confirm(connection)
                with pytest.raises(LeaseLost):
                    away.check()
            away.begin_again()
            away.check()
        with away.holding([MINE], [LockedPart.GRAPH], AT_ONCE):
            pass


def test_a_lease_that_ran_out_is_renewed_unless_it_was_taken(
    url: str, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as kept:
        job = kept.enter_context(without_renewal(monkeypatch, url))
        kept.enter_context(job.holding([MINE], [LockedPart.GRAPH], AT_ONCE))
        change(store, job, expires_at=1)
        with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
            job.confirm(connection)
        other = kept.enter_context(running(url, "replay"))
        with pytest.raises(LockedByOther), other.holding([MINE], [LockedPart.GRAPH], AT_ONCE):
            pass


def test_a_lease_is_renewed_and_progress_written_meanwhile(
    url: str, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_TELL", 0.05)
    with running(url, "rollup", MINE) as job:
        change(store, job, expires_at=1)
        job.tell("run_total", 2, 9, {"rows": 17})
        deadline = time.monotonic() + 20
        while not (found := read_jobs(store.engine)[0]).figures and time.monotonic() < deadline:
            time.sleep(0.02)
        assert (found.job, found.tenant, found.step, found.done, found.total) == ("rollup", MINE, "run_total", 2, 9)
        assert found.figures == {"rows": 17}
        assert found.is_alive


def test_the_error_of_a_job_stays(url: str, store: SqlStore) -> None:
    with pytest.raises(ValueError, match="first"), running(url, "infer"):
        raise ValueError("first\nsecond")
    ended = read_jobs(store.engine, ended=1)[0]
    assert (ended.error, ended.is_alive) == ("first", False)


def test_of_many_only_one_gets_what_a_dead_job_held(url: str, store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as kept:
        engines = [make_engine(url) for _ in range(4)]
        jobs = [kept.enter_context(without_renewal(monkeypatch, url)) for _ in range(4)]
        for _ in range(5):
            with running(url, "replay") as dead, dead.holding([MINE], [LockedPart.GRAPH], AT_ONCE):
                change(store, dead, expires_at=1)
                start, taken = threading.Barrier(4), []

                def race(place: int, start: threading.Barrier = start, taken: list[int] = taken) -> None:
                    start.wait()
                    if take(engines[place], jobs[place].token, [MINE], [LockedPart.GRAPH])[0]:
                        taken.append(place)

                threads = [threading.Thread(target=race, args=(place,)) for place in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                assert len(taken) == 1
            with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
                tokens = connection.execute(sa.select(pipeline_locks.c.token)).scalars().all()
                assert tokens == [jobs[taken[0]].token]
                connection.execute(pipeline_locks.delete())
        for engine in engines:
            engine.dispose()


def test_tables_of_jobs_that_are_gone_are_dropped(database: Callable[[], str]) -> None:
    url = database()
    opened = SqlStore(url)
    opened.open()
    opened.close()
    engine = make_engine(url)
    with running(url, "replay") as job:
        mine = f"{job.table_prefix('staged')}_node"
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            for name in (mine, "aside_0123abcd_run_total", "staged_node", "aside_of_a_user"):
                connection.exec_driver_sql(f"CREATE TABLE {name} (a INTEGER)")
        assert drop_leftovers(engine) == ["aside_0123abcd_run_total", "staged_node"]
        assert {mine, "aside_of_a_user", "node"} <= set(sa.inspect(engine).get_table_names())
    assert drop_leftovers(engine) == [mine]
    engine.dispose()
