"""The outbox: each event of each version for each sink once, with its state. Order holds per version and sink."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.compression import compress, decompress
from headwater.store.dialects.clock import database_time
from headwater.store.emit.tables import emit_events, emit_versions
from headwater.store.emit.versions import REQUESTED, VersionRow
from headwater.store.engine import WRITING

__all__ = ["DEAD", "PENDING", "SENT", "EmitOutbox", "EmitProgress", "NewEvent", "OutboxEvent"]

PENDING, SENT, DEAD = "PENDING", "SENT", "DEAD"
_LONGEST_ERROR = 1_000


class NewEvent(Struct, frozen=True):
    step: str
    event_time: int
    body: bytes


class EmitProgress(Struct, frozen=True):
    """How far a version is, after it was read."""

    state: str
    due_in: int | None
    """Microseconds until it is read again; None for never."""
    confs: int
    states: str | None
    error: str | None = None
    attempts: int = 0
    recall_wanted: bool = False


class OutboxEvent(Struct, frozen=True):
    sink: str
    version: bytes
    step: str
    event_time: int
    state: str
    attempts: int
    requested_at: int
    settled_at: int | None
    reason: str | None
    error: str | None


_COLUMNS = [emit_events.c[name] for name in OutboxEvent.__struct_fields__]


class EmitOutbox:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def finish(
        self,
        tenant: int,
        row: VersionRow,
        token: str,
        events: Sequence[NewEvent],
        sinks: Collection[str],
        then: EmitProgress,
    ) -> int:
        """Store the state of a version with its events for each sink, all or nothing; gives the number of new events.

        A process that lost its lease writes nothing. A request that came meanwhile has the version read again.
        """
        versions = emit_versions
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            due = None if then.due_in is None else now + then.due_in
            mine = (versions.c.tenant == tenant, versions.c.version == row.version, versions.c.lease == token)
            values = {
                "state": sa.case((versions.c.requests == row.requests, then.state), else_=REQUESTED),
                "due_at": sa.case((versions.c.requests == row.requests, due), else_=now),
                "attempts": then.attempts,
                "recall_wanted": sa.case(
                    (versions.c.requests == row.requests, int(then.recall_wanted)), else_=versions.c.recall_wanted
                ),
                "confs": then.confs,
                "states": then.states,
                "error": then.error[:_LONGEST_ERROR] if then.error else None,
                "lease": None,
                "lease_until": 0,
            }
            if not connection.execute(versions.update().where(*mine).values(values)).rowcount:
                return 0
            table = emit_events
            there = sa.select(table.c.sink, table.c.step).where(
                table.c.tenant == tenant, table.c.sink.in_(list(sinks)), table.c.version == row.version
            )
            known = {tuple(found) for found in connection.execute(there)}
            new = [
                _new(tenant, sink, row, event, now)
                for sink in sorted(sinks)
                for event in events
                if (sink, event.step) not in known
            ]
            if new:
                connection.execute(table.insert(), new)
            return len(new)

    def is_due(self, tenant: int, sink: str) -> bool:
        """Whether there may be an event to be sent to a sink now."""
        table = emit_events
        with self._engine.connect() as connection:
            now = database_time(connection)
            free = (table.c.tenant == tenant, table.c.sink == sink, table.c.state == PENDING)
            query = sa.select(table.c.step).where(*free, table.c.due_at <= now, table.c.lease_until <= now)
            return connection.execute(query.limit(1)).first() is not None

    def claim(
        self, tenant: int, sink: str, token: str, limit: int, microseconds: int
    ) -> list[tuple[OutboxEvent, bytes]]:
        """Take events that are due, of each version the first that was not sent yet."""
        table, earlier = emit_events, emit_events.alias("earlier")
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            blocked = sa.select(sa.literal(1)).where(
                earlier.c.tenant == tenant,
                earlier.c.sink == table.c.sink,
                earlier.c.version == table.c.version,
                earlier.c.event_time < table.c.event_time,
                earlier.c.state != SENT,
            )
            free = (
                table.c.tenant == tenant,
                table.c.sink == sink,
                table.c.state == PENDING,
                table.c.due_at <= now,
                table.c.lease_until <= now,
            )
            due = sa.select(table.c.version, table.c.step).where(*free, ~blocked.exists())
            found = connection.execute(due.order_by(table.c.due_at, table.c.event_time).limit(limit)).all()
            for version, step in found:
                taken = table.update().where(*free, table.c.version == version, table.c.step == step)
                connection.execute(taken.values(lease=token, lease_until=now + microseconds))
            mine = (table.c.tenant == tenant, table.c.sink == sink, table.c.state == PENDING, table.c.lease == token)
            query = sa.select(*_COLUMNS, table.c.body).where(*mine).order_by(table.c.due_at, table.c.event_time)
            return [(OutboxEvent(*row[:-1]), decompress(row[-1])) for row in connection.execute(query)] if found else []

    def sent(self, tenant: int, sink: str, token: str, events: Sequence[OutboxEvent]) -> None:
        """Note that a sink has these events; their bodies are kept no longer."""
        table = emit_events
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            values = {"state": SENT, "body": b"", "settled_at": now, "lease": None, "lease_until": 0}
            values |= {"reason": None, "error": None, "attempts": table.c.attempts + 1}
            for event in events:
                connection.execute(table.update().where(*_mine(tenant, sink, token, event)).values(values))

    def give_back(
        self, tenant: int, sink: str, token: str, events: Sequence[OutboxEvent], microseconds: int = 0
    ) -> None:
        """Let others have events that were not tried, or that the sink wants later."""
        table = emit_events
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            values: dict[str, Any] = {"lease": None, "lease_until": 0}
            if microseconds:
                values["due_at"] = database_time(connection) + microseconds
            for event in events:
                connection.execute(table.update().where(*_mine(tenant, sink, token, event)).values(values))

    def failed(
        self, tenant: int, sink: str, token: str, event: OutboxEvent, reason: str, error: str, retry_in: int | None
    ) -> None:
        """Note a failure: the event is tried again after this time, or becomes a dead letter with None."""
        table = emit_events
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            values: dict[str, Any] = {"attempts": table.c.attempts + 1, "reason": reason[:64]}
            values |= {"error": error[:_LONGEST_ERROR], "lease": None, "lease_until": 0}
            values |= {"state": DEAD, "settled_at": now} if retry_in is None else {"due_at": now + retry_in}
            connection.execute(table.update().where(*_mine(tenant, sink, token, event)).values(values))

    def count(self, tenant: int) -> dict[tuple[str, str], int]:
        """How many events there are, by sink and state."""
        return self._count(emit_events.c.tenant == tenant)

    def count_unsettled(self, tenant: int) -> dict[tuple[str, str], int]:
        """The same, of those that wait and those that are dead."""
        return self._count(emit_events.c.tenant == tenant, emit_events.c.state != SENT)

    def _count(self, *condition: sa.ColumnElement[bool]) -> dict[tuple[str, str], int]:
        table = emit_events
        query = sa.select(table.c.sink, table.c.state, sa.func.count()).where(*condition)
        with self._engine.connect() as connection:
            rows = connection.execute(query.group_by(table.c.sink, table.c.state))
            return {(sink, found): count for sink, found, count in rows}

    def dead(self, tenant: int, sink: str | None = None, limit: int = 100) -> list[tuple[OutboxEvent, str | None, str]]:
        """Dead letters with overlay and id of their versions, the newest first."""
        table, versions = emit_events, emit_versions
        joined = table.outerjoin(
            versions, sa.and_(versions.c.tenant == table.c.tenant, versions.c.version == table.c.version)
        )
        query = sa.select(*_COLUMNS, versions.c.overlay, versions.c.version_id).select_from(joined)
        query = query.where(table.c.tenant == tenant, table.c.state == DEAD)
        if sink is not None:
            query = query.where(table.c.sink == sink)
        query = query.order_by(table.c.settled_at.desc(), table.c.version).limit(limit)
        with self._engine.connect() as connection:
            return [(OutboxEvent(*row[:-2]), row[-2], row[-1] or "") for row in connection.execute(query)]

    def get(self, tenant: int, sink: str, version: bytes, step: str) -> tuple[OutboxEvent, bytes] | None:
        """One event with its body; the body is empty once it was sent."""
        table = emit_events
        condition = (table.c.tenant == tenant, table.c.sink == sink, table.c.version == version, table.c.step == step)
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(*_COLUMNS, table.c.body).where(*condition)).first()
        return None if row is None else (OutboxEvent(*row[:-1]), decompress(row[-1]) if row[-1] else b"")

    def retry(self, tenant: int, sink: str | None = None, version: bytes | None = None, step: str | None = None) -> int:
        """Have dead letters sent again, as if they were new; gives how many."""
        table = emit_events
        condition = [table.c.tenant == tenant, table.c.state == DEAD]
        named = ((table.c.sink, sink), (table.c.version, version), (table.c.step, step))
        condition += [column == value for column, value in named if value is not None]
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            values = {"state": PENDING, "attempts": 0, "due_at": database_time(connection), "settled_at": None}
            return connection.execute(table.update().where(*condition).values(values)).rowcount

    def steps(self, tenant: int, versions: Sequence[bytes]) -> dict[bytes, dict[str, dict[str, str]]]:
        """Of versions: by version and sink, the state of each step."""
        table = emit_events
        columns = (table.c.version, table.c.sink, table.c.step, table.c.state)
        query = sa.select(*columns).where(table.c.tenant == tenant, table.c.version.in_(list(versions)))
        found: dict[bytes, dict[str, dict[str, str]]] = {}
        with self._engine.connect() as connection:
            for version, sink, step, state in connection.execute(query):
                found.setdefault(version, {}).setdefault(sink, {})[step] = state
        return found


def _mine(tenant: int, sink: str, token: str, event: OutboxEvent) -> tuple[sa.ColumnElement[bool], ...]:
    table = emit_events
    return (
        table.c.tenant == tenant,
        table.c.sink == sink,
        table.c.version == event.version,
        table.c.step == event.step,
        table.c.lease == token,
    )


def _new(tenant: int, sink: str, row: VersionRow, event: NewEvent, now: int) -> dict[str, Any]:
    # What a later look at the version has found was not asked for any earlier.
    was_asked_for = row.state == REQUESTED
    return {
        "tenant": tenant,
        "sink": sink,
        "version": row.version,
        "step": event.step,
        "event_time": event.event_time,
        "state": PENDING,
        "body": compress(event.body),
        "attempts": 0,
        "requested_at": row.requested_at if was_asked_for else now,
        "due_at": now,
        "lease_until": 0,
    }
