"""Derived rows, read and replaced. Readers see the rows from before or those from after, never a mixture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa

from headwater.graph.derived import DERIVED, Derived, JobDataset
from headwater.store.cache.invalidation import note_totals
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING, make_engine
from headwater.store.tables import derived_tables
from headwater.store.write.upsert import Row, UpsertStatement, replace_statement

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
        self._writes: dict[type[Derived], UpsertStatement] = {
            kind: replace_statement(derived_tables[kind], dialect) for kind in DERIVED
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
        """Put new rows in the place of old ones, in all tables at once. Rows that stay as they are are not written."""
        changes = [self._changes(tenant, item) for item in replacements]
        jobs = {job for kind, gone, rows in changes if kind is JobDataset for job in _jobs(gone, rows)}

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                for kind, gone, rows in changes:
                    if gone:
                        connection.execute(_delete(derived_tables[kind]), gone)
                    for start in range(0, len(rows), _AT_ONCE):
                        self._writes[kind].run(connection, rows[start : start + _AT_ONCE])
                if jobs:
                    note_totals(connection, tenant, jobs)

        if any(gone or rows for _, gone, rows in changes):
            retried(work)

    def _changes(self, tenant: int, item: Replacement) -> tuple[type[Derived], list[dict[str, Any]], list[Row]]:
        """Keys of rows to remove, and rows to write."""
        keys = len(derived_tables[item.kind].primary_key)
        known = {row[:keys]: row for row in map(_row, self.rows(tenant, item.kind, item.columns, item.values))}
        wanted = {row[:keys]: row for row in map(_row, item.rows)}
        names = derived_tables[item.kind].primary_key.columns.keys()
        gone = [
            {f"key_{name}": value for name, value in zip(names, key, strict=True)}
            for key in sorted(set(known) - set(wanted))
        ]
        return item.kind, gone, [row for key, row in sorted(wanted.items()) if known.get(key) != row]


@cache
def _delete(table: sa.Table) -> sa.Delete:
    return sa.delete(table).where(*(column == sa.bindparam(f"key_{column.name}") for column in table.primary_key))


def _jobs(gone: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> Iterator[bytes]:
    """The jobs of these rows of `JobDataset`."""
    place = JobDataset.__struct_fields__.index("job")
    yield from (key["key_job"] for key in gone)
    yield from (row[place] for row in rows)


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
