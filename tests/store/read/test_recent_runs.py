"""The newest runs of many jobs, on every database."""

from __future__ import annotations

from headwater.graph.facts import RunStatus
from headwater.openlineage.naming import job_id
from headwater.store.read.lookup import Lookup
from headwater.store.read.runs.previous_run import previous_run
from headwater.store.read.runs.recent_runs import STARTS, failed_runs, jobs_that_ran, newest_successes, starts_of_jobs
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.lineage.test_aliases import event

BEGIN = 1_769_904_000_000_000  # 2026-02-01T00:00
SECOND = 1_000_000
LOAD, CLEAN = job_id("etl", "load"), job_id("etl", "clean")
FAR = BEGIN + 60 * SECOND


def fill(store: SqlStore) -> Lookup:
    """Of load 15 runs, the last of which failed; of clean two, at seconds 20 and 21."""
    bodies = [event("load", [], [("s3://lake", "t")], second) for second in range(1, 15)]
    bodies += [event("load", [], [("s3://lake", "t")], 15, state="FAIL")]
    bodies += [event("clean", [], [("s3://lake", "t")], second) for second in (20, 21)]
    store.write([entry_of(body) for body in bodies])
    return Lookup(store.engine)


def test_the_newest_run_of_each_job(store: SqlStore) -> None:
    lookup = fill(store)
    found, is_cut = jobs_that_ran(lookup, 1, BEGIN, FAR, 10)
    assert {run.job: (run.first_seen, run.status) for run in found} == {
        LOAD: (BEGIN + 15 * SECOND, RunStatus.FAILED),
        CLEAN: (BEGIN + 21 * SECOND, RunStatus.SUCCEEDED),
    }
    assert not is_cut
    assert [run.job for run in jobs_that_ran(lookup, 1, BEGIN + 16 * SECOND, FAR, 10)[0]] == [CLEAN]
    earlier, _ = jobs_that_ran(lookup, 1, BEGIN, BEGIN + 10 * SECOND, 10)
    assert [(run.job, run.first_seen) for run in earlier] == [(LOAD, BEGIN + 10 * SECOND)]
    assert jobs_that_ran(lookup, 1, BEGIN, FAR, 1)[1]
    assert jobs_that_ran(lookup, 2, BEGIN, FAR, 10) == ([], False)


def test_starts_and_successes(store: SqlStore) -> None:
    lookup = fill(store)
    starts = starts_of_jobs(lookup, 1, [LOAD, CLEAN], FAR)
    assert starts[LOAD] == [BEGIN + second * SECOND for second in range(15, 15 - STARTS, -1)]
    assert starts[CLEAN] == [BEGIN + 21 * SECOND, BEGIN + 20 * SECOND]
    assert starts_of_jobs(lookup, 1, [LOAD], BEGIN + 2 * SECOND)[LOAD] == [BEGIN + 2 * SECOND, BEGIN + SECOND]
    assert starts_of_jobs(lookup, 2, [LOAD], FAR).get(LOAD, []) == []
    assert {job: run.first_seen for job, run in newest_successes(lookup, 1, [LOAD, CLEAN], FAR).items()} == {
        LOAD: BEGIN + 14 * SECOND,
        CLEAN: BEGIN + 21 * SECOND,
    }
    assert newest_successes(lookup, 2, [LOAD], FAR) == {}


def test_failed_runs_and_the_run_before(store: SqlStore) -> None:
    lookup = fill(store)
    (failed,) = failed_runs(lookup, 1, BEGIN, FAR, 10)
    assert (failed.job, failed.status, failed.has_failed) == (LOAD, RunStatus.FAILED, True)
    assert failed_runs(lookup, 1, BEGIN, FAR, 0) == []
    assert failed_runs(lookup, 1, BEGIN + 16 * SECOND, FAR, 10) == []
    assert failed_runs(lookup, 2, BEGIN, FAR, 10) == []
    before = previous_run(store.engine, 1, [LOAD, CLEAN], failed.first_seen, failed.run)
    assert before == newest_successes(lookup, 1, [LOAD], FAR)[LOAD].run
    assert previous_run(store.engine, 2, [LOAD], failed.first_seen, failed.run) is None
