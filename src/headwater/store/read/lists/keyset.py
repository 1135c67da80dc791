"""Pages of a list by key: each begins after the last row of the one before, however many rows lie in between."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

__all__ = ["After", "KeysetPage", "among", "contains", "fetch_merged", "fetch_page", "key_contains"]

After = tuple[Any, bytes]
"""Where a page begins: the sort value and the id of the last row before it."""


class KeysetPage(NamedTuple):
    rows: list[sa.Row[Any]]
    total: int
    """Of all rows that the conditions mean, not only of this page."""


def fetch_page(
    connection: sa.Connection,
    query: sa.Select[Any],
    sort: sa.ColumnElement[Any] | None,
    key: sa.ColumnElement[Any],
    *,
    descending: bool,
    after: After | None,
    limit: int,
) -> KeysetPage:
    """Rows in the order of `sort` and then `key`; rows without a value come last, in either direction.

    Databases disagree about where NULL sorts, so those rows are a question of their own, asked after all others.
    """
    rows = _rows(connection, query, sort, key, descending=descending, after=after, limit=limit)
    if after is None and len(rows) < limit:  # that was all of it
        return KeysetPage(rows, len(rows))
    count = sa.select(sa.func.count()).select_from(query.subquery())
    return KeysetPage(rows, int(connection.execute(count).scalar_one()))


def fetch_merged(
    connection: sa.Connection,
    parts: list[tuple[sa.Select[Any], sa.ColumnElement[Any]]],
    rest: sa.Select[Any] | None,
    key: sa.ColumnElement[Any],
    *,
    descending: bool,
    after: After | None,
    limit: int,
) -> KeysetPage:
    """Pages of rows of which some are sorted by one column and some by another: each part has rows of its own.

    `rest` are the rows that have no value in either; they come last. Each part is read by its own index.
    """
    rows: list[Any] = []
    if after is None or after[0] is not None:
        for query, sort in parts:
            rows += _valued(connection, query, sort, key, descending=descending, after=after, limit=limit)
        rows = sorted(rows, key=lambda row: (row[1], row[0]), reverse=descending)[:limit]
    if rest is not None and len(rows) < limit:
        begin = after if after is not None and after[0] is None else None
        rows += _rows(connection, rest, None, key, descending=descending, after=begin, limit=limit - len(rows))
    if after is None and len(rows) < limit:  # that was all of it
        return KeysetPage(rows, len(rows))
    queries = [query for query, _ in parts] + ([rest] if rest is not None else [])
    counts = [sa.select(sa.func.count()).select_from(query.subquery()) for query in queries]
    return KeysetPage(rows, sum(int(connection.execute(count).scalar_one()) for count in counts))


def _rows(
    connection: sa.Connection,
    query: sa.Select[Any],
    sort: sa.ColumnElement[Any] | None,
    key: sa.ColumnElement[Any],
    *,
    descending: bool,
    after: After | None,
    limit: int,
) -> list[sa.Row[Any]]:
    if sort is None:
        ordered = query if after is None else query.where(_beyond(key, after[1], descending=descending))
        return list(connection.execute(ordered.order_by(_towards(key, descending=descending)).limit(limit)))
    rows: list[sa.Row[Any]] = []
    if after is None or after[0] is not None:
        rows += _valued(connection, query, sort, key, descending=descending, after=after, limit=limit)
    if len(rows) < limit:
        valueless = query.where(sort.is_(None))
        if after is not None and after[0] is None:
            valueless = valueless.where(_beyond(key, after[1], descending=descending))
        rows += connection.execute(valueless.order_by(_towards(key, descending=descending)).limit(limit - len(rows)))
    return rows


def _valued(
    connection: sa.Connection,
    query: sa.Select[Any],
    sort: sa.ColumnElement[Any],
    key: sa.ColumnElement[Any],
    *,
    descending: bool,
    after: After | None,
    limit: int,
) -> list[sa.Row[Any]]:
    """The rows that have a value to be sorted by."""
    valued = query.where(sort.is_not(None))
    if after is not None:
        tied = sa.and_(sort == after[0], _beyond(key, after[1], descending=descending))
        # The first condition follows from the second; it is what an index can begin with.
        reached = sort <= after[0] if descending else sort >= after[0]
        valued = valued.where(reached, sa.or_(_beyond(sort, after[0], descending=descending), tied))
    order = (_towards(sort, descending=descending), _towards(key, descending=descending))
    return list(connection.execute(valued.order_by(*order).limit(limit)))


def among(dialect: str, column: sa.ColumnElement[Any], ids: Collection[bytes]) -> sa.ColumnElement[bool]:
    """Whether a column is one of these ids, however many: PostgreSQL takes 65,535 parameters, and a list as one."""
    if dialect == "postgresql":
        return column == sa.any_(sa.literal(sorted(ids), postgresql.ARRAY(sa.LargeBinary())))
    return column.in_(sorted(ids))


def contains(column: sa.ColumnElement[Any], text: str) -> sa.ColumnElement[bool]:
    """Whether a column contains this text, whatever its case."""
    pattern = "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
    # Which letters have a lower case differs from database to database, so text as it was typed counts too.
    return sa.or_(column.like(pattern, escape="!"), sa.func.lower(column).like(pattern.lower(), escape="!"))


def key_contains(
    key: sa.ColumnElement[Any], size: int, column: sa.ColumnElement[Any], text: str
) -> sa.ColumnElement[bool]:
    """The same of a column whose first characters an index has in lower case: only long values are looked at whole."""
    ascii_lower = "".join(character.lower() if character.isascii() else character for character in text)
    found = [
        key.like("%" + form.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%", escape="!")
        for form in dict.fromkeys((text.lower(), ascii_lower))
    ]
    return sa.or_(*found, sa.and_(sa.func.length(key) >= size, contains(column, text)))


def _beyond(column: sa.ColumnElement[Any], value: Any, *, descending: bool) -> sa.ColumnElement[bool]:
    found: sa.ColumnElement[bool] = column < value if descending else column > value
    return found


def _towards(column: sa.ColumnElement[Any], *, descending: bool) -> sa.ColumnElement[Any]:
    return column.desc() if descending else column.asc()
