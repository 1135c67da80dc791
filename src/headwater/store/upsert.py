"""The statement that merges a fact into its table, generated from the fact's rules for each SQL dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql, sqlite

from headwater.graph.fact import Fact, columns_of
from headwater.graph.rules import Rule
from headwater.store.tables import STAMP_SUFFIX, events, fact_tables

__all__ = ["Statement", "append_statement", "row_of", "upsert_statement"]

_Parameters = tuple[Any, ...] | dict[str, Any]


class Statement(NamedTuple):
    """SQL text for the driver, and how it wants its parameters."""

    sql: str
    names: tuple[str, ...]
    positional: bool

    def bind(self, rows: Sequence[tuple[Any, ...]]) -> list[_Parameters]:
        if self.positional:
            return list(rows)
        return [dict(zip(self.names, row, strict=True)) for row in rows]


def upsert_statement(fact: type[Fact], dialect: sa.Dialect) -> Statement:
    """Insert a fact, or merge it with the one that has its key.

    The same for every dialect but for words: SQLite and PostgreSQL call the new value `excluded.x`, MySQL `VALUES(x)`.
    """
    table = fact_tables[fact]
    keys = [column.name for column in table.primary_key]
    if dialect.name in ("mysql", "mariadb"):
        insert = mysql.insert(table)
        changes = _merges(fact, table, lambda name: insert.inserted[name])
        # MySQL applies these from left to right, so a value comes before the stamp that decides about it.
        update = insert.on_duplicate_key_update(changes or [(keys[0], table.c[keys[0]])])
        return _compile(update, table, dialect)
    conflict = sqlite.insert(table) if dialect.name == "sqlite" else postgresql.insert(table)
    changes = _merges(fact, table, lambda name: conflict.excluded[name])
    if not changes:
        return _compile(conflict.on_conflict_do_nothing(index_elements=keys), table, dialect)
    return _compile(conflict.on_conflict_do_update(index_elements=keys, set_=dict(changes)), table, dialect)


def append_statement(dialect: sa.Dialect) -> Statement:
    """Insert an event into the log, unless it is there already."""
    columns = [column for column in events.columns if column.name != "id"]
    if dialect.name in ("mysql", "mariadb"):
        append: Any = mysql.insert(events).on_duplicate_key_update(id=events.c.id)
    elif dialect.name == "sqlite":
        append = sqlite.insert(events).on_conflict_do_nothing()
    else:
        append = postgresql.insert(events).on_conflict_do_nothing()
    return _compile(append, events, dialect, columns)


def row_of(fact: Fact) -> tuple[Any, ...]:
    """A fact's values in the order of its table's columns."""
    return _row_functions[type(fact)](fact)


def _merges(fact: type[Fact], table: sa.Table, new: Callable[[str], Any]) -> list[tuple[str, Any]]:
    merges: list[tuple[str, Any]] = []
    for column in columns_of(fact):
        name, old = column.name, table.c[column.name]
        if column.rule is None:
            continue
        if column.rule is Rule.LATEST:
            stamp = table.c[name + STAMP_SUFFIX]
            new_stamp = new(name + STAMP_SUFFIX)
            newer = sa.or_(stamp.is_(None), new_stamp > stamp, sa.and_(new_stamp == stamp, new(name) > old))
            merges.append((name, sa.case((sa.and_(new_stamp.isnot(None), newer), new(name)), else_=old)))
            merges.append((stamp.name, _greater(new_stamp, stamp)))
        elif column.rule is Rule.MAX:
            merges.append((name, _greater(new(name), old)))
        elif column.rule is Rule.MIN:
            merges.append(
                (name, sa.case((sa.or_(old.is_(None), new(name) < old), sa.func.coalesce(new(name), old)), else_=old))
            )
        else:
            zero: sa.ColumnElement[int] = sa.literal_column("0")
            both = sa.func.coalesce(old, zero).bitwise_or(sa.func.coalesce(new(name), zero))
            neither = sa.and_(old.is_(None), new(name).is_(None))
            merges.append((name, sa.case((neither, sa.null()), else_=both)))
    return merges


def _greater(new: Any, old: Any) -> Any:
    return sa.case((sa.or_(old.is_(None), new > old), sa.func.coalesce(new, old)), else_=old)


def _compile(
    statement: Any, table: sa.Table, dialect: sa.Dialect, columns: Sequence[sa.Column[Any]] | None = None
) -> Statement:
    names = tuple(column.name for column in (columns or list(table.columns)))
    compiled = statement.values({name: sa.bindparam(name) for name in names}).compile(dialect=dialect)
    text = str(compiled)
    positional = bool(compiled.positional)
    order = tuple(compiled.positiontup) if positional else names
    if order != names:
        raise AssertionError(f"{table.name}: the dialect binds {order}, not {names}")
    return Statement(text, names, positional)


def _row_function(fact: type[Fact]) -> Callable[[Fact], tuple[Any, ...]]:
    """Latest values are pairs in Python and two columns in SQL; everything else is as it is."""
    places = [place for place, column in enumerate(columns_of(fact)) if column.rule is Rule.LATEST]
    if not places:
        return fact.values

    def row(item: Fact) -> tuple[Any, ...]:
        values = list(item.values())
        for place in reversed(places):
            pair = values[place]
            values[place : place + 1] = (pair[1], pair[0]) if pair is not None else (None, None)
        return tuple(values)

    return row


_row_functions = {fact: _row_function(fact) for fact in fact_tables}
