"""Lineage by jobs: datasets and jobs in turn, with what each job read and wrote in all."""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Struct

from headwater.graph.facts import NodeKind, OutputType, Role
from headwater.graph.walk import Walk, walk
from headwater.lineage.flow import Flow
from headwater.lineage.options import Options
from headwater.lineage.side import Side
from headwater.lineage.start import Start
from headwater.lineage.starts import start_nodes
from headwater.lineage.view import Step, node_at
from headwater.openlineage.times import format_time
from headwater.store.figures import Figure, Key, figures_of_jobs
from headwater.store.names import text_of
from headwater.store.read import Name, Reader

__all__ = ["figure_members", "job_sides", "node_of", "resolved", "type_names"]

_JOB = NodeKind.JOB
_NOTHING = Figure()
_INPUT, _OUTPUT = int(Role.INPUT), int(Role.OUTPUT)


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
    reached = {node_at(step) for found in walks.values() for step in found.depths}
    names = flow.names(reached)
    jobs = {node for node, name in names.items() if name.kind is _JOB}
    members = {member: job for job in jobs for member in flow.aliases.group(job)}
    summed, unknown = figures_of_jobs(tenant, flow.lookup, members, options.window)
    figures = resolved(summed, flow, members)
    texts = {node: text_of(name) for node, name in names.items()}
    hidden = {members[member] for member in unknown}
    known = _Reached(names, jobs, texts, flow.output_types(jobs), figures, hidden)
    sides = {side: _side(found, known, down=side == "downstream") for side, found in walks.items()}
    return texts.get(first[0], start.shown), sides


class _Reached(Struct, frozen=True):
    """What is known of all that was reached."""

    names: dict[bytes, Name]
    jobs: set[bytes]
    texts: dict[bytes, str]
    types: dict[tuple[bytes, bytes], int]
    """By job and dataset, what the one did to the other."""
    figures: dict[Key, Figure]
    unknown: set[bytes]
    """Jobs of which is not known how much they read and wrote."""


def _side(found: Walk[Step], reached: _Reached, *, down: bool) -> Side:
    """A job that was reached on behalf of several datasets is one node."""
    texts, names = reached.texts, reached.names
    nodes: dict[str, dict[str, Any]] = {}
    keys: dict[str, bytes] = {}
    shown: dict[Step, str] = {}
    for step, distance in found.depths.items():  # nearest first, so the first step to a node is the shortest
        node = node_at(step)
        text = texts.get(node)
        if text is None:
            continue
        shown[step] = text
        if text not in nodes:
            nodes[text] = node_of(names[node], distance, text)
            keys[text] = node
    edges: dict[tuple[str, str], dict[str, Any]] = {}
    for edge in found.edges:
        source, target = edge if down else (edge[1], edge[0])
        one, other = shown.get(source), shown.get(target)
        if one is not None and other is not None and (one, other) not in edges:
            edges[one, other] = _edge(one, other, node_at(source), node_at(target), reached)
    left_out: dict[str, int] = {}
    for step, count in found.left_out.items():
        text = texts.get(node_at(step))
        if text is not None:
            left_out[text] = left_out.get(text, 0) + count
    return Side(nodes, edges, left_out, complete=not found.unasked and not left_out, keys=keys)


def node_of(name: Name, depth: int, text: str | None = None) -> dict[str, Any]:
    """A dataset or job as a node; its id may be known already."""
    return {
        "id": text or text_of(name),
        "kind": "job" if name.kind is _JOB else "dataset",
        "namespace": name.namespace,
        "name": name.name,
        "depth": depth,
    }


def _edge(one: str, other: str, source: bytes, target: bytes, reached: _Reached) -> dict[str, Any]:
    """An edge as it is shown, of two nodes by their texts and ids."""
    reads = target in reached.jobs
    if reads == (source in reached.jobs):
        return {"from": one, "to": other, "kind": "FLOW"}
    job, dataset = (target, source) if reads else (source, target)
    figure = reached.figures.get((job, dataset, _INPUT if reads else _OUTPUT), _NOTHING)
    edge: dict[str, Any] = {
        "from": one,
        "to": other,
        "kind": "INPUT" if reads else "OUTPUT",
        "rows": figure.rows,
        "bytes": figure.bytes,
        "files": figure.files,
        "last_seen": None if figure.last_seen is None else format_time(figure.last_seen),
    }
    if not reads:
        edge["types"] = list(type_names(reached.types.get((job, dataset), 0) | figure.types))
    if job in reached.unknown:
        edge["unknown"] = True
    return edge


def figure_members(figure: Figure | None) -> dict[str, Any]:
    figure = figure or _NOTHING
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
