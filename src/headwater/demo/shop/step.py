"""A step: selected columns and source tables, from which its SQL and its column lineage are made."""

from __future__ import annotations

import re

from msgspec import Struct

from headwater.demo.shop.tables import Table, columns_of

__all__ = ["Edge", "Influence", "Step", "step"]

_CLAUSE = re.compile(r"\s+(LEFT JOIN|JOIN|ON|WHERE|GROUP BY|ORDER BY|LIMIT)\s+")
_REFERENCE = re.compile(r"\b([a-z]\w?)\.([a-z]\w*)\b")
_AGGREGATE = re.compile(r"\b(count|sum|max|min|avg)\(")
_MASK = re.compile(r"\b(sha2|md5|mask)\(")
_INFLUENCES = {"ON": "JOIN", "WHERE": "FILTER", "GROUP BY": "GROUP_BY", "ORDER BY": "SORT"}


class Edge(Struct, frozen=True):
    """A column of the output that gets values from a column of an input."""

    column: str
    source: Table
    source_column: str
    subtype: str
    masked: bool


class Influence(Struct, frozen=True):
    """A column of an input that decides over rows of the output."""

    source: Table
    source_column: str
    subtype: str


class Step(Struct, frozen=True):
    name: str
    inputs: tuple[Table, ...]
    output: Table
    edges: tuple[Edge, ...]
    influences: tuple[Influence, ...]
    sql: str


def step(
    known: dict[str, Table], name: str, into: str, select: str, source: str, about: str, owner: str, kind: str = "TABLE"
) -> Step:
    """Define a step; later steps may read its output.

    `into` is `NAMESPACE NAME`, `select` has lines `column[#tag] = expression`, `source` is the text after FROM, with
    a short alias for each table: `clean/orders o JOIN shop.public.order_items i ON i.order_id = o.order_id`.
    """
    first, *rest = _CLAUSE.split(source)
    clauses = [("FROM", first), *zip(rest[::2], rest[1::2], strict=True)]
    tables = [text.split() for word, text in clauses if word in {"FROM", "JOIN", "LEFT JOIN"}]
    aliases = {alias: known[table] for table, alias in tables}
    columns = [(left.strip(), right.strip()) for left, _, right in (line.partition(" = ") for line in _lines(select))]
    edges = tuple(edge for column, expression in columns for edge in _edges(column, expression, aliases))
    influences = tuple(
        Influence(aliases[alias], column, _INFLUENCES[word])
        for word, text in clauses
        if word in _INFLUENCES
        for alias, column in dict.fromkeys(_REFERENCE.findall(text))
    )
    namespace, _, output_name = into.partition(" ")
    output = Table(namespace, output_name, columns_of(" ".join(column for column, _ in columns)), about, owner, kind)
    known[output_name] = output
    shown = ",\n       ".join(_shown(column.partition("#")[0], expression) for column, expression in columns)
    body = "\n".join(
        f"{word} {_sql_name(text) if word in {'FROM', 'JOIN', 'LEFT JOIN'} else text}" for word, text in clauses
    )
    sql = f"SELECT {shown}\n{body.replace(chr(10) + 'ON ', ' ON ')}"
    return Step(name, tuple(dict.fromkeys(aliases.values())), output, edges, influences, sql)


def _lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line.strip()]


def _edges(column: str, expression: str, aliases: dict[str, Table]) -> list[Edge]:
    references = dict.fromkeys(_REFERENCE.findall(expression))
    if re.fullmatch(_REFERENCE, expression):
        subtype = "IDENTITY"
    else:
        subtype = "AGGREGATION" if _AGGREGATE.search(expression) else "TRANSFORMATION"
    masked = bool(_MASK.search(expression))
    target = column.partition("#")[0]
    return [Edge(target, aliases[alias], source, subtype, masked) for alias, source in references]


def _shown(column: str, expression: str) -> str:
    return expression if expression.partition(".")[2] == column else f"{expression} AS {column}"


def _sql_name(text: str) -> str:
    table, _, alias = text.partition(" ")
    return f"{table.replace('/', '.')} {alias}"
