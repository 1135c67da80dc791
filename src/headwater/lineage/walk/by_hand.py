"""Marks of edges that people made or hid by hand."""

from __future__ import annotations

from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.question import is_hidden
from headwater.lineage.walk.direction import Side

__all__ = ["mark_by_hand"]


def mark_by_hand(flow: Flow, side: Side) -> None:
    """Marks each edge that a person stated, and each hidden one where these are shown."""
    if not flow.applying.by_hand.any:
        return
    stated, hidden = flow.edges_by_hand(set(side.keys.values()))
    if not stated and not hidden:
        return
    nodes = side.nodes
    places = {text: (node, str(nodes[text].get("column") or "")) for text, node in side.keys.items() if text in nodes}
    between = {(one[0], other[0]) for one, other in stated}
    for names, edge in list(side.edges.items()):
        if names[0] not in places or names[1] not in places:
            continue
        ends = places[names[0]], places[names[1]]
        of_columns = bool(ends[0][1] or ends[1][1])
        marks = {}
        if (ends in stated) if of_columns else ((ends[0][0], ends[1][0]) in between):
            marks["by_hand"] = True
        if is_hidden(hidden, *ends):
            marks["hidden_by_hand"] = True
        if marks:  # as a new record: how an edge is shown is kept for the next answer
            side.edges[names] = {**edge, **marks}
