"""Look-ups by many ids at once: one statement per few hundred ids, plain rows, whatever the database.

A walk asks a few of these per level. `{ids}` stands for the condition on the ids, `?` for each other value, and
`[name]` for a name that some database reserves.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from headwater.deadline import check

__all__ = ["Lookup", "looking"]

_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
"""Ids in one statement of SQLite: few sizes, so that each is prepared once; the last id fills it up."""
_MOST = _SIZES[-1]
_RESERVED = re.compile(r"\[(\w+)\]")


class Lookup:
    """Look-ups in one database, each on a connection of its own or, inside `looking`, all on the same."""

    def __init__(self, engine: sa.Engine, connection: sa.Connection | None = None) -> None:
        self._engine, self._dialect = engine, engine.dialect.name
        self._cursor = None if connection is None else connection.connection.cursor()

    @property
    def sees_one_moment(self) -> bool:
        """Whether all look-ups see the database as it was at one moment, in which every change before it is."""
        return self._dialect == "sqlite"

    def rows(
        self, sql: str, tenant: int, ids: Collection[bytes], *values: Any, before: tuple[Any, ...] = ()
    ) -> list[tuple[Any, ...]]:
        """All rows for these ids. The statement takes `before`, the tenant, the ids, then the other values."""
        if not ids:
            return []
        wanted = sorted(ids)  # neighbours in the index are read together
        found = self._some(sql, (*before, tenant), wanted[:_MOST], values)
        for start in range(_MOST, len(wanted), _MOST):
            found += self._some(sql, (*before, tenant), wanted[start : start + _MOST], values)
        return found

    def all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a statement without a list of ids."""
        return self._run(_statement(sql, self._dialect, 0), values)

    def close(self) -> None:
        if self._cursor is not None:
            self._cursor.close()

    def _some(
        self, sql: str, before: tuple[Any, ...], ids: list[bytes], values: tuple[Any, ...]
    ) -> list[tuple[Any, ...]]:
        if self._dialect != "sqlite":
            return self._run(_statement(sql, self._dialect, 1), (*before, ids, *values))
        size = _SIZES[bisect_left(_SIZES, len(ids))]
        filled = ids + [ids[-1]] * (size - len(ids))
        return self._run(_statement(sql, self._dialect, size), (*before, *filled, *values))

    def _run(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        check()
        if self._cursor is not None:
            return _fetch(self._cursor, self._engine.dialect, sql, values)
        with self._engine.connect() as connection, closing(connection.connection.cursor()) as cursor:
            return _fetch(cursor, self._engine.dialect, sql, values)


@contextmanager
def looking(engine: sa.Engine) -> Iterator[Lookup]:
    """Look-ups for as long as one question takes. On SQLite they all see the same moment."""
    with engine.connect() as connection, connection.begin():
        lookup = Lookup(engine, connection)
        try:
            yield lookup
        finally:
            lookup.close()


def _fetch(cursor: Any, dialect: sa.Dialect, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Straight from the driver: a walk asks dozens of small questions, and SQLAlchemy's care takes longer than most."""
    try:
        cursor.execute(sql, values)
        rows = cursor.fetchall()
    except Exception as error:
        known = dialect.loaded_dbapi.Error
        if isinstance(error, known):
            check()  # interrupted because the work must end: that is the reason, not the database
            raise sa.exc.DBAPIError.instance(sql, values, error, known, dialect=dialect) from error
        raise
    return rows if isinstance(rows, list) else list(rows)


@lru_cache(maxsize=1024)
def _statement(sql: str, dialect: str, size: int) -> str:
    if dialect == "sqlite":
        sql = sql.replace("{ids}", f"IN ({', '.join('?' * size)})")
        return _RESERVED.sub(r'"\1"', sql)
    quote = '"' if dialect == "postgresql" else "`"
    sql = sql.replace("{ids}", "= ANY(?)" if dialect == "postgresql" else "IN ?")
    return _RESERVED.sub(rf"{quote}\1{quote}", sql.replace("%", "%%").replace("?", "%s"))
