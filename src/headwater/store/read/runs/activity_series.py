"""How many runs, events and refused events there were, hour by hour or day by day. The tenant comes first."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from headwater.deadline import check
from headwater.graph.facts import Role, Run, RunDataset
from headwater.store.tables import dead_letters, events, fact_tables

__all__ = ["Amounts", "RunCount", "amounts_by_time", "events_by_time", "refused_by_time", "runs_by_time"]

_run, _used = fact_tables[Run], fact_tables[RunDataset]
RunCount = tuple[int, int | None, int, float | None]
"""Beginning of the hour or day, status, runs, microseconds that they took together."""
Amounts = tuple[int, float | None, float | None]
"""Beginning, rows and bytes that were written."""


def runs_by_time(
    engine: sa.Engine, tenant: int, jobs: Collection[bytes] | None, since: int, until: int, width: int
) -> list[RunCount]:
    """Runs and operations by when they were first seen."""
    at = _beginning(_run.c.first_seen, width)
    lasted = sa.func.sum(sa.cast(_run.c.ended_at - _run.c.started_at, sa.Double))
    query = sa.select(at, _run.c.status, sa.func.count(), lasted).where(*_runs(tenant, jobs, since, until))
    return [
        (begin, status, count, took) for begin, status, count, took in _rows(engine, query.group_by(at, _run.c.status))
    ]


def amounts_by_time(
    engine: sa.Engine, tenant: int, jobs: Collection[bytes] | None, since: int, until: int, width: int
) -> list[Amounts]:
    """Amounts written by runs that began in each interval; runs without figures are not counted."""
    at = _beginning(_run.c.first_seen, width)
    joined = _run.join(_used, sa.and_(_used.c.tenant == tenant, _used.c.run == _run.c.run))
    sums = [sa.func.sum(sa.cast(column, sa.Double)) for column in (_used.c.rows, _used.c.bytes)]
    query = sa.select(at, *sums).select_from(joined)
    query = query.where(*_runs(tenant, jobs, since, until), _used.c.role == int(Role.OUTPUT)).group_by(at)
    return [tuple(row) for row in _rows(engine, query)]


def events_by_time(engine: sa.Engine, tenant: int, since: int, until: int, width: int) -> dict[int, int]:
    """Events by the time that they state."""
    at = _beginning(events.c.event_time, width)
    query = sa.select(at, sa.func.count()).where(
        events.c.tenant_id == tenant, events.c.event_time >= since, events.c.event_time <= until
    )
    return {row[0]: row[1] for row in _rows(engine, query.group_by(at))}


def refused_by_time(engine: sa.Engine, tenant: int, since: int, until: int, width: int) -> dict[int, int]:
    """Events that were refused, by when they were received."""
    at = _beginning(dead_letters.c.received_at, width)
    query = sa.select(at, sa.func.count()).where(
        dead_letters.c.tenant_id == tenant, dead_letters.c.received_at >= since, dead_letters.c.received_at <= until
    )
    return {row[0]: row[1] for row in _rows(engine, query.group_by(at))}


def _runs(tenant: int, jobs: Collection[bytes] | None, since: int, until: int) -> list[sa.ColumnElement[bool]]:
    conditions = [_run.c.tenant == tenant, _run.c.first_seen >= since, _run.c.first_seen <= until]
    return conditions if jobs is None else [*conditions, _run.c.job.in_(sorted(jobs))]


def _beginning(column: sa.ColumnElement[int], width: int) -> sa.ColumnElement[int]:
    wide: sa.ColumnElement[int] = sa.literal_column(str(width))
    return (column - column % wide).label("at")


def _rows(engine: sa.Engine, query: Any) -> list[Any]:
    check()
    with engine.connect() as connection:
        return list(connection.execute(query).all())
