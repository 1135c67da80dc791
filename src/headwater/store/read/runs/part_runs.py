"""Runs and operations below runs, or below runs of a job, level by level, with their ids and jobs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from headwater.graph.current.run_around import MOST_LEVELS
from headwater.graph.current.window import Window
from headwater.store.read.lookup import Lookup

__all__ = ["MOST_STARTS", "PartRun", "PartRuns", "newest_runs", "runs_below"]

MOST_STARTS = 250
"""Runs of one job whose parts are looked for, the newest first."""
_MOST_RUNS = 10_000
"""Parts that are looked at."""
_COLUMNS = "run, job, parent_run, [name], started_at, ended_at, first_seen, last_seen"
_NEWEST = (
    "SELECT run FROM run WHERE tenant = ? AND job = ? AND (first_seen IS NULL OR first_seen <= ?) "
    "ORDER BY first_seen DESC LIMIT ?"
)
_COUNT = "SELECT COUNT(*) FROM run WHERE tenant = ? AND job = ? AND (first_seen IS NULL OR first_seen <= ?)"
_BELOW = f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND parent_run {{ids}} LIMIT ?"


class PartRun(Struct, frozen=True, gc=False):
    run: bytes
    job: bytes | None
    parent: bytes
    name: str | None
    began: int | None
    ended: int | None


class PartRuns(Struct):
    parts: dict[bytes, PartRun]
    owner: dict[bytes, bytes]
    """By part, the run it was reached from."""
    is_cut: bool


def newest_runs(lookup: Lookup, tenant: int, jobs: Iterable[bytes], window: Window) -> tuple[set[bytes], int]:
    """The newest runs of jobs, also those that only their parts mention, and how many more there are."""
    _, until = window.bounds
    found: set[bytes] = set()
    left = 0
    for job in jobs:
        rows = lookup.all(_NEWEST, tenant, job, until, MOST_STARTS + 1)
        found.update(row[0] for row in rows[:MOST_STARTS])
        if len(rows) > MOST_STARTS:
            left += lookup.all(_COUNT, tenant, job, until)[0][0] - MOST_STARTS
    return found, left


def runs_below(lookup: Lookup, tenant: int, runs: Collection[bytes], window: Window) -> PartRuns:
    """Everything below these runs: at most 20 levels, and 10,000 in all."""
    since, until = window.bounds
    parts: dict[bytes, PartRun] = {}
    owner = {run: run for run in runs}
    level: Collection[bytes] = set(runs)
    for _ in range(MOST_LEVELS):
        if not level:
            return PartRuns(parts, owner, is_cut=False)
        following: set[bytes] = set()
        for run, job, parent, name, started, ended, first, last in lookup.rows(_BELOW, tenant, level, _MOST_RUNS + 1):
            if run in owner or (first is not None and first > until) or (last is not None and last < since):
                continue
            if len(parts) >= _MOST_RUNS:
                return PartRuns(parts, owner, is_cut=True)
            parts[run] = PartRun(
                run, job, parent, name, first if started is None else started, last if ended is None else ended
            )
            owner[run] = owner[parent]
            following.add(run)
        level = following
    return PartRuns(parts, owner, is_cut=bool(level))
