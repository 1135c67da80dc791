"""Lineage by jobs: datasets and jobs in turn, with totals of each job."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from headwater.graph.facts import NodeKind
from headwater.graph.walk import Walk, walk
from headwater.lineage.flows.collapsed_jobs import Collapsed, collapsed_start, twice
from headwater.lineage.flows.job_edges import JobEdges
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.step import Step, node_at
from headwater.lineage.names.start import Start
from headwater.lineage.walk.direction import Side
from headwater.lineage.walk.options import Options
from headwater.lineage.walk.start_nodes import start_nodes
from headwater.store.read.names import text_of
from headwater.store.read.reader import Name, Reader
from headwater.store.read.runs.totals import Key, Total

__all__ = ["job_sides", "node_of"]

_JOB = NodeKind.JOB


def job_sides(reader: Reader, tenant: int, flow: Flow, start: Start, options: Options) -> tuple[str, dict[str, Side]]:
    """Each direction, and the id of the start as it is shown there."""
    first = start_nodes(reader, tenant, flow, start)
    whole = collapsed_start(flow, start, first)
    if whole is not None and options.unfold:
        first, whole = [first[0], *sorted(whole.parts)], None
    walks = {
        side: walk(
            first,
            _neighbours(flow, whole, down=side == "downstream"),
            depth=options.depth,
            node_limit=options.node_limit,
        )
        for side in options.sides
    }
    reached = {node_at(step) for found in walks.values() for step in found.depths}
    names = flow.names(reached if whole is None else reached | whole.all_jobs)
    jobs = {node for node, name in names.items() if name.kind is _JOB}
    texts = {node: text_of(name) for node, name in names.items()}
    edges = JobEdges(reader, flow, jobs, texts)
    less = {} if whole is None else twice(flow, whole)
    sides = {
        side: _side(found, names, texts, edges, flow.cut, whole, less, down=side == "downstream")
        for side, found in walks.items()
    }
    return texts.get(first[0], start.shown), sides


def _neighbours(
    flow: Flow, whole: Collapsed | None, *, down: bool
) -> Callable[[list[Step]], Mapping[Step, Collection[Step]]]:
    """Neighbours of the walk; a node that stands for several jobs has those of all of them."""
    ask = flow.downstream if down else flow.upstream
    if whole is None:
        return ask

    def neighbours(level: list[Step]) -> Mapping[Step, Collection[Step]]:
        return {whole.job: whole.beyond(down=down)} if level == [whole.job] else ask(level)

    return neighbours


def _side(
    found: Walk[Step],
    names: dict[bytes, Name],
    texts: dict[bytes, str],
    edges: JobEdges,
    cut: Mapping[Step, int],
    whole: Collapsed | None,
    less: dict[Key, Total],
    *,
    down: bool,
) -> Side:
    """A job that was reached on behalf of several datasets is one node."""
    nodes: dict[str, dict[str, Any]] = {}
    keys: dict[str, bytes] = {}
    shown = texts if whole is None else whole.texts(texts)
    for step, distance in found.depths.items():  # nearest first, so the first step to a node is the shortest
        node = node_at(step)
        text = shown.get(node)
        if text is not None and text not in nodes:
            nodes[text] = node_of(names[node], distance, text)
            keys[text] = node
    pairs: Iterable[tuple[Step, Step]] = found.edges if down else [(far, near) for near, far in found.edges]
    left_out: dict[str, int] = {}
    of_large = {step: count for step, count in cut.items() if step in found.depths}
    for step, count in (*found.left_out.items(), *of_large.items()):
        text = shown.get(node_at(step))
        if text is not None:
            left_out[text] = left_out.get(text, 0) + count
    complete = not found.unasked and not left_out
    if whole is None:
        return Side(nodes, edges.between(pairs), left_out, complete, keys=keys)
    if whole.job in texts:
        nodes[texts[whole.job]] |= whole.members
    complete = complete and not whole.is_cut
    return Side(nodes, whole.edges(edges.between(whole.pairs(pairs)), texts, less), left_out, complete, keys=keys)


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
