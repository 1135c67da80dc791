"""An answer in which every name of a dataset is a node of its own, joined by its symlinks."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from headwater.graph.facts import NodeKind
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.walk.by_job import node_of
from headwater.lineage.walk.direction import Side
from headwater.store.read.reader import Name, Reader

__all__ = ["kept_apart"]

_SYMLINKS = "SELECT source, target, [type] FROM symlink WHERE tenant = ? AND source {ids}"


def kept_apart(reader: Reader, tenant: int, flow: Flow, side: Side) -> Side:
    """The side with each edge at the name by which its job knows the dataset, and an edge for every symlink."""
    groups = {
        text: flow.aliases.group(node) for text, node in side.keys.items() if side.nodes[text]["kind"] == "dataset"
    }
    members = {member: text for text, group in groups.items() if len(group) > 1 for member in group}
    if not members:
        return side
    names = {node: name for node, name in reader.names(tenant, members).items() if name.kind is NodeKind.DATASET}
    nodes = {text: node for text, node in side.nodes.items() if len(groups.get(text, ())) <= 1}
    keys = {text: side.keys[text] for text in nodes if text in side.keys}
    for member, name in names.items():
        nodes[name.node_id] = node_of(name, side.nodes[members[member]]["depth"])
        keys[name.node_id] = member
    edges = _edges(side, flow, members, names)
    for source, target, kind in flow.lookup.rows(_SYMLINKS, tenant, members):
        if source in names and target in names:
            ends = names[source].node_id, names[target].node_id
            edges[ends] = {"from": ends[0], "to": ends[1], "kind": "SYMLINK", "type": kind}
    return Side(nodes, edges, side.left_out, side.complete, side.hidden, keys)


def _edges(
    side: Side, flow: Flow, members: dict[bytes, str], names: dict[bytes, Name]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Edges of a dataset with several names lead to those of them that some job uses."""
    used: dict[str, set[str]] = defaultdict(set)
    by_job: dict[tuple[bytes, str], set[str]] = defaultdict(set)
    jobs = set(side.keys.values())
    rows = [row for down in (True, False) for row in flow.uses_of(set(members), down=down)[1]]
    bodies = flow.applying.bodies({shape for _, shape in rows})
    flow.aliases.learn({body.job for body in bodies.values() if body.job is not None})
    for member, shape in rows:
        body = bodies.get(shape)
        job = flow.aliases.canonical(body.job) if body is not None and body.job is not None else None
        if job in jobs and member in names and job is not None:
            text = members[member]
            used[text].add(names[member].node_id)
            by_job[job, text].add(names[member].node_id)

    def ends(text: str, other: str) -> set[str]:
        if text not in used:
            return {text}
        return by_job.get((side.keys.get(other, b""), text)) or used[text]

    return {
        (one, other): {**edge, "from": one, "to": other}
        for (source, target), edge in side.edges.items()
        for one in ends(source, target)
        for other in ends(target, source)
    }
