"""What people decided, kept beside the facts: durable, of one tenant, the newest word counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql, sqlite

from headwater.graph.decisions import LocationDecision
from headwater.openlineage.identity import digest, stamp
from headwater.store.changes import note_change
from headwater.store.engine import WRITING
from headwater.store.failures import retried
from headwater.store.tables import STAMP_SUFFIX, fact_tables

__all__ = ["Decisions"]

_table = fact_tables[LocationDecision]


class Decisions:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def decide(self, tenant: int, pairs: Iterable[tuple[bytes, bytes]], *, same: bool, by: str, time: int) -> None:
        """Record that these pairs of namespaces are one location, or two."""
        ordered = sorted({(min(pair), max(pair)) for pair in pairs})
        written = stamp(time, digest("decision", by, str(same)))
        retried(lambda: self._write(tenant, ordered, same=same, by=by, written=written))

    def _write(self, tenant: int, pairs: list[tuple[bytes, bytes]], *, same: bool, by: str, written: bytes) -> None:
        values: dict[str, Any] = {"same": int(same), "decided_by": by}
        values |= {f"{name}{STAMP_SUFFIX}": written for name in ("same", "decided_by")}
        rows = [{"tenant": tenant, "one": one, "other": other, **values} for one, other in pairs]
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(_upsert(connection.dialect.name, rows, values))
            note_change(connection, tenant, None)


def _upsert(dialect: str, rows: list[dict[str, Any]], values: dict[str, Any]) -> sa.Executable:
    if dialect in ("mysql", "mariadb"):
        return mysql.insert(_table).values(rows).on_duplicate_key_update(values)
    insert = sqlite.insert(_table) if dialect == "sqlite" else postgresql.insert(_table)
    return insert.values(rows).on_conflict_do_update(index_elements=list(_table.primary_key), set_=values)
