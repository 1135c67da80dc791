"""What lies up- and downstream of a dataset or job."""

from __future__ import annotations

from typing import Any

from headwater.graph.walk import Walk, walk
from headwater.lineage.errors import BadQuestion
from headwater.lineage.find import find_node
from headwater.lineage.flow import Flow, Step
from headwater.store.read import Reader

__all__ = ["lineage"]


def lineage(reader: Reader, tenant: int, name: str, *, direction: str = "both", depth: int = 5) -> dict[str, Any]:
    """Up- and downstream of a node, each direction for itself."""
    if direction not in ("upstream", "downstream", "both"):
        raise BadQuestion(f"There is no direction {direction!r}.", hint="Use upstream, downstream or both.")
    if not 1 <= depth <= 50:
        raise BadQuestion(f"The depth must be from 1 to 50, not {depth}.")
    start = find_node(reader, tenant, name)
    flow = Flow(reader, tenant)
    flow.aliases.learn([start.id])
    first = Step(flow.aliases.canonical(start.id))
    walks: dict[str, Walk[Step]] = {}
    if direction in ("upstream", "both"):
        walks["upstream"] = walk([first], flow.upstream, depth=depth)
    if direction in ("downstream", "both"):
        walks["downstream"] = walk([first], flow.downstream, depth=depth)
    names = reader.names(tenant, {step.node for found in walks.values() for step in found.depths})
    shown = {node: named.node_id for node, named in names.items()}
    answer: dict[str, Any] = {"start": shown.get(first.node, start.node_id)}
    for side, found in walks.items():
        answer[side] = _render(found, shown)
    return answer


def _render(found: Walk[Step], shown: dict[bytes, str]) -> dict[str, Any]:
    """A job that was reached on behalf of several datasets is one node."""
    depths: dict[str, int] = {}
    for step, distance in found.depths.items():
        if step.node in shown:
            depths[shown[step.node]] = min(distance, depths.get(shown[step.node], distance))
    edges = {(shown[one.node], shown[other.node]) for one, other in found.edges if {one.node, other.node} <= set(shown)}
    left_out: dict[str, int] = {}
    for step, count in found.left_out.items():
        if step.node in shown:
            left_out[shown[step.node]] = left_out.get(shown[step.node], 0) + count
    nodes = sorted(({"id": node, "depth": distance} for node, distance in depths.items()), key=_order)
    return {"nodes": nodes, "edges": sorted(map(list, edges)), "truncated": found.truncated, "left_out": left_out}


def _order(node: dict[str, Any]) -> tuple[int, str]:
    return node["depth"], node["id"]
