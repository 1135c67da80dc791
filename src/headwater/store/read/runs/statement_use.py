"""How often and how long statements were executed, as the pipeline has summed it up by job and day."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.current.sums import LARGEST
from headwater.graph.derived import SqlUse
from headwater.store.tables import derived_tables

__all__ = ["Days", "StatementRuns", "statement_runs", "use_of_statements"]

_use = derived_tables[SqlUse].c

Days = tuple[int, int]
"""The first and the last, as days since 1970."""


class StatementRuns(Struct, frozen=True):
    """Of all jobs together."""

    runs: int
    failures: int
    duration: int | None
    """Microseconds in all, of runs whose start and end are known."""
    last_run: int | None
    """When a run last named it."""


def use_of_statements(tenant: int, days: Days | None = None) -> sa.Select[Any]:
    """One row a statement: `sql`, `runs`, `failures`, `duration` (a floating point number) and `last_run`."""
    conditions = [_use.tenant == tenant]
    if days is not None:
        conditions.append(_use.day.between(*days))
    return (
        sa.select(
            _use.sql,
            sa.cast(sa.func.sum(_use.runs), sa.BigInteger).label("runs"),
            sa.cast(sa.func.sum(_use.failures), sa.BigInteger).label("failures"),
            # Anybody may send durations whose sum no database holds as a whole number.
            sa.func.sum(sa.cast(_use.duration_total, sa.Double)).label("duration"),
            sa.func.max(_use.last_seen).label("last_run"),
        )
        .where(*conditions)
        .group_by(_use.sql)
    )


def statement_runs(
    engine: sa.Engine, tenant: int, statements: Collection[bytes], days: Days | None = None
) -> dict[bytes, StatementRuns]:
    """The figures of these statements; of those that the pipeline has summed up."""
    query = use_of_statements(tenant, days).where(_use.sql.in_(statements))
    with engine.connect() as connection:
        return {
            sql: StatementRuns(
                runs or 0, failures or 0, None if duration is None else min(int(duration), LARGEST), last
            )
            for sql, runs, failures, duration, last in connection.execute(query)
        }
