"""Checks: names that the script does not define, edges to missing columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sqlglot import exp

from headwater.sql.dialects.builtin_functions import is_builtin
from headwater.sql.result.records import ColumnEdge, Diagnostic
from headwater.sql.walk.query.table_functions import OWN_NAMES
from headwater.sql.walk.scope.catalog import SchemaCatalog, TableInfo
from headwater.sql.walk.scope.context import place_of

__all__ = ["checked_edges", "undefined_functions", "undefined_tables"]

_PSEUDO = frozenset(
    {
        *(
            "rowid",
            "rownum",
            "ctid",
            "xmin",
            "xmax",
            "tableoid",
            "oid",
            "_metadata",
            "_partitiontime",
            "_partitiondate",
        ),
        *("_table_suffix", "_file_name", "_part", "_partition_id", "_path", "_file", "_rowid_", "$path", "$file_size"),
    }
)
"""Columns that a table has without defining them."""
_OF_THE_SYSTEM = frozenset({"information_schema", "pg_catalog", "sys", "system", "mysql", "dual", "sysibm"})


def undefined_tables(names: Iterable[str], catalog: SchemaCatalog) -> Iterator[Diagnostic]:
    """A warning for each table that is read or written and that no statement has defined."""
    for name in names:
        if _is_place(name) or catalog.find_text(name) is not None:
            continue
        yield Diagnostic("undefined-table", f"{name} is a table that the set-up statements do not define")


def _is_place(name: str) -> bool:
    """A file, a stage, a temporary table, or a table of the system."""
    parts = set(name.casefold().split("."))
    return "/" in name or name.startswith(("@", "#", "s3:")) or bool(parts & _OF_THE_SYSTEM)


def undefined_functions(node: exp.Expr, catalog: SchemaCatalog) -> Iterator[Diagnostic]:
    """A warning for each function that neither an engine has nor a statement has defined."""
    seen: set[str] = set()
    for call in node.find_all(exp.Anonymous, exp.AnonymousAggFunc):
        name = call.name
        key = name.casefold()
        if not key or key in seen or is_builtin(key) or key in OWN_NAMES or catalog.has_function(key):
            continue
        seen.add(key)
        line, column = place_of(call)
        message = (
            f"{name} is a function that the set-up statements do not define: it is taken to compute from its arguments"
        )
        yield Diagnostic("undefined-function", message, line, column)


def checked_edges(
    edges: Iterable[ColumnEdge], catalog: SchemaCatalog
) -> tuple[tuple[ColumnEdge, ...], list[Diagnostic]]:
    """The edges; those to columns that do not exist are marked as not certain, with a warning for each such target.

    A missing source has got its warning where its name was looked up.
    """
    found: list[ColumnEdge] = []
    by_name: dict[tuple[str, str], Diagnostic] = {}
    infos: dict[str, TableInfo | None] = {}

    def lacks(table: str | None, column: str | None) -> bool:
        if table is None or column is None or column == "*":
            return False
        if table not in infos:
            infos[table] = catalog.find_text(table)
        info = infos[table]
        return info is not None and info.columns is not None and not _has(info, column)

    for edge in edges:
        target, column = edge.target_table, edge.target_column
        if lacks(target, column):
            message = f"{target} has no column {column}"
            by_name.setdefault((target or "", column or ""), Diagnostic("unknown-column", message))
            found.append(replace(edge, certain=False))
        else:
            found.append(replace(edge, certain=False) if lacks(edge.source_table, edge.source_column) else edge)
    return tuple(found), list(by_name.values())


def _has(info: TableInfo, column: str) -> bool:
    """Whether a table has the column, or one of which it is a field."""
    wanted = column.casefold()
    if wanted in _PSEUDO or wanted.startswith("metadata$"):
        return True
    names = {known.name.casefold() for known in info.columns or ()}
    parts = wanted.split(".")
    return any(".".join(parts[:size]) in names for size in range(1, len(parts) + 1))
