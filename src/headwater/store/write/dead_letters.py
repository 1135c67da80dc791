"""Refused events with a known sender: reason, time, sender, and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.openlineage.naming import clean
from headwater.store.compression import compress, decompress
from headwater.store.engine import WRITING
from headwater.store.scope import Scope, within
from headwater.store.tables import dead_letters
from headwater.store.time_ordered_ids import new_ids

__all__ = ["REFUSED", "TAKEN", "DeadLetter", "DeadLetters", "Filter", "Group", "Refusal"]

REFUSED, TAKEN = "REFUSED", "TAKEN"


class Refusal(Struct, frozen=True, kw_only=True):
    """An event that was refused just now."""

    tenant_id: int | None
    """The tenant of the credential, else the one the event names; None if there is neither."""
    key_id: str | None
    source: str
    received_at: int
    reason: str
    message: str
    path: str | None
    body: bytes
    vouched: str | None = None
    """Tenant named in a gateway's assertion, if it does not exist here."""


class DeadLetter(Struct, frozen=True, kw_only=True):
    id: int
    tenant_id: int | None
    key_id: str | None
    source: str
    received_at: int
    reason: str
    message: str
    path: str | None
    state: str
    """REFUSED, or TAKEN once a retry succeeded."""
    retried_at: int | None
    attempts: int
    vouched: str | None


class Group(Struct, frozen=True):
    """Those of one reason and source."""

    reason: str
    source: str
    count: int
    newest: int
    """Id of the newest."""
    first_at: int
    last_at: int


class Filter(Struct, frozen=True, kw_only=True):
    """Filter of dead letters; None does not filter."""

    state: str | None = None
    reason: str | None = None
    source: str | None = None
    key_id: str | None = None
    after: int | None = None
    before: int | None = None


class DeadLetters:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def add(self, refusals: Sequence[Refusal]) -> None:
        rows = [
            {
                "id": dead_letter_id,
                **{name: getattr(refusal, name) for name in Refusal.__struct_fields__},
                "message": clean(refusal.message),
                "path": clean(refusal.path) if refusal.path else None,
                "body": compress(refusal.body),
                "state": REFUSED,
                "attempts": 0,
            }
            for dead_letter_id, refusal in zip(new_ids(len(refusals)), refusals, strict=True)
        ]
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(dead_letters.insert(), rows)

    def list(
        self, scope: Scope, wanted: Filter, *, limit: int, offset: int = 0, below: int | None = None
    ) -> list[DeadLetter]:
        """The newest first, without their bodies; only those with an id `below` this one."""
        query = _columns.where(*_conditions(scope, wanted)).order_by(dead_letters.c.id.desc())
        if below is not None:
            query = query.where(dead_letters.c.id < below)
        with self._engine.connect() as connection:
            return [_dead_letter(row) for row in connection.execute(query.limit(limit).offset(offset))]

    def groups(self, scope: Scope, wanted: Filter, limit: int) -> Sequence[Group]:
        """By reason and source, those with the newest refusal first."""
        newest = sa.func.max(dead_letters.c.id).label("newest")
        columns = (dead_letters.c.reason, dead_letters.c.source)
        query = (
            sa.select(
                *columns,
                sa.func.count().label("count"),
                newest,
                sa.func.min(dead_letters.c.received_at),
                sa.func.max(dead_letters.c.received_at),
            )
            .where(*_conditions(scope, wanted))
            .group_by(*columns)
            .order_by(newest.desc())
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return [Group(*row) for row in connection.execute(query)]

    def count(self, scope: Scope, wanted: Filter) -> int:
        query = sa.select(sa.func.count()).select_from(dead_letters).where(*_conditions(scope, wanted))
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def get(self, scope: Scope, dead_letter_id: int) -> tuple[DeadLetter, bytes] | None:
        """One of them, with its body."""
        condition = (within(dead_letters.c.tenant_id, scope), dead_letters.c.id == dead_letter_id)
        with self._engine.connect() as connection:
            row = connection.execute(_columns.add_columns(dead_letters.c.body).where(*condition)).first()
        return (_dead_letter(row), decompress(row.body)) if row else None

    def settle(self, scope: Scope, dead_letter_id: int, now: int, refusal: tuple[str, str, str | None] | None) -> None:
        """Note the outcome of a retry: the reason, message and path of another refusal, or None if it was taken."""
        values: dict[str, Any] = {"retried_at": now, "attempts": dead_letters.c.attempts + 1}
        if refusal is None:
            values["state"] = TAKEN
        else:
            reason, message, path = refusal
            values |= {"reason": reason, "message": clean(message), "path": clean(path) if path else None}
        condition = (within(dead_letters.c.tenant_id, scope), dead_letters.c.id == dead_letter_id)
        self._write(dead_letters.update().where(*condition).values(values))

    def delete(self, scope: Scope, dead_letter_id: int) -> bool:
        condition = (within(dead_letters.c.tenant_id, scope), dead_letters.c.id == dead_letter_id)
        return self._write(dead_letters.delete().where(*condition)) > 0

    def purge(self, scope: Scope, wanted: Filter) -> int:
        """Delete all that the filter means; gives how many."""
        return self._write(dead_letters.delete().where(*_conditions(scope, wanted)))

    def _write(self, statement: Any) -> int:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            return int(connection.execute(statement).rowcount)


_columns = sa.select(*(dead_letters.c[name] for name in DeadLetter.__struct_fields__))


def _dead_letter(row: Any) -> DeadLetter:
    return DeadLetter(**{name: getattr(row, name) for name in DeadLetter.__struct_fields__})


def _conditions(scope: Scope, wanted: Filter) -> list[sa.ColumnElement[bool]]:
    conditions = [within(dead_letters.c.tenant_id, scope)]
    for name in ("state", "reason", "source", "key_id"):
        value = getattr(wanted, name)
        if value is not None:
            conditions.append(dead_letters.c[name] == value)
    if wanted.after is not None:
        conditions.append(dead_letters.c.received_at >= wanted.after)
    if wanted.before is not None:
        conditions.append(dead_letters.c.received_at < wanted.before)
    return conditions
