"""The newest runs of many jobs, and runs that failed lately. The tenant comes first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from msgspec import Struct

from headwater.graph.facts import NodeKind, RunStatus
from headwater.store.read.lookup import Lookup

__all__ = ["STARTS", "RecentRun", "failed_runs", "jobs_that_ran", "newest_successes", "starts_of_jobs"]

STARTS = 12
"""Runs of a job, the newest, by which its rhythm is known."""
_COLUMNS = "run, job, parent_run, status, first_seen, ended_at"
_FAILED = (
    f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND first_seen >= ? AND first_seen <= ? "
    f"AND status IN ({int(RunStatus.KILLED)}, {int(RunStatus.FAILED)}) ORDER BY first_seen DESC, run DESC LIMIT ?"
)
_OF_JOB = "SELECT r.{what} FROM run r WHERE r.tenant = n.tenant AND r.job = n.node AND r.first_seen <= ? {more}"
_NEWEST_FIRST = "ORDER BY r.first_seen DESC, r.run DESC LIMIT 1"
_NEWEST = (
    f"SELECT ({_OF_JOB.format(what='run', more=_NEWEST_FIRST)}) FROM node n WHERE n.tenant = ? "
    f"AND n.kind = {int(NodeKind.JOB)} LIMIT ?"
)
_SUCCESS = (
    f"SELECT n.node, ({_OF_JOB.format(what='run', more=f'AND r.status = {int(RunStatus.SUCCEEDED)} {_NEWEST_FIRST}')}) "
    "FROM node n WHERE n.tenant = ? AND n.node {ids}"
)
_STARTS = (
    "SELECT n.node, "
    + ", ".join(
        f"({_OF_JOB.format(what='first_seen', more=f'{_NEWEST_FIRST} OFFSET {place}')})" for place in range(STARTS)
    )
    + " FROM node n WHERE n.tenant = ? AND n.node {ids}"
)
_RUNS = f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND run {{ids}}"


class RecentRun(Struct, frozen=True):
    run: bytes
    job: bytes | None
    parent: bytes | None
    status: RunStatus
    first_seen: int
    ended_at: int | None

    @property
    def has_failed(self) -> bool:
        return self.status in (RunStatus.FAILED, RunStatus.KILLED)


def failed_runs(lookup: Lookup, tenant: int, since: int, until: int, most: int) -> list[RecentRun]:
    """Runs and operations that were first seen then and failed or were killed, the newest first."""
    return [_run(row) for row in lookup.all(_FAILED, tenant, since, until, most)]


def jobs_that_ran(lookup: Lookup, tenant: int, since: int, until: int, most: int) -> tuple[list[RecentRun], bool]:
    """The newest run of each job, where it is from this time; and whether there are more jobs than were looked at."""
    rows = lookup.all(_NEWEST, until, tenant, most + 1)
    runs = lookup.rows(_RUNS, tenant, [run for (run,) in rows[:most] if run is not None])
    return [run for run in map(_run, runs) if run.first_seen >= since], len(rows) > most


def newest_successes(lookup: Lookup, tenant: int, jobs: Collection[bytes], until: int) -> dict[bytes, RecentRun]:
    """By job, the newest run that succeeded."""
    newest = {job: run for job, run in lookup.rows(_SUCCESS, tenant, jobs, before=(until,)) if run is not None}
    runs = {row[0]: _run(row) for row in lookup.rows(_RUNS, tenant, set(newest.values()))}
    return {job: runs[run] for job, run in newest.items() if run in runs}


def starts_of_jobs(lookup: Lookup, tenant: int, jobs: Collection[bytes], until: int) -> dict[bytes, list[int]]:
    """By job, when its newest runs were first seen."""
    found: dict[bytes, list[int]] = defaultdict(list)
    for job, *times in lookup.rows(_STARTS, tenant, jobs, before=(until,) * STARTS):
        found[job] += [time for time in times if time is not None]
    return found


def _run(row: tuple[object, ...]) -> RecentRun:
    run, job, parent, status, first_seen, ended_at = row
    return RecentRun(run, job, parent, RunStatus(status or 0), first_seen or 0, ended_at)  # type: ignore[arg-type]
