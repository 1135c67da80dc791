"""Names that engines give to unnamed columns."""

from __future__ import annotations

import re
from collections.abc import Callable

from headwater.sql.dialects.differences import Naming
from headwater.sql.dialects.engine_text import clickhouse_text, duckdb_text, spark_text
from headwater.sql.dialects.profiles import Profile
from headwater.sql.parse.tokenize import tokenize
from headwater.sql.parse.written_expression import Spelled, spelled

__all__ = ["generated_name"]

_LONGEST = 2_000
"""Characters of an expression that is looked at closely."""
_STRINGS = re.compile(r"('(?:[^']|'')*')")
_TYPES = {
    "int": "int4",
    "integer": "int4",
    "bigint": "int8",
    "smallint": "int2",
    "real": "float4",
    "decimal": "numeric",
    "boolean": "bool",
    "char": "bpchar",
    "double": "float8",
    "float": "float8",
    "character": "bpchar",
}
_SIDES = {"trim": "btrim"}
_CALL = re.compile(r"(?:\w+\.)*(\w+)\s*\(")
_AROUND_CALL = re.compile(r"\s*(?:\Z|over\b|filter\b|within\b)", re.IGNORECASE)


def generated_name(profile: Profile, text: str, position: int, unnamed_before: int) -> str:
    """The name of the column at `position`, whose expression is spelled `text`, by the rules of the engine.

    `unnamed_before` is how many columns before it were given no name either.

    >>> from headwater.sql.dialects.profiles import profile_of
    >>> [generated_name(profile_of(name), "SUM( x )", 2, 0) for name in ("spark", "hive", "flink", "postgres", "mysql")]
    ['sum(x)', '_c2', 'EXPR$2', 'sum', 'SUM( x )']
    """
    match profile.naming:
        case Naming.EXPRESSION_NUMBER:
            return f"EXPR${position}"
        case Naming.COLUMN_NUMBER:
            return f"_col{position}"
        case Naming.UNNAMED_NUMBER:
            return f"f{unnamed_before}_"
        case Naming.NUMBER:
            return str(position + 1)
        case Naming.POSTGRES:
            name = _of_tree(profile, text, _postgres_name)
            return (_called(text) if name is None else name) or "?column?"
        case Naming.UPPER_CASE:
            text = text.upper()
        case Naming.ORACLE:
            text = _oracle(text)
        case Naming.SPARK:
            text = _of_tree(profile, text, spark_text) or text
        case Naming.DUCKDB:
            text = _of_tree(profile, text, duckdb_text) or text
        case Naming.CLICKHOUSE:
            text = _of_tree(profile, text, clickhouse_text) or text
        case Naming.HIVE:
            text = ""
    return text or f"_c{position}"


def _of_tree(profile: Profile, text: str, name_of: Callable[[Spelled], str]) -> str | None:
    """Name made from the pieces of the expression; None if they are unknown."""
    if not text or len(text) > _LONGEST:
        return None
    try:
        return name_of(spelled(tokenize(text, profile)))
    except Exception:  # noqa: BLE001 - what the tokenizer or we cannot read is called in the simpler way
        return None


def _oracle(text: str) -> str:
    """Upper case and without blanks, except inside quotes."""
    parts = _STRINGS.split(text)
    return "".join(part if index % 2 else re.sub(r"\s+", "", part).upper() for index, part in enumerate(parts))


def _called(text: str) -> str:
    """The function, of a call whose arguments are more than names and values: `trim(both 'x' FROM s)`."""
    found = _CALL.match(text)
    if found is None:
        return ""
    depth = 0
    for position in range(found.end() - 1, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if not depth:
            name = found[1].lower()
            return _SIDES.get(name, name) if _AROUND_CALL.match(text, position + 1) else ""
    return ""


def _postgres_name(tree: Spelled) -> str:
    return _figured(tree)[0]


def _figured(tree: Spelled) -> tuple[str, bool]:
    """The name, and whether it is a good one: a cast is called as its type only if nothing inside is called better."""
    kind = tree.kind
    if kind in ("name", "field"):
        return tree.text, True
    if kind == "call":
        name = tree.text.lower()
        return _SIDES.get(name, name), True
    if kind in ("paren", "filter", "window", "index"):
        return _figured(tree.parts[0])
    if kind == "bare":
        return tree.text.lower(), True
    if kind in ("extract", "exists", "array"):
        return kind, True
    if kind == "cast":
        name, good = _figured(tree.parts[0])
        if good:
            return name, True
        word = tree.text.lower().partition("(")[0]
        return _TYPES.get(word, word), False
    if kind == "case":
        name, good = _figured(tree.parts[-1]) if tree.more[1] == "1" else ("", False)
        return (name, True) if good else ("case", False)
    if kind == "tuple":
        return "row", True
    return "", False
