"""Overlays and sinks of each tenant: their configuration as text, and how they are doing."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.dialects.clock import database_time
from headwater.store.emit.tables import emit_events, emit_overlays, emit_sinks, emit_versions
from headwater.store.engine import WRITING

__all__ = ["ACTIVE", "PAUSED", "EmitPeers", "OverlayRow", "SinkRow"]

ACTIVE, PAUSED = "ACTIVE", "PAUSED"
_LONGEST_REASON = 500


class OverlayRow(Struct, frozen=True):
    name: str
    configuration: str
    changed_at: int
    check_due_at: int | None
    checked_at: int | None
    check_result: str | None


class SinkRow(Struct, frozen=True):
    name: str
    configuration: str
    changed_at: int
    state: str
    reason: str | None
    due_at: int
    """Nothing is sent before."""
    failures: int
    """Failures since the last success."""


class EmitPeers:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def tenants(self) -> list[int]:
        """Tenants with an overlay or sink, for the server itself."""
        query = sa.select(emit_overlays.c.tenant).union(sa.select(emit_sinks.c.tenant))
        with self._engine.connect() as connection:
            return sorted(row[0] for row in connection.execute(query))

    def overlays(self, tenant: int) -> list[OverlayRow]:
        query = sa.select(*_OVERLAY).where(emit_overlays.c.tenant == tenant).order_by(emit_overlays.c.name)
        with self._engine.connect() as connection:
            return [OverlayRow(*row) for row in connection.execute(query)]

    def sinks(self, tenant: int) -> list[SinkRow]:
        query = sa.select(*_SINK).where(emit_sinks.c.tenant == tenant).order_by(emit_sinks.c.name)
        with self._engine.connect() as connection:
            return [SinkRow(*row) for row in connection.execute(query)]

    def put_overlay(self, tenant: int, name: str, configuration: str, check_due_at: int | None) -> None:
        """Configure an overlay, or configure it again."""
        table = emit_overlays
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            values = {
                "configuration": configuration,
                "changed_at": database_time(connection),
                "check_due_at": check_due_at,
            }
            _put(connection, table, tenant, name, values, {})

    def put_sink(self, tenant: int, name: str, configuration: str) -> None:
        """Configure a sink, or configure it again; it is active from then on."""
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            values = {
                "configuration": configuration,
                "changed_at": database_time(connection),
                "state": ACTIVE,
                "reason": None,
                "due_at": 0,
                "failures": 0,
            }
            _put(connection, emit_sinks, tenant, name, values, {})

    def remove_overlay(self, tenant: int, name: str) -> bool:
        """Remove an overlay and its unread versions; emitted events stay."""
        versions = emit_versions.delete().where(emit_versions.c.tenant == tenant, emit_versions.c.overlay == name)
        return self._remove(emit_overlays, tenant, name, versions)

    def remove_sink(self, tenant: int, name: str) -> bool:
        """Remove a sink and the events that are for it."""
        events = emit_events.delete().where(emit_events.c.tenant == tenant, emit_events.c.sink == name)
        return self._remove(emit_sinks, tenant, name, events)

    def _remove(self, table: sa.Table, tenant: int, name: str, rest: sa.Delete) -> bool:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            found = connection.execute(table.delete().where(table.c.tenant == tenant, table.c.name == name)).rowcount
            connection.execute(rest)
        return bool(found)

    def resume(self, tenant: int, sink: str) -> bool:
        """Let a paused sink have its events again."""
        return self._note(tenant, sink, {"state": ACTIVE, "reason": None, "due_at": 0, "failures": 0})

    def pause(self, tenant: int, sink: str, reason: str) -> None:
        """Send nothing to a sink until it is resumed or configured again."""
        self._note(tenant, sink, {"state": PAUSED, "reason": reason[:_LONGEST_REASON]})

    def hold(self, tenant: int, sink: str, microseconds: int, reason: str) -> None:
        """Send nothing to a sink for a while after a failure."""
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            due = database_time(connection) + microseconds
            failures = emit_sinks.c.failures + 1
            condition = (emit_sinks.c.tenant == tenant, emit_sinks.c.name == sink, emit_sinks.c.state == ACTIVE)
            values = {"due_at": due, "failures": failures, "reason": reason[:_LONGEST_REASON]}
            connection.execute(emit_sinks.update().where(*condition).values(values))

    def succeeded(self, tenant: int, sink: str) -> None:
        """Forget the failures of a sink."""
        self._note(tenant, sink, {"failures": 0, "reason": None, "due_at": 0}, emit_sinks.c.state == ACTIVE)

    def _note(self, tenant: int, sink: str, values: dict[str, Any], *more: sa.ColumnElement[bool]) -> bool:
        condition = (emit_sinks.c.tenant == tenant, emit_sinks.c.name == sink, *more)
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            return bool(connection.execute(emit_sinks.update().where(*condition).values(values)).rowcount)

    def take_check(self, tenant: int, overlay: str, microseconds: int) -> bool:
        """Whether a comparison is due; then the next one is due after this time, and nobody else has this one."""
        table = emit_overlays
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            condition = (table.c.tenant == tenant, table.c.name == overlay, table.c.check_due_at <= now)
            return bool(
                connection.execute(table.update().where(*condition).values(check_due_at=now + microseconds)).rowcount
            )

    def checked(self, tenant: int, overlay: str, result: str) -> None:
        """Note the outcome of a comparison."""
        table = emit_overlays
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            values = {"checked_at": database_time(connection), "check_result": result}
            condition = (table.c.tenant == tenant, table.c.name == overlay)
            connection.execute(table.update().where(*condition).values(values))


_OVERLAY = [emit_overlays.c[name] for name in OverlayRow.__struct_fields__]
_SINK = [emit_sinks.c[name] for name in SinkRow.__struct_fields__]


def _put(
    connection: sa.Connection, table: sa.Table, tenant: int, name: str, values: dict[str, Any], first: dict[str, Any]
) -> None:
    condition = (table.c.tenant == tenant, table.c.name == name)
    if connection.execute(sa.select(table.c.name).where(*condition)).first() is None:
        connection.execute(table.insert().values(tenant=tenant, name=name, **values, **first))
    else:
        connection.execute(table.update().where(*condition).values(values))
