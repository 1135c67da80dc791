"""Edges that an aspect replaces: those that came through DataHub's doors before, and no others."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from headwater.graph.current.hand_edges import EdgeByHand
from headwater.graph.current.window import ALWAYS
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.find_urns import types_of
from headwater.lineage.by_hand.listing import shown_end
from headwater.lineage.by_hand.request import EdgeAsk
from headwater.lineage.by_hand.rules import EndType, type_of_dataset
from headwater.lineage.datahub.members import COLUMNS, OUTPUTS, Member
from headwater.lineage.edits.event import DATAHUB
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.hand_edges import HandEdges

__all__ = ["replaced_edges"]


def replaced_edges(
    reader: Reader,
    tenant: int,
    end: End,
    aspect: str,
    members: Collection[Member],
    kept: Collection[tuple[bytes, str, bytes, str]],
) -> list[EdgeAsk]:
    """Edges of a thing that these members of an aspect had before, but for those that they still have."""
    aliases = Aliases(reader, tenant)
    aliases.learn([end.id])
    ids = aliases.group(end.id)
    by_hand = HandEdges(tenant, Lookup(reader.engine), ALWAYS)
    into = [edge for edge in by_hand.at(ids, down=False) if _came_this_way(edge)]
    types = types_of(reader, tenant, {edge.source for edge in into}) if aspect == "dashboardInfo" else {}
    before = [edge for edge in into if _member(edge, aspect, types) in members]
    if OUTPUTS in members:
        before += [edge for edge in by_hand.at(ids, down=True) if not edge.into_job and _came_this_way(edge)]
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


def _came_this_way(edge: EdgeByHand) -> bool:
    return bool(edge.stated) and msgspec.json.decode(edge.stated).get("via") == DATAHUB


def _member(edge: EdgeByHand, aspect: str, types: Mapping[bytes, str]) -> Member | None:
    """The member of an aspect of its target to which an edge belongs."""
    if aspect == "upstreamLineage":
        return None if edge.from_job else COLUMNS if edge.is_of_columns else "upstreams"
    if aspect == "chartInfo":
        return "inputEdges"
    if aspect == "dashboardInfo":
        is_chart = type_of_dataset(types.get(edge.source)) is EndType.CHART
        return "chartEdges" if is_chart else "datasetEdges"
    return "inputDatajobEdges" if edge.from_job else "inputDatasetEdges"
