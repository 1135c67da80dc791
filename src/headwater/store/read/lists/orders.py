"""Orders of lists of datasets, jobs and runs other than by name: one number per item.

Figures of datasets and jobs are computed from all runs of a tenant, so they take longer than an index.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from headwater.graph.facts import NodeKind, Role, Run, RunShape, RunStatus, ShapeDataset
from headwater.store.read.runs.attempts import WRITES
from headwater.store.tables import fact_tables

__all__ = ["newest_runs", "node_values", "run_value"]

_run, _part, _link = fact_tables[Run], fact_tables[ShapeDataset], fact_tables[RunShape]


def node_values(tenant: int, kind: NodeKind, by: str) -> sa.Select[Any]:
    """`node` and `value` of each dataset or job that has one. Times are microseconds, a status its number."""
    if kind is NodeKind.DATASET:
        return _of_datasets(tenant, by)
    if by in ("last_seen", "runs"):
        figure: sa.ColumnElement[Any] = sa.func.count() if by == "runs" else sa.func.max(_run.c.last_seen)
        conditions = (_run.c.tenant == tenant, _run.c.job.is_not(None))
        return sa.select(_run.c.job.label("node"), figure.label("value")).where(*conditions).group_by(_run.c.job)
    newest = newest_runs(tenant).subquery()
    value = newest.c.status if by == "status" else newest.c.ended_at - newest.c.started_at
    return sa.select(newest.c.job.label("node"), value.label("value")).where(newest.c.place == 1)


def newest_runs(tenant: int) -> sa.Select[Any]:
    """Runs of jobs; the newest of each job has `place` 1."""
    newest_first = (_run.c.first_seen.desc(), _run.c.run.desc())
    place = sa.func.row_number().over(partition_by=_run.c.job, order_by=newest_first)
    status = sa.func.coalesce(_run.c.status, 0).label("status")
    columns = (_run.c.job, status, _run.c.started_at, _run.c.ended_at, place.label("place"))
    known = (_run.c.tenant == tenant, _run.c.job.is_not(None), _run.c.first_seen.is_not(None))
    return sa.select(*columns).where(*known)


def run_value(by: str) -> sa.ColumnElement[Any]:
    """The value that a run is sorted by."""
    values = {
        "status": sa.func.coalesce(_run.c.status, 0),
        "duration": _run.c.ended_at - _run.c.started_at,
        "started_at": _run.c.started_at,
        "ended_at": _run.c.ended_at,
        "last_seen": _run.c.last_seen,
    }
    return values[by]


def _of_datasets(tenant: int, by: str) -> sa.Select[Any]:
    joined = _part.join(_link, sa.and_(_link.c.tenant == tenant, _link.c.shape == _part.c.shape))
    conditions = [_part.c.tenant == tenant]
    value: sa.ColumnElement[Any] = sa.func.max(_link.c.last_seen)
    if by == "runs":
        value = sa.func.count(_link.c.run.distinct())
    elif by == "last_written":
        joined = joined.join(_run, sa.and_(_run.c.tenant == tenant, _run.c.run == _link.c.run))
        value = sa.func.max(sa.func.coalesce(_run.c.ended_at, _run.c.last_seen, _link.c.last_seen))
        writes = sa.or_(_part.c.types.is_(None), _part.c.types == 0, _part.c.types.bitwise_and(WRITES) != 0)
        is_good = sa.func.coalesce(_run.c.status, 0) <= int(RunStatus.SUCCEEDED)
        conditions += [_part.c.role == int(Role.OUTPUT), writes, is_good]
    query = sa.select(_part.c.dataset.label("node"), value.label("value")).select_from(joined)
    return query.where(*conditions).group_by(_part.c.dataset)
