"""Datasets that their publisher has withdrawn, and since when."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from headwater.openlineage.times import format_time
from headwater.store.read.lookup import Lookup

if TYPE_CHECKING:
    from headwater.lineage.flows.neighbours import Flow
    from headwater.lineage.walk.direction import Side

__all__ = ["mark_retracted", "retracted_since"]

_RETRACTED = (
    "SELECT dataset, retracted_at FROM lifecycle WHERE tenant = ? AND dataset {ids} AND retracted_at IS NOT NULL"
)


def retracted_since(
    tenant: int, lookup: Lookup, groups: Mapping[bytes, Collection[bytes]], as_of: int | None = None
) -> dict[bytes, str]:
    """Since when each of these is retracted, given with all ids that it has; as of a moment: those that were then."""
    owner = {member: node for node, members in groups.items() for member in members}
    found: dict[bytes, int] = {}
    for member, at in lookup.rows(_RETRACTED, tenant, owner):
        node = owner[bytes(member)]
        if as_of is None or at <= as_of:
            found[node] = min(at, found.get(node, at))
    return {node: format_time(at) for node, at in found.items()}


def mark_retracted(tenant: int, flow: Flow, side: Side, as_of: int | None) -> None:
    """Note at datasets and columns of an answer since when they are retracted."""
    places = {text: side.keys[text] for text in side.nodes if text in side.keys}
    flow.aliases.learn(places.values())
    groups = {node: flow.aliases.group(node) for node in places.values()}
    marks = retracted_since(tenant, flow.lookup, groups, as_of)
    for text, node in places.items() if marks else ():
        if node in marks and side.nodes[text]["kind"] in ("dataset", "column", "rows"):
            side.nodes[text]["retracted_at"] = marks[node]
