"""How much a dataset was used, or a job ran, day by day."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from headwater.graph.derived import DatasetDay, JobDay
from headwater.graph.facts import NodeKind
from headwater.graph.rollup.summarize import day_of
from headwater.lineage.answer.values import moment
from headwater.lineage.errors import BadQuestion
from headwater.lineage.names.find import find_node
from headwater.lineage.walk.lineage import freshness
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.read.runs.totals import progress
from headwater.store.read.series import FIRST_DAY, LAST_DAY, dataset_series, job_series

__all__ = ["DATASET_FIELDS", "DEFAULT_DAYS", "JOB_FIELDS", "MOST_DAYS", "days_between", "fields_of", "series"]

MOST_DAYS, DEFAULT_DAYS = 1_000, 90
_AMOUNTS = ("rows_read", "rows_written", "bytes_read", "bytes_written")
DATASET_FIELDS = ("day", "reads", "writes", "failures", *_AMOUNTS, "last_written")
JOB_FIELDS = ("day", "runs", "succeeded", "failed", "killed", "other", "duration_p50_ms", "duration_p95_ms", *_AMOUNTS)
_EPOCH = date(1970, 1, 1)


def series(
    reader: Reader,
    tenant: int,
    name: str,
    *,
    since: int | None = None,
    until: int | None = None,
    limit: int = DEFAULT_DAYS,
) -> dict[str, Any]:
    """The newest days on which a run began that used the dataset, or of the job: the earliest of them first."""
    if not 1 <= limit <= MOST_DAYS:
        raise BadQuestion(f"limit must be a whole number from 1 to {MOST_DAYS}, not {limit}.", path="?limit")
    first, last = days_between(since, until) or (FIRST_DAY, LAST_DAY)
    found = find_node(reader, tenant, name)
    lookup = Lookup(reader.engine)
    days: list[dict[str, Any]]
    if found.kind is NodeKind.JOB:
        shown = found
        days = [_of_job(row) for row in job_series(lookup, tenant, found.id, first, last, limit + 1)]
    else:
        aliases = Aliases(reader, tenant)
        aliases.learn([found.id])
        group = aliases.group(found.id)
        shown = reader.names(tenant, group).get(aliases.canonical(found.id), found)
        days = [_of_dataset(row) for row in dataset_series(lookup, tenant, sorted(group), first, last, limit + 1)]
    return {
        "of": shown.node_id,
        "kind": shown.kind.name.lower(),
        "by": "day",
        "since": None if since is None else _date(first),
        "until": None if until is None else _date(last),
        "days": days[:limit][::-1],
        "truncated": len(days) > limit,
        "freshness": freshness(progress(lookup)),
    }


def days_between(since: int | None, until: int | None) -> tuple[int, int] | None:
    """Days from the first to the second time, both included; None if neither is given."""
    if since is None and until is None:
        return None
    first = FIRST_DAY if since is None else day_of(since)
    last = LAST_DAY if until is None else day_of(until)
    if first > last:
        raise BadQuestion("since is after until.", path="?since", hint="Exchange the two.")
    return first, last


def fields_of(kind: str) -> tuple[str, ...]:
    """The members of a day."""
    return JOB_FIELDS if kind == "job" else DATASET_FIELDS


def _of_job(row: JobDay) -> dict[str, Any]:
    runs, ended = row.runs or 0, (row.succeeded or 0, row.failures or 0, row.killed or 0)
    durations = [None if value is None else value // 1000 for value in (row.duration_p50, row.duration_p95)]
    values = (_date(row.day), runs, *ended, runs - sum(ended), *durations, *_amounts(row))
    return dict(zip(JOB_FIELDS, values, strict=True))


def _of_dataset(row: DatasetDay) -> dict[str, Any]:
    counts = (row.reads or 0, row.writes or 0, row.failures or 0)
    return dict(zip(DATASET_FIELDS, (_date(row.day), *counts, *_amounts(row), moment(row.last_written)), strict=True))


def _amounts(row: JobDay | DatasetDay) -> tuple[int | None, ...]:
    return row.rows_read, row.rows_written, row.bytes_read, row.bytes_written


def _date(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).isoformat()
