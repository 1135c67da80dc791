"""Expressions as Spark, DuckDB and ClickHouse write them, which name unnamed columns."""

from __future__ import annotations

from collections.abc import Callable

from headwater.sql.parse.written_expression import Spelled, Unspelled

__all__ = ["clickhouse_text", "duckdb_text", "spark_text"]

_RANKING = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"})
_UPPER_IN_SPARK = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
_SPARK_NAMES = {"array_agg": "collect_list"}
_DEFAULT_ARGUMENTS = {
    "percentile_approx": (3, "10000"),
    "split": (3, "-1"),
    "from_unixtime": (2, "yyyy-MM-dd HH:mm:ss"),
}
_SPARK_OPERATORS = {"==": "=", "DIV": "div"}
_TYPES_IN_SPARK = {
    "INTEGER": "INT",
    "LONG": "BIGINT",
    "SHORT": "SMALLINT",
    "BYTE": "TINYINT",
    "DEC": "DECIMAL",
    "REAL": "FLOAT",
}


def spark_text(tree: Spelled) -> str:
    """As Spark writes it; a cast of a column, at the top, is called as the column.

    >>> spark_text(Spelled("op", "+", (Spelled("name", "a"), Spelled("number", "1"))))
    '(a + 1)'
    """
    while tree.kind in ("paren", "cast") and tree.parts[0].kind in ("name", "paren", "cast", "field"):
        if tree.kind == "cast" and not _names_column(tree):
            break
        tree = tree.parts[0]
    if tree.kind in ("name", "field"):
        return tree.text
    return _spark(tree)


def _names_column(tree: Spelled) -> bool:
    while tree.kind in ("cast", "paren"):
        tree = tree.parts[0]
    return tree.kind in ("name", "field")


def _spark(tree: Spelled) -> str:
    kind, parts = tree.kind, tree.parts
    if kind == "name":
        return tree.text
    if kind == "field":
        return f"{_spark(parts[0])}.{tree.text}"
    if kind in ("string", "number"):
        return tree.text
    if kind == "word":
        return tree.text if tree.text == "NULL" else tree.text.lower()
    if kind == "bare":
        return f"{tree.text.lower()}()"
    if kind == "paren":
        return _spark(parts[0])
    if kind == "op":
        return _spark_operator(tree)
    if kind == "prefix":
        return f"(NOT {_spark(parts[0])})" if tree.text == "NOT" else f"({tree.text} {_spark(parts[0])})"
    if kind == "isnull":
        return f"({_spark(parts[0])} IS {'NOT ' if tree.text else ''}NULL)"
    if kind == "in":
        return f"({_spark(parts[0])} IN ({', '.join(map(_spark, parts[1:]))}))"
    if kind == "between":
        return f"between({', '.join(map(_spark, parts))})"
    if kind == "like":
        one, other = map(_spark, parts)
        return f"{one} {tree.text} {other}" if tree.text in ("LIKE", "ILIKE") else f"RLIKE({one}, {other})"
    if kind == "cast":
        word = tree.text.upper()
        how = "TRY_CAST" if "TRY_CAST" in tree.more else "CAST"
        return f"{how}({_spark(parts[0])} AS {_TYPES_IN_SPARK.get(word, word)})"
    if kind == "case":
        return _case(tree, _spark, operand="({} = {})", branch=" WHEN {} THEN {}", last=" ELSE {}")
    if kind == "call":
        return _spark_call(tree)
    if kind == "filter":
        return f"{_spark(parts[0])} FILTER (WHERE {_spark(parts[1])})"
    if kind == "window":
        return _spark_window(tree)
    if kind == "index":
        return f"{_spark(parts[0])}[{_spark(parts[1])}]"
    if kind == "extract":
        return f"extract({tree.text} FROM {_spark(parts[0])})"
    if kind == "subquery":
        return "scalarsubquery()"
    if kind == "exists":
        return "exists()"
    if kind == "star":
        return "1"
    raise Unspelled


def _spark_operator(tree: Spelled) -> str:
    one, other = map(_spark, tree.parts)
    if tree.text == "||":
        return f"concat({one}, {other})"
    if tree.text in ("<>", "!="):
        return f"(NOT ({one} = {other}))"
    return f"({one} {_SPARK_OPERATORS.get(tree.text, tree.text)} {other})"


def _spark_call(tree: Spelled) -> str:
    name = tree.text.lower()
    name = _SPARK_NAMES.get(name, name)
    arguments = list(map(_spark, tree.parts))
    size, value = _DEFAULT_ARGUMENTS.get(name, (0, ""))
    if len(arguments) == size - 1:
        arguments.append(value)
    distinct = "DISTINCT " if tree.more else ""
    if name == "if":
        return f"(IF({', '.join(arguments)}))"
    if name in _UPPER_IN_SPARK:
        name = name.upper()
    return f"{name}({distinct}{', '.join(arguments)})"


def _spark_window(tree: Spelled) -> str:
    call, by, order = tree.parts
    name = call.text.lower() if call.kind == "call" else ""
    clauses = []
    if by.parts:
        clauses.append(f"PARTITION BY {', '.join(map(_spark, by.parts))}")
    if order.parts:
        clauses.append(f"ORDER BY {', '.join(map(_spark_key, order.parts))}")
    if name in ("lag", "lead"):
        return _spark_neighbour(call, name, clauses)
    if tree.text and " BETWEEN " not in f" {tree.text} ":
        kind, _, start = tree.text.partition(" ")
        clauses.append(f"{kind} BETWEEN {start} AND CURRENT ROW")
    elif tree.text:
        clauses.append(tree.text)
    elif order.parts:
        clauses.append(f"{'ROWS' if name in _RANKING else 'RANGE'} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
    else:
        clauses.append("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
    return f"{_spark(call)} OVER ({' '.join(clauses)})"


def _spark_neighbour(call: Spelled, name: str, clauses: list[str]) -> str:
    """LAG and LEAD are written with all of their arguments, and with the row they look at as their frame."""
    value, *rest = map(_spark, call.parts)
    distance, default = (*rest, *("1", "NULL")[len(rest) :])[:2]
    row = f"-{distance}" if name == "lag" else distance
    frame = f"ROWS BETWEEN {row} FOLLOWING AND {row} FOLLOWING"
    return f"{name}({value}, {distance}, {default}) OVER ({' '.join([*clauses, frame])})"


def _spark_key(key: Spelled) -> str:
    nulls = key.more[0] if key.more else ("LAST" if key.text == "DESC" else "FIRST")
    return f"{_spark(key.parts[0])} {key.text} NULLS {nulls}"


def _case(tree: Spelled, write: Callable[[Spelled], str], *, operand: str, branch: str, last: str) -> str:
    has_operand, has_last = (flag == "1" for flag in tree.more)
    parts = list(tree.parts)
    first = parts.pop(0) if has_operand else None
    final = parts.pop() if has_last else None
    found = "CASE"
    for item in parts:
        when = write(item.parts[0])
        if first is not None:
            when = operand.format(write(first), when)
        found += branch.format(when, write(item.parts[1]))
    if final is not None:
        found += last.format(write(final))
    return f"{found} END"


_DUCK_QUOTED = frozenset(
    {"substring", "trim", "nullif", "if", "position", "row", "year", "month", "day", "hour", "left", "right"}
)
_DUCK_TYPES = {
    "INT": "INTEGER",
    "INT4": "INTEGER",
    "INT8": "BIGINT",
    "LONG": "BIGINT",
    "CHAR": "VARCHAR",
    "BOOL": "BOOLEAN",
    "FLOAT8": "DOUBLE",
    "REAL": "FLOAT",
    "FLOAT4": "FLOAT",
    "NUMERIC": "DECIMAL",
}


def duckdb_text(tree: Spelled) -> str:
    """As DuckDB writes it."""
    kind, parts = tree.kind, tree.parts
    if kind == "name":
        return ".".join(tree.more)
    if kind in ("number", "bare"):
        return tree.text
    if kind == "string":
        return "'" + tree.text.replace("'", "''") + "'"
    if kind == "word":
        return tree.text if tree.text == "NULL" else tree.text.lower()
    if kind == "paren":
        return duckdb_text(parts[0])
    if kind == "op":
        operator = {"==": "=", "<>": "!="}.get(tree.text, tree.text)
        return f"({duckdb_text(parts[0])} {operator} {duckdb_text(parts[1])})"
    if kind == "prefix":
        return f"(NOT {duckdb_text(parts[0])})" if tree.text == "NOT" else f"({tree.text}({duckdb_text(parts[0])}))"
    if kind == "isnull":
        return f"({duckdb_text(parts[0])} IS {'NOT ' if tree.text else ''}NULL)"
    if kind == "in":
        return f"({duckdb_text(parts[0])} IN ({', '.join(map(duckdb_text, parts[1:]))}))"
    if kind == "between":
        one, low, high = map(duckdb_text, parts)
        return f"({one} BETWEEN {low} AND {high})"
    if kind == "like" and tree.text == "LIKE":
        return f"({duckdb_text(parts[0])} ~~ {duckdb_text(parts[1])})"
    if kind == "cast":
        word, bracket, rest = tree.text.upper().partition("(")
        written = _DUCK_TYPES.get(word, word) + bracket + rest.replace(",", ", ")
        how = "TRY_CAST" if "TRY_CAST" in tree.more else "CAST"
        return f"{how}({duckdb_text(parts[0])} AS {written})"
    if kind == "case":
        if tree.more[1] == "0":
            tree = tree._replace(parts=(*parts, Spelled("word", "NULL")), more=(tree.more[0], "1"))
        return _case(tree, duckdb_text, operand="({} = {})", branch="  WHEN ({}) THEN ({})", last=" ELSE {}")
    if kind == "call":
        return _duckdb_call(tree)
    if kind == "filter":
        return f"{duckdb_text(parts[0])} FILTER (WHERE {duckdb_text(parts[1])})"
    if kind == "window" and not tree.text:
        return _duckdb_window(tree)
    if kind == "index":
        return f"{duckdb_text(parts[0])}[{duckdb_text(parts[1])}]"
    if kind == "extract":
        return f"date_part('{tree.text.upper()}', {duckdb_text(parts[0])})"
    if kind == "array" and parts:
        return f"(ARRAY[{', '.join(map(duckdb_text, parts))}])"
    raise Unspelled


def _duckdb_call(tree: Spelled) -> str:
    name = tree.text.lower()
    if name == "count" and [part.kind for part in tree.parts] in ([], ["star"]):
        return "count_star()"
    if name in ("coalesce", "ifnull"):
        name = "COALESCE"
    written = f'"{name}"' if name in _DUCK_QUOTED else name
    return f"{written}({'DISTINCT ' if tree.more else ''}{', '.join(map(duckdb_text, tree.parts))})"


def _duckdb_window(tree: Spelled) -> str:
    call, by, order = tree.parts
    clauses = [f"PARTITION BY {', '.join(map(duckdb_text, by.parts))}"] if by.parts else []
    if order.parts:
        keys = [duckdb_text(key.parts[0]) + (" DESC" if key.text == "DESC" else "") for key in order.parts]
        clauses.append(f"ORDER BY {', '.join(keys)}")
    return f"{duckdb_text(call)} OVER ({' '.join(clauses)})"


_AS_FUNCTIONS = {
    "+": "plus",
    "-": "minus",
    "*": "multiply",
    "/": "divide",
    "%": "modulo",
    "DIV": "intDiv",
    "||": "concat",
    "=": "equals",
    "==": "equals",
    "!=": "notEquals",
    "<>": "notEquals",
    "<": "less",
    ">": "greater",
    "<=": "lessOrEquals",
    ">=": "greaterOrEquals",
    "AND": "and",
    "OR": "or",
}


def clickhouse_text(tree: Spelled) -> str:
    """As ClickHouse writes it: every operator is a function."""
    kind, parts = tree.kind, tree.parts
    if kind in ("name", "number", "word"):
        return tree.text
    if kind == "string":
        return "'" + tree.text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if kind == "paren":
        return clickhouse_text(parts[0])
    inside = [clickhouse_text(part) for part in parts if part.kind not in ("star", "when", "by", "order")]
    if kind == "op" and tree.text in _AS_FUNCTIONS:
        return f"{_AS_FUNCTIONS[tree.text]}({', '.join(inside)})"
    if kind == "prefix":
        return f"{'not' if tree.text == 'NOT' else 'negate'}({inside[0]})"
    if kind == "isnull":
        return f"{'isNotNull' if tree.text else 'isNull'}({inside[0]})"
    if kind == "in":
        listed = inside[1] if len(inside) == 2 else f"({', '.join(inside[1:])})"
        return f"in({inside[0]}, {listed})"
    if kind == "between":
        return f"and(greaterOrEquals({inside[0]}, {inside[1]}), lessOrEquals({inside[0]}, {inside[2]}))"
    if kind == "like" and tree.text in ("LIKE", "ILIKE"):
        return f"{tree.text.lower()}({', '.join(inside)})"
    if kind == "cast":
        return f"CAST({inside[0]}, '{tree.text}')"
    if kind == "call":
        return f"{tree.text}({'DISTINCT ' if tree.more else ''}{', '.join(inside)})"
    if kind == "index":
        return f"arrayElement({', '.join(inside)})"
    if kind == "array":
        return f"[{', '.join(inside)}]"
    if kind == "tuple":
        return f"({', '.join(inside)})"
    raise Unspelled
