"""The statement that merges a fact into its table, generated from the fact's rules for each SQL dialect."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql, sqlite

from headwater.graph.fact import Fact, columns_of
from headwater.graph.merge_rules import Rule
from headwater.store.dialects.mysql_literals import statements_of
from headwater.store.dialects.postgresql_arrays import array_of
from headwater.store.engine import as_raised
from headwater.store.tables import STAMP_SUFFIX, events, fact_tables, stored_columns

__all__ = [
    "Row",
    "UpsertStatement",
    "append_statement",
    "insert_statement",
    "merge_selected",
    "row_function",
    "row_of",
    "upsert_statement",
]

Row = tuple[Any, ...]
"""Values in the order of a table's columns."""

_GROUPS = (256, 128, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1)
"""Rows in one statement of SQLite: few sizes, so that each is prepared once, yet few statements for any number."""
_AT_ONCE = 1000
"""Rows in one statement by column."""
_NO_PARAMETERS = {"no_parameters": True}


class UpsertStatement(NamedTuple):
    """SQL text for the driver, and how it wants its parameters."""

    sql: str
    names: tuple[str, ...]
    kinds: tuple[type, ...] | None = None
    """Given when it wants one array per column instead of one tuple per row."""

    group: str = ""
    """The placeholders of one row, when a statement takes several rows in their place."""

    def run(self, connection: sa.Connection, rows: Sequence[Row]) -> int:
        """Write these rows; gives the number of new or changed ones, if the database reports it."""
        if self.kinds is None:
            return (self._run_grouped if connection.dialect.name == "sqlite" else self._run_literal)(connection, rows)
        changed = 0
        for start in range(0, len(rows), _AT_ONCE):
            columns = map(array_of, self.kinds, zip(*rows[start : start + _AT_ONCE], strict=True))
            values = dict(zip(self.names, columns, strict=True))
            changed += connection.exec_driver_sql(self.sql, values).rowcount
        return changed

    def _run_literal(self, connection: sa.Connection, rows: Sequence[Row]) -> int:
        """MySQL and MariaDB: the values are part of the statement."""
        head, tail = _around(self.sql, self.group)
        driver: Any = connection.connection.driver_connection
        changed = 0
        try:
            for sql in statements_of(head, rows, tail, driver.escape):
                changed += connection.exec_driver_sql(sql, execution_options=_NO_PARAMETERS).rowcount
        except sa.exc.DBAPIError as error:
            error.statement = self.sql  # without the values, which may be a megabyte of them
            raise
        return changed

    def _run_grouped(self, connection: sa.Connection, rows: Sequence[Row]) -> int:
        """Few statements: SQLite's driver releases the interpreter at every one and must get it back.

        They go straight to the driver: SQLAlchemy's part of a statement takes ten times as long as the driver's own.
        """
        driver: Any = connection.connection.driver_connection
        changed, start, sql = 0, 0, self.sql
        try:
            for size in _GROUPS:
                while len(rows) - start >= size:
                    sql = _repeated(self.sql, self.group, size)
                    changed += driver.execute(sql, tuple(chain.from_iterable(rows[start : start + size]))).rowcount
                    start += size
        except sqlite3.Error as error:
            raise as_raised(error, sql, connection) from error
        return changed


@cache
def _around(sql: str, group: str) -> tuple[str, str]:
    """The statement before and after its values, as literal text."""
    head, _, tail = sql.partition(group)
    return head.replace("%%", "%"), tail.replace("%%", "%")


@cache
def _repeated(sql: str, group: str, times: int) -> str:
    return sql.replace(group, ", ".join([group] * times), 1)


def upsert_statement(fact: type[Fact], dialect: sa.Dialect, table: sa.Table | None = None) -> UpsertStatement:
    """Insert a fact, or merge it with the one that has its key; into another table of the same columns, if given.

    The same for every dialect but for words: the new value is `excluded.x` or, to MySQL, `VALUES(x)`.
    """
    table = fact_tables[fact] if table is None else table
    columns = [column for column in table.columns if column.computed is None]
    insert = _insert(table, dialect)
    compile_for = _by_column if dialect.name == "postgresql" else _by_row
    return compile_for(_merging(fact, table, insert), columns, dialect)


def merge_selected(connection: sa.Connection, fact: type[Fact], rows: sa.Select[Any]) -> None:
    """Merge selected rows into the table of a fact; they have the columns that are written, in their order."""
    table = fact_tables[fact]
    names = [column.name for column in stored_columns(table)]
    insert = _insert(table, connection.dialect).from_select(names, rows)
    connection.execute(_merging(fact, table, insert))


def _insert(table: sa.Table, dialect: sa.Dialect) -> Any:
    if dialect.name in ("mysql", "mariadb"):
        return mysql.insert(table)
    return sqlite.insert(table) if dialect.name == "sqlite" else postgresql.insert(table)


def _merging(fact: type[Fact], table: sa.Table, insert: Any) -> Any:
    """An insert that merges with a row that has its key."""
    keys = [column.name for column in table.primary_key]
    if isinstance(insert, mysql.Insert):
        changes = _merges(fact, table, lambda name: insert.inserted[name])
        # MySQL applies these from left to right, so a value comes before the stamp that decides about it.
        return insert.on_duplicate_key_update(changes or [(keys[0], table.c[keys[0]])])
    changes = _merges(fact, table, lambda name: insert.excluded[name])
    if changes:
        return insert.on_conflict_do_update(index_elements=keys, set_=dict(changes))
    return insert.on_conflict_do_nothing(index_elements=keys)


def append_statement(dialect: sa.Dialect) -> UpsertStatement:
    """Insert an event into the log, unless it is there already."""
    return insert_statement(events, dialect)


def insert_statement(table: sa.Table, dialect: sa.Dialect) -> UpsertStatement:
    """Insert a row of any table, unless one with its key is there already; its number is the database's to give."""
    columns = [column for column in table.columns if column is not table.autoincrement_column]
    if dialect.name in ("mysql", "mariadb"):
        # Not the number: once MariaDB has set it, even to itself, it counts on from there, into numbers that other
        # sessions have given. The next rows then count as duplicates of those, and are lost without a word.
        same = columns[0]
        return _by_row(mysql.insert(table).on_duplicate_key_update([(same.name, same)]), columns, dialect)
    if dialect.name == "sqlite":
        return _by_row(sqlite.insert(table).on_conflict_do_nothing(), columns, dialect)
    return _by_column(postgresql.insert(table).on_conflict_do_nothing(), columns, dialect)


def replace_statement(table: sa.Table, dialect: sa.Dialect) -> UpsertStatement:
    """Insert a row of any table, in the place of the one with its key."""
    columns = list(table.columns)
    keys = table.primary_key.columns.keys()
    names = [column.name for column in columns if column.name not in keys]
    if dialect.name in ("mysql", "mariadb"):
        insert = mysql.insert(table)
        return _by_row(
            insert.on_duplicate_key_update([(name, insert.inserted[name]) for name in names]), columns, dialect
        )
    conflict = sqlite.insert(table) if dialect.name == "sqlite" else postgresql.insert(table)
    update = conflict.on_conflict_do_update(index_elements=keys, set_={name: conflict.excluded[name] for name in names})
    return _by_row(update, columns, dialect) if dialect.name == "sqlite" else _by_column(update, columns, dialect)


def row_of(fact: Fact) -> Row:
    """One fact's values in the order of its table's columns; of many, ask for the `row_function` once."""
    return row_function(type(fact))(fact)


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


def _by_row(statement: Any, columns: Sequence[sa.Column[Any]], dialect: sa.Dialect) -> UpsertStatement:
    """Many rows in one statement, one after the other."""
    names = tuple(column.name for column in columns)
    compiled = statement.values({name: sa.bindparam(name) for name in names}).compile(dialect=dialect)
    if not compiled.positional or tuple(compiled.positiontup) != names:
        raise AssertionError(f"{columns[0].table.name}: the driver does not bind by position")
    placeholder = "?" if dialect.name == "sqlite" else "%s"
    group = f"({', '.join([placeholder] * len(names))})"
    if str(compiled).count(group) != 1:
        raise AssertionError(f"{columns[0].table.name}: no place for rows")
    return UpsertStatement(str(compiled), names, group=group)


def _by_column(statement: Any, columns: Sequence[sa.Column[Any]], dialect: sa.Dialect) -> UpsertStatement:
    """One array per column: however many rows, PostgreSQL sees one and the same prepared statement.

    Measured against a statement per row in a pipeline: half the time, a third of the client's CPU.
    """
    names = tuple(column.name for column in columns)
    kinds = tuple(column.type.python_type for column in columns)
    # Types without a length: a cast to a length would cut the text short in silence.
    elements: dict[type, sa.types.TypeEngine[Any]] = {int: sa.BigInteger(), bytes: postgresql.BYTEA(), str: sa.Text()}
    arrays: list[Any] = [
        sa.cast(sa.bindparam(name), postgresql.ARRAY(elements[kind])) for name, kind in zip(names, kinds, strict=True)
    ]
    rows = sa.func.unnest(*arrays).table_valued(*names).render_derived(name="new")
    compiled = statement.from_select(names, sa.select(rows)).compile(dialect=dialect)
    return UpsertStatement(str(compiled), names, kinds)


@cache
def row_function(fact: type[Fact]) -> Callable[[Fact], Row]:
    """Function that gives a fact's values in the order of its table's columns.

    Latest values are pairs in Python and two columns in SQL; a member of an enumeration is its number.
    """
    columns = list(enumerate(columns_of(fact)))
    pairs = [position for position, column in reversed(columns) if column.rule is Rule.LATEST]
    numbers = [position for position, column in columns if issubclass(column.kind, Enum)]
    if not pairs and not numbers:
        return fact.values

    def row(item: Fact) -> Row:
        values = list(item.values())
        for position in numbers:
            if values[position] is not None:
                values[position] = int(values[position])
        for position in pairs:
            pair = values[position]
            values[position : position + 1] = (pair[1], pair[0]) if pair is not None else (None, None)
        return tuple(values)

    return row
