"""Lineage by datasets: one step is from dataset to dataset, whatever jobs lie between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from headwater.graph.facts import NodeKind
from headwater.graph.walk import Walk, walk
from headwater.lineage.flows.collapsed_jobs import Collapsed, collapsed_start
from headwater.lineage.flows.edge_times import Edge, SeenTimes, seen_edges, seen_flows, seen_members
from headwater.lineage.flows.job_edges import figure_members
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.step import Step, node_at
from headwater.lineage.names.start import Start
from headwater.lineage.walk.by_job import node_of
from headwater.lineage.walk.direction import Side, contract
from headwater.lineage.walk.options import Options
from headwater.lineage.walk.start_nodes import start_nodes
from headwater.store.read.names import text_of
from headwater.store.read.reader import Name, Reader

__all__ = ["dataset_hops", "dataset_sides"]


def dataset_sides(
    reader: Reader, tenant: int, flow: Flow, start: Start, options: Options
) -> tuple[str, dict[str, Side]]:
    first = start_nodes(reader, tenant, flow, start)
    whole = collapsed_start(flow, start, first)
    if whole is not None and options.unfold:
        first, whole = [first[0], *sorted(whole.parts)], None
    walks = {
        side: walk(
            first, _hops(flow, whole, down=side == "downstream"), depth=options.depth, node_limit=options.node_limit
        )
        for side in options.sides
    }
    names = flow.names({node for found in walks.values() for node in found.depths})
    sides = {side: _side(reader, flow, found, names, whole, down=side == "downstream") for side, found in walks.items()}
    if whole is not None:
        sides = {side: _of_whole(found, whole) for side, found in sides.items()}
    return names[first[0]].node_id if first[0] in names else start.shown, sides


def _hops(
    flow: Flow, whole: Collapsed | None, *, down: bool
) -> Callable[[list[bytes]], Mapping[bytes, Collection[bytes]]]:
    """Neighbours of the walk; a node that stands for several jobs has those of all of them."""
    hops = dataset_hops(flow, down=down)
    if whole is None:
        return hops

    def neighbours(level: list[bytes]) -> Mapping[bytes, Collection[bytes]]:
        return {whole.job: whole.datasets(down=down)} if level == [whole.job] else hops(level)

    return neighbours


def _of_whole(side: Side, whole: Collapsed) -> Side:
    inner = {text for text, node in side.keys.items() if node in whole.inner}
    for text, node in side.keys.items():
        if node == whole.job:
            side.nodes[text] |= whole.members
    return contract(side, lambda node: node["id"] not in inner) if inner else side


def dataset_hops(
    flow: Flow, *, down: bool, passed: dict[bytes, set[tuple[bytes, bytes]]] | None = None
) -> Callable[[list[bytes]], Mapping[bytes, set[bytes]]]:
    """The datasets next to datasets; from a job, those that it reads or writes.

    `passed` takes, by node that was asked about, the edges (source, target) between it, jobs and the datasets.
    """
    ask = flow.downstream if down else flow.upstream

    def neighbours(level: list[bytes]) -> Mapping[bytes, set[bytes]]:
        found: dict[bytes, set[bytes]] = {node: set() for node in level}
        waiting: dict[Step, set[bytes]] = {node: {node} for node in level}
        done: dict[Step, set[bytes]] = {}
        while waiting:
            following: dict[Step, set[bytes]] = {}
            for step, others in ask(list(waiting)).items():
                origins, near = waiting[step], node_at(step)
                done.setdefault(step, set()).update(origins)
                flow.classify(set(map(node_at, others)))
                for other in others:
                    node = node_at(other)
                    if passed is not None:
                        for origin in origins:
                            passed.setdefault(origin, set()).add((near, node) if down else (node, near))
                    if flow.is_job(node):
                        following.setdefault(other, set()).update(origins - done.get(other, set()))
                    else:
                        for origin in origins:
                            if origin != node:
                                found[origin].add(node)
            waiting = {step: origins for step, origins in following.items() if origins}
        return found

    return neighbours


def _side(
    reader: Reader,
    flow: Flow,
    found: Walk[bytes],
    names: dict[bytes, Name],
    whole: Collapsed | None,
    *,
    down: bool,
) -> Side:
    texts = {node: text_of(names[node]) for node in found.depths if node in names}
    nodes = {text: node_of(names[node], found.depths[node], text) for node, text in texts.items()}
    edges: dict[tuple[str, str], dict[str, Any]] = {}
    pairs = [(near, far) if down else (far, near) for near, far in found.edges if near in texts and far in texts]
    jobs = {node for node in texts if names[node].kind is NodeKind.JOB}
    of_jobs = [pair for pair in pairs if not jobs.isdisjoint(pair)]
    seen = seen_flows(reader, flow, [pair for pair in pairs if jobs.isdisjoint(pair)])
    seen |= _seen_of_jobs(reader, flow, of_jobs, jobs, whole)
    for source, target in pairs:
        one, other = texts[source], texts[target]
        edges[one, other] = {"from": one, "to": other, "kind": "FLOW", **figure_members(None)}
        if (source, target) in seen:
            edges[one, other] |= seen_members(seen[source, target])
    of_large = {node: flow.cut[node] for node in found.depths if node in flow.cut}
    left_out = {texts[node]: count for node, count in {**found.left_out, **of_large}.items() if node in texts}
    keys = {text: node for node, text in texts.items()}
    return Side(nodes, edges, left_out, complete=not found.unasked and not left_out, keys=keys)


def _seen_of_jobs(
    reader: Reader, flow: Flow, pairs: Collection[Edge], jobs: Collection[bytes], whole: Collapsed | None
) -> dict[Edge, SeenTimes]:
    """Edges from and to the job of the question; of a node that stands for several jobs those of all of them."""
    owner: dict[Edge, Edge] = {}
    edges: dict[bytes, set[Edge]] = {}
    for pair in pairs:
        for edge in whole.pairs([pair]) if whole is not None else [pair]:
            owner[edge] = pair
            edges.setdefault(edge[0] if pair[0] in jobs else edge[1], set()).add(edge)
    found: dict[Edge, SeenTimes] = {}
    for edge, seen in seen_edges(reader, flow, edges).items():
        together = found.setdefault(owner[edge], SeenTimes(is_current=False))
        together.add(seen.first, seen.last)
        together.is_current = together.is_current or seen.is_current
    return found
