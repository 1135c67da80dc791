"""Derived rows, read and replaced. Readers see the rows from before or those from after, never a mixture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa

from headwater.graph.derived import DERIVED, Derived
from headwater.store.engine import WRITING, make_engine
from headwater.store.failures import retried
from headwater.store.tables import derived_tables
from headwater.store.upsert import Row, Statement, insert_statement

__all__ = ["DerivedStore", "Replacement"]

_CHUNK = 400
"""Values in one condition: each of them is looked up by the index."""
_AT_ONCE = 5_000
_D = TypeVar("_D", bound=Derived)


class Replacement(NamedTuple):
    """All rows whose `columns` have one of these values give way to other rows."""

    kind: type[Derived]
    columns: tuple[str, ...]
    """One or two leading columns of a key or an index, after the tenant."""
    values: Iterable[tuple[Any, ...]]
    rows: Sequence[Derived]


class DerivedStore:
    """The derived tables of a database. There is one writer at a time: the job that keeps them up to date."""

    def __init__(self, url: str) -> None:
        self._engine = make_engine(url, writes=True)
        dialect = self._engine.dialect
        self._inserts: dict[type[Derived], Statement] = {
            kind: insert_statement(derived_tables[kind], dialect) for kind in DERIVED
        }

    def close(self) -> None:
        self._engine.dispose()

    def rows(
        self, tenant: int, kind: type[_D], columns: tuple[str, ...] = (), values: Iterable[tuple[Any, ...]] = ()
    ) -> list[_D]:
        """Rows by the values of one or two columns; all of the tenant's without any."""
        table = derived_tables[kind]
        found: list[_D] = []
        with self._engine.connect() as connection:
            for condition in _conditions(table, columns, values):
                query = sa.select(table).where(table.c.tenant == tenant, condition)
                found += [kind(*row) for row in connection.execute(query)]
        return found

    def replace(self, tenant: int, replacements: Sequence[Replacement]) -> None:
        """Put new rows in the place of old ones, in all tables at once."""
        prepared = [(item, _sorted_rows(item.rows)) for item in replacements]

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                for item, rows in prepared:
                    table = derived_tables[item.kind]
                    for condition in _conditions(table, item.columns, item.values):
                        connection.execute(sa.delete(table).where(table.c.tenant == tenant, condition))
                    for start in range(0, len(rows), _AT_ONCE):
                        self._inserts[item.kind].run(connection, rows[start : start + _AT_ONCE])

        retried(work)


def _sorted_rows(rows: Iterable[Derived]) -> list[Row]:
    """In the order of their keys, as everybody writes them."""
    return sorted((_row(row) for row in rows), key=lambda row: [(value is not None, value) for value in row])


def _row(row: Derived) -> Row:
    return tuple(int(value) if isinstance(value, int) else value for value in msgspec.structs.astuple(row))


def _conditions(
    table: sa.Table, columns: tuple[str, ...], values: Iterable[tuple[Any, ...]]
) -> Iterator[sa.ColumnElement[bool]]:
    if not columns:
        yield sa.true()
    elif len(columns) == 1:
        single = sorted({value for (value,) in values})
        for start in range(0, len(single), _CHUNK):
            yield table.c[columns[0]].in_(single[start : start + _CHUNK])
    else:
        # By the first column, so that every database finds each of them by its index.
        pairs = sorted({(first, second) for first, second in values})
        for start in range(0, len(pairs), _CHUNK):
            chunk: dict[Any, list[Any]] = defaultdict(list)
            for first, second in pairs[start : start + _CHUNK]:
                chunk[first].append(second)
            one, other = (table.c[column] for column in columns)
            yield sa.or_(*(sa.and_(one == first, other.in_(seconds)) for first, seconds in chunk.items()))
