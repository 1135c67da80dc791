"""The SQL store: one transaction appends events to the log and merges their facts into the graph."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from headwater.graph.fact import Fact
from headwater.graph.facts import FACTS
from headwater.graph.fold import Graph, fold_into
from headwater.store.engine import WRITING, make_engine
from headwater.store.known import Known
from headwater.store.log import Entry, Tenant, log_row
from headwater.store.migrate import ensure_schema
from headwater.store.tables import tenants
from headwater.store.upsert import Statement, append_statement, row_of, upsert_statement

__all__ = ["SqlStore"]

DEFAULT_TENANT = Tenant(1, "default", "Default")


class SqlStore:
    """Writes. What is read from the same database is in `store/read.py`, and `store/dump.py`."""

    def __init__(self, url: str) -> None:
        self.engine = make_engine(url)
        self.known = Known()
        dialect = self.engine.dialect
        self._append = append_statement(dialect)
        self._upserts: dict[type[Fact], Statement] = {fact: upsert_statement(fact, dialect) for fact in FACTS}

    def open(self) -> None:
        """Bring the tables up to date; the first start creates them, and the default tenant."""
        ensure_schema(self.engine)
        with self.engine.execution_options(**WRITING).begin() as connection:
            if connection.execute(sa.select(tenants.c.id).where(tenants.c.id == DEFAULT_TENANT.id)).first() is None:
                row = {
                    "id": DEFAULT_TENANT.id,
                    "code": DEFAULT_TENANT.code,
                    "name": DEFAULT_TENANT.name,
                    "state": "ACTIVE",
                }
                connection.execute(tenants.insert(), row)

    def close(self) -> None:
        self.engine.dispose()

    def write(self, entries: Sequence[Entry]) -> int:
        """Append events and merge what they say, all or nothing. Gives the number that were new to the log."""
        graph: Graph = {}
        said = [entry.interpretation for entry in entries if entry.interpretation is not None]
        for interpretation in said:
            fold_into(graph, self.known.new_facts(interpretation))
        rows = [log_row(entry) for entry in entries]
        with self.engine.connect().execution_options(**WRITING) as connection, connection.begin():
            # A database that reports no count for many rows at once answers -1.
            appended = connection.exec_driver_sql(self._append.sql, self._append.bind(rows)).rowcount
            self._merge(connection, graph)
        self.known.learn(said, graph)
        return appended if appended >= 0 else len(entries)

    def merge(self, graph: Graph) -> None:
        """Merge folded facts, as a bulk load does."""
        with self.engine.connect().execution_options(**WRITING) as connection, connection.begin():
            self._merge(connection, graph)

    def _merge(self, connection: sa.Connection, graph: Graph) -> None:
        """Each fact once, tables and keys in one order everywhere: two writers cannot wait for each other in a ring."""
        for fact in FACTS:
            found = graph.get(fact)
            if found:
                statement = self._upserts[fact]
                rows = [row_of(found[key]) for key in sorted(found)]
                connection.exec_driver_sql(statement.sql, statement.bind(rows))
