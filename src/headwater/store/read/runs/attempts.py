"""Results of runs that used a dataset: types of output, states and times. The tenant is the first argument."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from operator import or_
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.current.existence import UNDONE
from headwater.graph.current.sides import is_written
from headwater.graph.facts import OutputType, Role, Run, RunShape, RunStatus, ShapeDataset
from headwater.store.tables import fact_tables

__all__ = ["WRITES", "Attempts", "RunAttempt", "RunOutcome"]

_part, _link, _run = fact_tables[ShapeDataset], fact_tables[RunShape], fact_tables[Run]
WRITES = int(reduce(or_, (kind for kind in OutputType if is_written(kind))))


class RunOutcome(Struct, frozen=True):
    """Runs that ended in the same state and did the same to a dataset."""

    role: int
    types: int
    failed: bool
    stated: int
    """Time of the newest event that states it."""
    done: int
    """When the last of them ended; of one that has not ended, its newest event."""


class RunAttempt(Struct, frozen=True):
    """The newest run that set out to write a dataset, however it ended."""

    at: int
    run: bytes
    status: RunStatus


class Attempts:
    """Reads for one tenant at a time."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def outcomes(self, tenant: int, datasets: Collection[bytes]) -> list[RunOutcome]:
        """Few, however many runs there were."""
        columns = (_part.c.role, _part.c.types, _run.c.status)
        totals = sa.func.max(_link.c.last_seen), sa.func.max(_done())
        query = _used(tenant, datasets, *columns, *totals).group_by(*columns)
        with self._engine.connect() as connection:
            return [
                RunOutcome(role, types or 0, status in UNDONE, stated or 0, done or stated or 0)
                for role, types, status, stated, done in connection.execute(query)
            ]

    def newest_write(self, tenant: int, datasets: Collection[bytes]) -> RunAttempt | None:
        time = _done().label("time")
        writes = sa.or_(_part.c.types.is_(None), _part.c.types == 0, _part.c.types.bitwise_and(WRITES) != 0)
        query = _used(tenant, datasets, _run.c.run, _run.c.status, time)
        query = query.where(_part.c.role == int(Role.OUTPUT), writes)
        with self._engine.connect() as connection:
            row = connection.execute(query.order_by(time.desc(), _run.c.run.desc()).limit(1)).first()
        return None if row is None else RunAttempt(row.time or 0, bytes(row.run), RunStatus(row.status or 0))


def _done() -> sa.ColumnElement[int]:
    """When a run was done with a dataset; a run that has not ended, such as a stream, is by its newest event."""
    ended = sa.func.coalesce(_run.c.ended_at, _link.c.last_seen)
    is_over = _run.c.status >= int(RunStatus.SUCCEEDED)
    return sa.case((is_over, ended), else_=sa.func.coalesce(_run.c.last_seen, _link.c.last_seen))


def _used(tenant: int, datasets: Collection[bytes], *columns: Any) -> sa.Select[Any]:
    joined = _part.join(_link, sa.and_(_link.c.tenant == tenant, _link.c.shape == _part.c.shape))
    joined = joined.join(_run, sa.and_(_run.c.tenant == tenant, _run.c.run == _link.c.run))
    return sa.select(*columns).select_from(joined).where(_part.c.tenant == tenant, _part.c.dataset.in_(datasets))
