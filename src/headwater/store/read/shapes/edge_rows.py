"""Rows of edges made by hand."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from headwater.graph.current.hand_edges import EdgeByHand
from headwater.openlineage.identity import stamp_time
from headwater.store.read.lookup import Lookup

__all__ = ["COLUMNS", "changed_at", "edge_of", "edges_by_id"]

COLUMNS = (
    "edge, source, target, source_kind, target_kind, source_column, target_column, stated, stated_stamp, hidden, "
    "first_seen"
)
_BY_ID = f"SELECT {COLUMNS} FROM hand_edge WHERE tenant = ? AND edge {{ids}}"
_STAMPS = "SELECT stated_stamp, hidden_stamp FROM hand_edge WHERE tenant = ? AND edge {ids}"


def edges_by_id(tenant: int, lookup: Lookup, edges: Collection[bytes]) -> dict[bytes, EdgeByHand]:
    """These edges as they are now."""
    return {row[0]: edge_of(row) for row in lookup.rows(_BY_ID, tenant, edges)}


def edge_of(row: tuple[Any, ...]) -> EdgeByHand:
    edge, source, target, source_kind, target_kind, near, far, stated, stamped, hidden, first_seen = row
    return EdgeByHand(
        edge,
        source,
        target,
        source_kind,
        target_kind,
        near or "",
        far or "",
        stated or "",
        None if stamped is None else stamp_time(bytes(stamped)),
        hidden or "",
        first_seen,
    )


def changed_at(tenant: int, lookup: Lookup, edges: Collection[bytes]) -> int:
    """When any of these was changed last; 0 if none ever was."""
    stamps = [bytes(made) for row in lookup.rows(_STAMPS, tenant, edges) for made in row if made is not None]
    return stamp_time(max(stamps)) if stamps else 0
