"""Each run in short: which run it is a part of, its job, day, state and duration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater.graph.current.run_around import parent_of, run_around
from headwater.graph.derived import RunSummary
from headwater.graph.facts import Run

__all__ = ["DAY", "counts", "day_of", "summarize"]

DAY = 86_400_000_000
"""Microseconds."""


def day_of(time: int) -> int:
    """Days since 1970.

    >>> day_of(-1), day_of(0), day_of(DAY)
    (-1, 0, 1)
    """
    return time // DAY


def summarize(runs: Iterable[Run]) -> dict[bytes, RunSummary]:
    """The summaries of one tenant's runs, by run."""
    found = {run.run: run for run in runs}
    parents = {run.run: parent_of(run) for run in found.values()}
    around = {run: run_around(run, parents) for run in found}
    began = {run.run: run.first_seen if run.first_seen is not None else run.started_at for run in found.values()}
    earliest: dict[bytes, int] = {}
    for run, time in began.items():
        if time is not None:
            earliest[around[run]] = min(time, earliest.get(around[run], time))
    return {
        run: _summary(fact, around[run], parents[run], began[run] if began[run] is not None else earliest.get(run))
        for run, fact in found.items()
    }


def counts(summary: RunSummary, summaries: Mapping[bytes, RunSummary]) -> bool:
    """Whether it counts for its job by itself: not if a run of the same job includes it, nor if it is undated."""
    if summary.job is None or summary.day is None:
        return False
    return summary.inside == summary.run or summaries[summary.inside or b""].job != summary.job


def _summary(run: Run, inside: bytes, parent: bytes | None, first_seen: int | None) -> RunSummary:
    known = run.started_at is not None and run.ended_at is not None and run.ended_at >= run.started_at
    return RunSummary(
        run.tenant,
        run.run,
        inside=inside,
        parent=parent,
        job=run.job,
        day=day_of(first_seen) if first_seen is not None else None,
        status=run.status,
        duration=run.ended_at - run.started_at if known else None,  # type: ignore[operator]  # known says so
        first_seen=first_seen,
        ended_at=run.ended_at,
    )
