"""Locks of the pipeline's jobs on parts of a tenant's data, so that two jobs do not undo each other's work.

A lock is a row with the token of a job, valid as long as that job's lease (`pipeline_jobs`). It is no lock of the
database itself: SQLite has none that outlives a transaction, and those of PostgreSQL and MariaDB vanish with their
connection, unnoticed behind a pooler or after an outage, and cannot name their holder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import is_conflict
from headwater.store.engine import WRITING, is_busy
from headwater.store.pipeline.process import is_gone
from headwater.store.tables import pipeline_jobs, pipeline_locks, tenants

__all__ = ["LockState", "LockedPart", "is_alive", "mark_over", "release", "take"]

_AT_ONCE = 400
_RACES = 10
_over: set[str] = set()
"""Ended jobs of this process, whether or not the database was up to record that."""
_PATIENCE = {"postgresql": "SET LOCAL lock_timeout = '2s'"}
"""A job locks its own row while it swaps in new tables. Others try again after this time."""


class LockedPart(StrEnum):
    """A part of a tenant's data that one job at a time works on."""

    LOG = "log"
    """Taken by a job that must not see events vanish, and by the one that deletes them."""
    ARCHIVE = "archive"
    GRAPH = "graph"
    INFERRED = "inferred"
    DERIVED = "derived"
    MODELS = "models"


class LockState(Struct, frozen=True):
    """A part that another job holds. Times are microseconds since 1970, by the clock of the database."""

    tenant: int
    code: str
    part: str
    token: str
    job: str
    holder: str
    since: int
    renewed_at: int
    expires_at: int
    now: int


class _Raced(Exception):
    """Another process changed the same rows just now."""


def take(
    engine: sa.Engine, token: str, wanted: Collection[int], parts: Collection[LockedPart], *, partly: bool = False
) -> tuple[set[int], list[LockState]]:
    """Lock parts of tenants for a job, in one transaction; gives the locked tenants, and the locks of others.

    All of them or none; with `partly`, of each tenant all parts or none.
    """
    seen: list[LockState] = []
    for _ in range(_RACES):
        try:
            with engine.connect().execution_options(**WRITING) as connection, connection.begin():
                if connection.dialect.name in _PATIENCE:
                    connection.exec_driver_sql(_PATIENCE[connection.dialect.name])
                taken, seen = _take(connection, token, sorted(wanted), sorted(parts), partly=partly)
                return taken, seen
        except (_Raced, sa.exc.IntegrityError):
            continue
        except sa.exc.DBAPIError as error:
            if not (is_conflict(error) or is_busy(error)):
                raise
    return set(), seen or locks_of_others(engine, token, wanted, parts)


def locks_of_others(
    engine: sa.Engine, token: str, wanted: Collection[int], parts: Collection[LockedPart]
) -> list[LockState]:
    """Locks of other jobs on these parts, read with a lock on their rows."""
    with engine.connect() as connection:
        now = database_time(connection)
        rows = _rows(connection, sorted(wanted), sorted(parts))
        return [_locks_of(row, now) for row in rows if row.token != token and is_alive(row, now)]


def release(engine: sa.Engine, token: str, given: Collection[int], parts: Collection[LockedPart]) -> None:
    """Give parts of tenants back."""
    with engine.connect().execution_options(**WRITING) as connection, connection.begin():
        for chunk in _chunks(sorted(given)):
            mine = pipeline_locks.c.token == token
            connection.execute(pipeline_locks.delete().where(mine, _concerning(chunk, sorted(parts))))


def mark_over(token: str) -> None:
    """A job of this process has ended."""
    _over.add(token)


def is_alive(row: Any, now: int) -> bool:
    """Whether a job still holds its locks: its lease is valid, and its process is not known to be gone."""
    return (
        row.token not in _over
        and row.expires_at is not None
        and row.ended_at is None
        and row.expires_at > now
        and not is_gone(row.machine, row.pid, row.process_began)
    )


def _take(
    connection: sa.Connection, token: str, wanted: Sequence[int], parts: Sequence[LockedPart], *, partly: bool
) -> tuple[set[int], list[LockState]]:
    now = database_time(connection)
    rows = {(row.tenant, row.part): row for row in _rows(connection, wanted, parts)}
    locks = [_locks_of(row, now) for row in rows.values() if row.token != token and is_alive(row, now)]
    free = set(wanted) - {each.tenant for each in locks}
    if locks and not partly:
        return set(), locks
    for each in {row.token: row for row in rows.values() if row.tenant in free and row.token != token}.values():
        _end(connection, each, now)
    for tenant in sorted(free):
        for part in parts:
            _write(connection, token, tenant, part, rows.get((tenant, part)))
    return free, locks


def _end(connection: sa.Connection, row: Any, now: int) -> None:
    """A job whose lease ran out has ended, from now on also for itself. Not so if it renewed it meanwhile."""
    if row.expires_at is None or row.ended_at is not None:
        return
    ended = (
        pipeline_jobs.update()
        .where(
            pipeline_jobs.c.token == row.token,
            pipeline_jobs.c.ended_at.is_(None),
            pipeline_jobs.c.expires_at == row.expires_at,
        )
        .values(ended_at=now, error="Its process ended without a word, or its lease ran out.")
    )
    if connection.execute(ended).rowcount != 1:
        raise _Raced


def _write(connection: sa.Connection, token: str, tenant: int, part: LockedPart, known: Any) -> None:
    if known is None:
        connection.execute(pipeline_locks.insert(), {"tenant": tenant, "part": part.value, "token": token})
        return
    lock = pipeline_locks.c
    change = pipeline_locks.update().where(lock.tenant == tenant, lock.part == part.value, lock.token == known.token)
    if known.token != token and connection.execute(change.values(token=token)).rowcount != 1:
        raise _Raced


def _rows(connection: sa.Connection, wanted: Sequence[int], parts: Sequence[LockedPart]) -> list[Any]:
    found: list[Any] = []
    job = pipeline_jobs.c
    for chunk in _chunks(wanted):
        query = (
            sa.select(
                pipeline_locks,
                tenants.c.code,
                *(job[name] for name in ("job", "holder", "machine", "pid", "process_began")),
                *(job[name] for name in ("since", "renewed_at", "expires_at", "ended_at")),
            )
            .select_from(
                pipeline_locks.outerjoin(pipeline_jobs, job.token == pipeline_locks.c.token).outerjoin(
                    tenants, tenants.c.id == pipeline_locks.c.tenant
                )
            )
            .where(_concerning(chunk, parts))
        )
        found += connection.execute(query).all()
    return found


def _concerning(chunk: Sequence[int], parts: Sequence[LockedPart]) -> sa.ColumnElement[bool]:
    return sa.and_(pipeline_locks.c.tenant.in_(chunk), pipeline_locks.c.part.in_([part.value for part in parts]))


def _locks_of(row: Any, now: int) -> LockState:
    code = row.code if row.code is not None else str(row.tenant)
    times = (row.since, row.renewed_at, row.expires_at, now)
    return LockState(row.tenant, code, row.part, row.token, row.job, row.holder, *times)


def _chunks(ordered: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ordered), _AT_ONCE):
        yield ordered[start : start + _AT_ONCE]
