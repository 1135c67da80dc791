"""Derived tables built aside by many tasks, then put in the place of a tenant's old rows: readers never see half."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from headwater.graph.derived import DERIVED, Derived, JobDataset
from headwater.store.cache.invalidation import note_change
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING, make_engine
from headwater.store.tables import derived_tables
from headwater.store.write.differences import has_differences, only_staged, remove_others
from headwater.store.write.upsert import Row, insert_statement

__all__ = ["StagedDerived", "StagedWriter"]


def _staged(name: str) -> dict[type[Derived], sa.Table]:
    """Tables of the same columns and keys, with other names and without the other indexes."""
    metadata = sa.MetaData()
    tables = {}
    for kind, table in derived_tables.items():
        columns: list[sa.Column[Any]] = [
            sa.Column(column.name, column.type, primary_key=column.primary_key, nullable=column.nullable)
            for column in table.columns
        ]
        tables[kind] = sa.Table(
            f"{name}_{table.name}", metadata, *columns, sqlite_with_rowid=False, mysql_charset="utf8mb4"
        )
    return tables


class StagedWriter:
    """Writes rows aside; for one process that runs tasks. A task that runs twice writes the same rows."""

    def __init__(self, url: str, name: str) -> None:
        self._engine = make_engine(url, writes=True)
        tables = _staged(name)
        self._inserts = {kind: insert_statement(tables[kind], self._engine.dialect) for kind in DERIVED}

    def write(self, kind: type[Derived], rows: Sequence[Row]) -> None:
        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                self._inserts[kind].run(connection, rows)

        retried(work)

    def close(self) -> None:
        self._engine.dispose()


class StagedDerived:
    """The tables aside, under a name of their own."""

    def __init__(self, url: str, name: str) -> None:
        self._engine = make_engine(url)
        self._tables = _staged(name)

    @contextmanager
    def open(self) -> Iterator[None]:
        """Make the tables, and take them away again whatever happens."""
        metadata = next(iter(self._tables.values())).metadata
        metadata.drop_all(self._engine)
        metadata.create_all(self._engine)
        try:
            yield
        finally:
            metadata.drop_all(self._engine)
            self._engine.dispose()

    def swap(self, tenant: int, confirm: Callable[[sa.Connection], None]) -> int:
        """Replace a tenant's tables by the staged ones; gives the number of changed rows.

        All tables at once; in SQLite one after the other. Equal rows are not written. `confirm` raises, within the
        transaction, if another job may hold these tables by now; nothing is changed then.
        """
        if self._engine.dialect.name == "sqlite":
            # One writer for the whole file: so a table that is right is not locked, and each of the others for itself.
            return sum(self._swap(tenant, [kind], confirm) for kind in DERIVED if self._differs(tenant, kind))
        return self._swap(tenant, DERIVED, confirm)

    def _swap(self, tenant: int, kinds: Sequence[type[Derived]], confirm: Callable[[sa.Connection], None]) -> int:
        def work() -> int:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                confirm(connection)
                changed = {
                    kind: _replace(connection, derived_tables[kind], self._tables[kind], tenant) for kind in kinds
                }
                if changed.get(JobDataset):
                    note_change(connection, tenant, None)
                confirm(connection)
                return sum(changed.values())

        return retried(work)

    def _differs(self, tenant: int, kind: type[Derived]) -> bool:
        with self._engine.connect() as connection:
            return has_differences(connection, derived_tables[kind], self._tables[kind], tenant)


def _replace(connection: sa.Connection, live: sa.Table, staged: sa.Table, tenant: int) -> int:
    """These tables have one writer, so the key of a staged-only row is not in the live table."""
    removed = remove_others(connection, live, staged, tenant)
    new = only_staged(live, staged, tenant)
    insert = live.insert().from_select(live.columns.keys(), new)
    return removed + max(connection.execute(insert, execution_options={"preserve_rowcount": True}).rowcount, 0)
