"""Lineage by jobs: datasets and jobs in turn, with what each job read and wrote in all."""

from __future__ import annotations

from functools import cache
from typing import Any

from headwater.graph.facts import NodeKind, OutputType, Role
from headwater.graph.walk import Walk, walk
from headwater.lineage.flow import Flow
from headwater.lineage.options import Options
from headwater.lineage.side import Side
from headwater.lineage.start import Start
from headwater.lineage.starts import start_nodes
from headwater.lineage.view import Step
from headwater.openlineage.times import format_time
from headwater.store.figures import Figure, Key, figures_of_jobs
from headwater.store.names import names_of, text_of
from headwater.store.read import Name, Reader

__all__ = ["figure_members", "job_sides", "node_of", "resolved", "type_names"]


def job_sides(reader: Reader, tenant: int, flow: Flow, start: Start, options: Options) -> tuple[str, dict[str, Side]]:
    """Each direction, and the id of the start as it is shown there."""
    first = start_nodes(reader, tenant, flow, start)
    walks = {
        side: walk(
            map(Step, first),
            flow.upstream if side == "upstream" else flow.downstream,
            depth=options.depth,
            node_limit=options.node_limit,
        )
        for side in options.sides
    }
    reached = {step.node for found in walks.values() for step in found.depths}
    names = names_of(tenant, flow.lookup, reached)
    jobs = {node for node in reached if node in names and names[node].kind is NodeKind.JOB}
    members = {member: job for job in jobs for member in flow.aliases.group(job)}
    summed, unknown = figures_of_jobs(tenant, flow.lookup, members, options.window)
    figures = resolved(summed, flow, members)
    hidden = {members[member] for member in unknown}
    sides = {
        side: _side(found, names, flow, figures, hidden, down=side == "downstream") for side, found in walks.items()
    }
    return names[first[0]].node_id if first[0] in names else start.shown, sides


def _side(
    found: Walk[Step],
    names: dict[bytes, Name],
    flow: Flow,
    figures: dict[Key, Figure],
    unknown: set[bytes],
    *,
    down: bool,
) -> Side:
    """A job that was reached on behalf of several datasets is one node."""
    texts = {node: text_of(name) for node, name in names.items()}
    nodes: dict[str, dict[str, Any]] = {}
    keys: dict[str, bytes] = {}
    for step, distance in found.depths.items():  # nearest first, so the first step to a node is the shortest
        text = texts.get(step.node)
        if text is not None and text not in nodes:
            nodes[text] = node_of(names[step.node], distance)
            keys[text] = step.node
    edges: dict[tuple[str, str], dict[str, Any]] = {}
    for near, far in found.edges:
        source, target = (near.node, far.node) if down else (far.node, near.node)
        if source not in texts or target not in texts or (texts[source], texts[target]) in edges:
            continue
        edges[texts[source], texts[target]] = _edge(names[source], names[target], flow, figures, unknown)
    left_out: dict[str, int] = {}
    for step, count in found.left_out.items():
        if step.node in texts:
            left_out[texts[step.node]] = left_out.get(texts[step.node], 0) + count
    return Side(nodes, edges, left_out, complete=not found.unasked and not left_out, keys=keys)


def node_of(name: Name, depth: int) -> dict[str, Any]:
    return {
        "id": text_of(name),
        "kind": "job" if name.kind is NodeKind.JOB else "dataset",
        "namespace": name.namespace,
        "name": name.name,
        "depth": depth,
    }


def _edge(one: Name, other: Name, flow: Flow, figures: dict[Key, Figure], unknown: set[bytes]) -> dict[str, Any]:
    if one.kind is other.kind:
        return {"kind": "FLOW"}
    reads = other.kind is NodeKind.JOB
    job, dataset = (other.id, one.id) if reads else (one.id, other.id)
    role = Role.INPUT if reads else Role.OUTPUT
    figure = figures.get((job, dataset, role))
    members = figure_members(figure)
    if not reads:
        members["types"] = list(type_names(_types(flow, job, dataset) | (figure.types if figure else 0)))
    if job in unknown:
        members["unknown"] = True
    return {"kind": "INPUT" if reads else "OUTPUT", **members}


def _types(flow: Flow, job: bytes, dataset: bytes) -> int:
    """Everything that a job did to a dataset."""
    view, shown, types = flow.views.get(job), flow.aliases.canonical, 0
    for body in view.bodies if view is not None else ():
        for part in body.outputs:
            if part.types and shown(part.dataset) == dataset:
                types |= part.types
    return types


def figure_members(figure: Figure | None) -> dict[str, Any]:
    if figure is None:
        return {"rows": None, "bytes": None, "files": None, "last_seen": None}
    last = None if figure.last_seen is None else format_time(figure.last_seen)
    return {"rows": figure.rows, "bytes": figure.bytes, "files": figure.files, "last_seen": last}


@cache
def type_names(types: int) -> tuple[str, ...]:
    return tuple(member.name for member in OutputType if member & types and member.name)


def resolved(figures: dict[Key, Figure], flow: Flow, members: dict[bytes, bytes]) -> dict[Key, Figure]:
    """By the ids under which jobs and datasets are shown; what several names of one have is added up."""
    if not flow.aliases.any:
        return figures
    flow.aliases.learn({dataset for _, dataset, _ in figures})
    found: dict[Key, Figure] = {}
    for (job, dataset, role), figure in figures.items():
        key = members.get(job, job), flow.aliases.canonical(dataset), role
        if key in found:
            found[key].add(figure.rows, figure.bytes, figure.files, figure.types, figure.last_seen)
        else:
            found[key] = figure
    return found
