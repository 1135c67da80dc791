"""Pages of a list by key: each begins after the last row of the one before, however many rows lie in between."""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

__all__ = ["After", "Page", "contains", "fetch_page"]

After = tuple[Any, bytes]
"""Where a page begins: the sort value and the id of the last row before it."""


class Page(NamedTuple):
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
) -> Page:
    """Rows in the order of `sort` and then `key`; rows without a value come last, in either direction.

    Databases disagree about where NULL sorts, so those rows are a question of their own, asked after all others.
    """
    total = int(
        connection.execute(sa.select(sa.func.count()).select_from(query.order_by(None).subquery())).scalar_one()
    )
    if sort is None:
        ordered = query if after is None else query.where(_beyond(key, after[1], descending=descending))
        return Page(
            list(connection.execute(ordered.order_by(_towards(key, descending=descending)).limit(limit))), total
        )
    rows: list[sa.Row[Any]] = []
    if after is None or after[0] is not None:
        valued = query.where(sort.is_not(None))
        if after is not None:
            tied = sa.and_(sort == after[0], _beyond(key, after[1], descending=descending))
            # The first condition follows from the second; it is what an index can begin with.
            reached = sort <= after[0] if descending else sort >= after[0]
            valued = valued.where(reached, sa.or_(_beyond(sort, after[0], descending=descending), tied))
        order = (_towards(sort, descending=descending), _towards(key, descending=descending))
        rows += connection.execute(valued.order_by(*order).limit(limit))
    if len(rows) < limit:
        valueless = query.where(sort.is_(None))
        if after is not None and after[0] is None:
            valueless = valueless.where(_beyond(key, after[1], descending=descending))
        order_of_rest = valueless.order_by(_towards(key, descending=descending)).limit(limit - len(rows))
        rows += connection.execute(order_of_rest)
    return Page(rows, total)


def contains(column: sa.ColumnElement[Any], text: str) -> sa.ColumnElement[bool]:
    """Whether a column contains this text, whatever its case."""
    pattern = "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
    # Which letters have a lower case differs from database to database, so text as it was typed counts too.
    return sa.or_(column.like(pattern, escape="!"), sa.func.lower(column).like(pattern.lower(), escape="!"))


def _beyond(column: sa.ColumnElement[Any], value: Any, *, descending: bool) -> sa.ColumnElement[bool]:
    found: sa.ColumnElement[bool] = column < value if descending else column > value
    return found


def _towards(column: sa.ColumnElement[Any], *, descending: bool) -> sa.ColumnElement[Any]:
    return column.desc() if descending else column.asc()
