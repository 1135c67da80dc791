"""Watches every statement that SQLite executes, and tells which of them reach rows of more than one tenant.

A table of tenants' data may be named in a statement only together with the tenant: by `tenant = 7` for it, or by
`tenant = other.tenant` for another table of the same statement that is bound so. Statements are taken from SQLite
itself, with their values, so that it does not matter how the code asks.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import Any, Self

import sqlalchemy as sa
import sqlglot
from sqlglot import exp

from headwater.store.tables import metadata

COLUMN = {
    table.name: next(name for name in ("tenant", "tenant_id") if name in table.c)
    for table in metadata.sorted_tables
    if "tenant" in table.c or "tenant_id" in table.c
}
"""The column that names the tenant, by table."""
_OTHER = re.compile(r"(BEGIN|COMMIT|ROLLBACK|PRAGMA|SAVEPOINT|RELEASE|ANALYZE|--)")


class Statements:
    """Use as a context manager around the opening of a store; `clear` and `texts` in between."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._connections: list[sqlite3.Connection] = []

    def _watch(self, connection: Any, _: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.set_trace_callback(self.texts.append)
            self._connections.append(connection)

    def clear(self) -> None:
        self.texts.clear()

    def distinct(self) -> list[str]:
        return [text for text in dict.fromkeys(self.texts) if not _OTHER.match(text)]

    def __enter__(self) -> Self:
        sa.event.listen(sa.pool.Pool, "connect", self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        sa.event.remove(sa.pool.Pool, "connect", self._watch)


def unbound(statement: str, tenant: int) -> list[str]:
    """The tables of a statement that are read or written without a word about whose rows are meant."""
    tree = sqlglot.parse_one(statement, dialect="sqlite")
    return sorted(set(_of(tree, tenant, frozenset())))


def _of(tree: exp.Expr, tenant: int, outer: frozenset[str]) -> Iterator[str]:
    """Tables of this statement and of those inside of it. `outer` are the names around it that are bound already."""
    if isinstance(tree, exp.Insert):
        yield from _of_insert(tree, tenant)
        bound = outer
    elif isinstance(tree, exp.Select | exp.Delete | exp.Update):
        tables = {table.alias_or_name: table.name for table in _tables(tree) if table.name in COLUMN}
        bound = outer | _bound(tables, _conditions(tree), tenant, outer)
        yield from (tables[name] for name in tables if name not in bound)
    else:
        bound = outer
    for inner in _inside(tree):
        yield from _of(inner, tenant, bound)


def _tables(tree: exp.Expr) -> Iterator[exp.Table]:
    sources = [tree.this] if isinstance(tree, exp.Delete | exp.Update) else []
    first = tree.args.get("from_") or tree.args.get("from")
    sources += [first.this] if first is not None else []
    sources += [join.this for join in tree.args.get("joins") or ()]
    return (source for source in sources if isinstance(source, exp.Table))


def _conditions(tree: exp.Expr) -> list[exp.Expr]:
    """What must hold of every row: the parts of WHERE and of each ON between which there is an AND."""
    where = tree.args.get("where")
    found = [where.this] if where is not None else []
    found += [join.args["on"] for join in tree.args.get("joins") or () if join.args.get("on") is not None]
    return [part for condition in found for part in condition.flatten() if isinstance(condition, exp.And)] + [
        condition for condition in found if not isinstance(condition, exp.And)
    ]


def _bound(tables: dict[str, str], conditions: list[exp.Expr], tenant: int, outer: frozenset[str]) -> frozenset[str]:
    bound: set[str] = set()
    pairs: list[tuple[str, str]] = []
    for condition in map(_plain, conditions):
        if not isinstance(condition, exp.EQ):
            continue
        left, right = _plain(condition.this), _plain(condition.expression)
        for one, other in ((left, right), (right, left)):
            if not isinstance(one, exp.Column) or one.name not in ("tenant", "tenant_id"):
                continue
            name = one.table or next(iter(tables), "")
            if isinstance(other, exp.Literal) and other.name == str(tenant):
                bound.add(name)
            elif isinstance(other, exp.Column) and other.name in ("tenant", "tenant_id"):
                pairs.append((name, other.table))
    grown = True
    while grown:
        before = len(bound)
        bound |= {name for name, other in pairs if other in bound or other in outer}
        grown = len(bound) > before
    return frozenset(bound)


def _of_insert(tree: exp.Insert, tenant: int) -> Iterator[str]:
    """Each new row says whose it is; rows out of a question are those that the question is bound to."""
    into = tree.this
    table = into.this if isinstance(into, exp.Schema) else into
    if not isinstance(table, exp.Table) or table.name not in COLUMN:
        return
    names = [column.name for column in into.expressions] if isinstance(into, exp.Schema) else []
    place = names.index(COLUMN[table.name])
    values = tree.expression
    if isinstance(values, exp.Values):
        for row in values.expressions:
            said = _plain(row.expressions[place])
            if not (isinstance(said, exp.Literal) and said.name == str(tenant)):
                yield table.name
    elif isinstance(values, exp.Select):
        said = _plain(values.expressions[place].unalias())
        is_tenant = isinstance(said, exp.Column) and said.name in ("tenant", "tenant_id")
        if not (is_tenant or (isinstance(said, exp.Literal) and said.name == str(tenant))):
            yield table.name


def _inside(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The statements directly inside of this one."""
    for child in tree.iter_expressions():
        if isinstance(child, exp.Query) and not isinstance(child, exp.Subquery):
            yield child
        else:
            yield from _inside(child)


def _plain(tree: exp.Expr) -> exp.Expr:
    """Without parentheses, and without the `+ 0` that keeps a database from using an index."""
    while isinstance(tree, exp.Paren) or (isinstance(tree, exp.Add) and tree.expression.name == "0"):
        tree = tree.this
    return tree
