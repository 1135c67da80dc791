"""Edges that a whole aspect replaces: those that came through DataHub's doors before, and no others."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from headwater.graph.current.hand_edges import EdgeByHand
from headwater.graph.current.window import ALWAYS
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.listing import shown_end
from headwater.lineage.by_hand.request import EdgeAsk
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.hand_edges import HandEdges

__all__ = ["VIA", "replaced_edges"]

VIA = "DATAHUB"
"""The door, in the history of changes."""


def replaced_edges(
    reader: Reader, tenant: int, end: End, aspect: str, kept: Collection[tuple[bytes, str, bytes, str]]
) -> list[EdgeAsk]:
    """Edges of a thing that an aspect had before, but for those that it still has."""
    aliases = Aliases(reader, tenant)
    aliases.learn([end.id])
    members = aliases.group(end.id)
    by_hand = HandEdges(tenant, Lookup(reader.engine), ALWAYS)
    listed = [edge for edge in by_hand.at(members, down=False) if _is_of(edge, aspect)]
    if aspect == "dataJobInputOutput":
        listed += [edge for edge in by_hand.at(members, down=True) if not edge.into_job]
    before = [edge for edge in listed if edge.stated and msgspec.json.decode(edge.stated).get("via") == VIA]
    aliases.learn({node for edge in before for node in (edge.source, edge.target)})
    shown = aliases.canonical
    gone = [
        edge
        for edge in before
        if (shown(edge.source), edge.source_column, shown(edge.target), edge.target_column) not in kept
    ]
    names = reader.names(tenant, {node for edge in gone for node in (edge.source, edge.target)})
    return [
        EdgeAsk(
            source=shown_end(names.get(edge.source), edge.source, edge.source_column),
            target=shown_end(names.get(edge.target), edge.target, edge.target_column),
        )
        for edge in gone
    ]


def _is_of(edge: EdgeByHand, aspect: str) -> bool:
    """Whether an edge into a thing belongs to this aspect of it."""
    return not edge.from_job if aspect == "upstreamLineage" else True
