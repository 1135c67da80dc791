"""Catalogs and schemas that were only there for a table that turned out to be a chart or dashboard."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import msgspec
import sqlalchemy as sa

from headwater.store.assets.rows import NodeRow, Rows
from headwater.store.assets.tables import asset_edges
from headwater.store.assets.write_rows import RowWriter

__all__ = ["emptied_places"]

_PLACES = ("HAS_TABLE", "HAS_SCHEMA")


def emptied_places(engine: sa.Engine, writer: RowWriter, tenant: int, wanted: Rows, stored: Rows) -> Rows:
    """The stored rows of these places, with those above them, that have nothing in them any more."""
    found = Rows({}, {})
    gone = {
        edge[2]: edge[0]
        for edge in stored.edges.keys() - wanted.edges.keys()
        if edge[1] == "HAS_TABLE" and _is_thing(wanted.nodes.get(edge[2]))
    }
    while gone:
        above: dict[bytes, bytes] = {}
        for place in sorted(set(gone.values()) - found.nodes.keys()):
            rows = writer.stored(tenant, [place])
            row = rows.nodes.get(place)
            if row is None or _is_stated(row) or _has_others(engine, tenant, place, gone.keys() | found.nodes, wanted):
                continue
            found.nodes[place] = row
            found.edges.update(rows.edges)
            outer = next((edge[0] for edge in rows.edges if edge[1] == "HAS_SCHEMA" and edge[2] == place), None)
            if outer is not None:
                above[place] = outer
        gone = above
    return found


def _is_thing(row: NodeRow | None) -> bool:
    return row is not None and row.label in ("Chart", "Dashboard")


def _is_stated(row: NodeRow) -> bool:
    """Whether a catalog speaks of the place: then it is there, be it empty."""
    return "createdAt" in msgspec.json.decode(row.properties)


def _has_others(engine: sa.Engine, tenant: int, place: bytes, gone: AbstractSet[bytes], wanted: Rows) -> bool:
    if any(edge[0] == place and edge[1] in _PLACES for edge in wanted.edges):
        return True
    columns = asset_edges.c
    query = sa.select(columns.target).where(
        columns.tenant == tenant, columns.source == place, columns.kind.in_(_PLACES)
    )
    with engine.connect() as connection:
        return any(bytes(row[0]) not in gone for row in connection.execute(query))
