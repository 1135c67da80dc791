"""Statistics for SQLite's planner: the tenant selects almost nothing, the columns after it almost everything.

Without statistics SQLite takes `tenant = ?` alone for selective and scans a tenant's whole table by its primary key,
though an index has the requested column. `ANALYZE` on a young database would give wrong figures, so the statistics are
written here: they follow from the keys, not from the data.
"""

from __future__ import annotations

import sqlalchemy as sa

from headwater.store.assets.tables import asset_edges, asset_nodes
from headwater.store.tables import derived_tables, fact_tables

__all__ = ["guide_planner"]

_ROWS = 1_000_000
_PER_VALUE = 20
_PER_KIND = _ROWS // 10
"""Few enough that the index of a kind is taken before the tenant's whole table."""
_COARSE = {"tenant", "kind", "label"}
"""Columns that hardly narrow anything down."""


def guide_planner(connection: sa.Connection) -> None:
    """Write the statistics, unless there are some. For SQLite only; the others collect their own."""
    connection.exec_driver_sql("ANALYZE sqlite_schema")  # makes the table of statistics, and analyses nothing
    known = {row[0] for row in connection.exec_driver_sql("SELECT tbl FROM sqlite_stat1")}
    rows: list[tuple[str, str, str]] = []
    for table in (*fact_tables.values(), *derived_tables.values(), asset_edges, asset_nodes):
        if table.name in known:
            continue
        clustered = not table.dialect_options["sqlite"]["with_rowid"]
        primary = table.name if clustered else f"sqlite_autoindex_{table.name}_1"
        rows.append((table.name, primary, _selectivity([column.name for column in table.primary_key], unique=True)))
        rows += [
            (table.name, str(index.name), _selectivity([column.name for column in index.columns], unique=False))
            for index in sorted(table.indexes, key=lambda index: str(index.name))
        ]
    if rows:
        connection.exec_driver_sql("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)", rows)
        connection.exec_driver_sql("ANALYZE sqlite_schema")  # take them in


def _selectivity(columns: list[str], *, unique: bool) -> str:
    """Rows in all, and per value of the first column, the first two ... as `sqlite_stat1` wants it."""
    first = [set(columns[:position]) for position in range(1, len(columns) + 1)]
    per_value = [_ROWS if names == {"tenant"} else _PER_KIND if names <= _COARSE else _PER_VALUE for names in first]
    if unique:
        per_value[-1] = 1
    return " ".join(map(str, [_ROWS, *per_value]))
