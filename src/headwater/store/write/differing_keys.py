"""Keys of rows that differ between a graph and the one that is built aside for it: found first, replaced later.

Finding them takes as long as the graph is large, and is no part of the transaction that replaces them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import sqlalchemy as sa

from headwater.graph.fact import Fact
from headwater.store.engine import WRITING
from headwater.store.tables import fact_tables, stored_columns
from headwater.store.write.differences import only_staged, others
from headwater.store.write.upsert import merge_selected

__all__ = ["DifferingKeys"]


class DifferingKeys:
    """Two tables of keys for each table of facts: rows that are to go, and staged rows that are to come.

    In SQLite they are temporary, of the one connection that `engine` has: filling them locks the file for nobody.
    """

    def __init__(self, engine: sa.Engine, name: str, staged: Mapping[type[Fact], sa.Table]) -> None:
        self._engine, self._staged = engine, staged
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._metadata = sa.MetaData()
        self._gone = {fact: self._keys_of(f"{name}_gone", fact) for fact in staged}
        self._new = {fact: self._keys_of(f"{name}_new", fact) for fact in staged}

    def _keys_of(self, name: str, fact: type[Fact]) -> sa.Table:
        table = fact_tables[fact]
        return sa.Table(
            f"{name}_{table.name}",
            self._metadata,
            *(
                sa.Column(column.name, column.type, primary_key=True, autoincrement=False)
                for column in table.primary_key
            ),
            prefixes=["TEMPORARY"] if self._is_sqlite else [],
            sqlite_with_rowid=False,
            mysql_charset="utf8mb4",
        )

    @contextmanager
    def found(self, tenant: int) -> Iterator[None]:
        """The keys of a tenant, for `replace`."""
        with self._engine.connect() as connection:
            self._metadata.drop_all(connection)
            self._metadata.create_all(connection)
            connection.commit()
        try:
            for fact, staged in self._staged.items():
                self._find(fact, fact_tables[fact], staged, tenant)
            yield
        finally:
            with self._engine.connect() as connection:
                self._metadata.drop_all(connection)
                connection.commit()

    def _find(self, fact: type[Fact], live: sa.Table, staged: sa.Table, tenant: int) -> None:
        keys = [column.name for column in live.primary_key]
        options = {} if self._is_sqlite else WRITING
        with self._engine.connect().execution_options(**options) as connection, connection.begin():
            self._count_rows(connection, staged)
            connection.execute(self._gone[fact].insert().from_select(keys, others(live, staged, tenant, keys)))
            connection.execute(self._new[fact].insert().from_select(keys, only_staged(live, staged, tenant, keys)))
            for table in (self._gone[fact], self._new[fact]):
                self._count_rows(connection, table)

    def _count_rows(self, connection: sa.Connection, table: sa.Table) -> None:
        """PostgreSQL knows nothing of a table that was filled a moment ago, and would plan as if it were empty."""
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"ANALYZE {table.name}")

    def replace(self, connection: sa.Connection, fact: type[Fact], tenant: int) -> None:
        """Remove the rows that are to go, and write those that are to come."""
        live, staged = fact_tables[fact], self._staged[fact]
        gone, new = self._gone[fact], self._new[fact]
        connection.execute(self._removal(live, gone).where(live.c.tenant == tenant))
        same = sa.and_(*(staged.c[column.name] == column for column in new.c))
        rows = (
            sa.select(*(staged.c[column.name] for column in stored_columns(live))).select_from(new).join(staged, same)
        )
        # Merged, not inserted: a server may have written such a key since.
        merge_selected(connection, fact, rows.where(staged.c.tenant == tenant))

    def _removal(self, live: sa.Table, gone: sa.Table) -> sa.Delete:
        if not self._is_sqlite:
            return sa.delete(live).where(*(live.c[column.name] == column for column in gone.c))
        # It does not delete by another table, and finds rows by a list of keys only without the tenant in it.
        keys = [column for column in gone.c if column.name != "tenant"]
        listed = sa.tuple_(*(live.c[column.name] for column in keys)).in_(sa.select(*keys))
        return sa.delete(live).where(listed)
