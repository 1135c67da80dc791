"""Lineage by jobs: datasets and jobs in turn, with what each job read and wrote in all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.graph.facts import NodeKind
from headwater.graph.walk import Walk, walk
from headwater.lineage.flow import Flow
from headwater.lineage.job_edges import JobEdges
from headwater.lineage.options import Options
from headwater.lineage.side import Side
from headwater.lineage.start import Start
from headwater.lineage.starts import start_nodes
from headwater.lineage.step import Step, node_at
from headwater.store.names import text_of
from headwater.store.read import Name, Reader

__all__ = ["job_sides", "node_of"]

_JOB = NodeKind.JOB


def job_sides(reader: Reader, tenant: int, flow: Flow, start: Start, options: Options) -> tuple[str, dict[str, Side]]:
    """Each direction, and the id of the start as it is shown there."""
    first = start_nodes(reader, tenant, flow, start)
    walks = {
        side: walk(
            first,
            flow.upstream if side == "upstream" else flow.downstream,
            depth=options.depth,
            node_limit=options.node_limit,
        )
        for side in options.sides
    }
    names = flow.names({node_at(step) for found in walks.values() for step in found.depths})
    jobs = {node for node, name in names.items() if name.kind is _JOB}
    texts = {node: text_of(name) for node, name in names.items()}
    edges = JobEdges(reader, flow, jobs, texts)
    sides = {
        side: _side(found, names, texts, edges, flow.cut, down=side == "downstream") for side, found in walks.items()
    }
    return texts.get(first[0], start.shown), sides


def _side(
    found: Walk[Step],
    names: dict[bytes, Name],
    texts: dict[bytes, str],
    edges: JobEdges,
    cut: Mapping[Step, int],
    *,
    down: bool,
) -> Side:
    """A job that was reached on behalf of several datasets is one node."""
    nodes: dict[str, dict[str, Any]] = {}
    keys: dict[str, bytes] = {}
    for step, distance in found.depths.items():  # nearest first, so the first step to a node is the shortest
        node = node_at(step)
        text = texts.get(node)
        if text is not None and text not in nodes:
            nodes[text] = node_of(names[node], distance, text)
            keys[text] = node
    pairs = found.edges if down else [(far, near) for near, far in found.edges]
    left_out: dict[str, int] = {}
    of_large = {step: count for step, count in cut.items() if step in found.depths}
    for step, count in (*found.left_out.items(), *of_large.items()):
        text = texts.get(node_at(step))
        if text is not None:
            left_out[text] = left_out.get(text, 0) + count
    complete = not found.unasked and not left_out
    return Side(nodes, edges.between(pairs), left_out, complete, keys=keys)


def node_of(name: Name, depth: int, text: str | None = None) -> dict[str, Any]:
    """A dataset or job as a node; its id may be known already."""
    return {
        "id": text or text_of(name),
        "key": name.key,
        "kind": "job" if name.kind is _JOB else "dataset",
        "namespace": name.namespace,
        "name": name.name,
        "depth": depth,
    }
