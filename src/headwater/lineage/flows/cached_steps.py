"""Neighbours from the tenant graph, without the database."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from headwater.lineage.flows.step import Step, behalf_of, node_at
from headwater.store.cache.tenant_graph import ALONE, TenantGraph

__all__ = ["remembered"]


def remembered(steps: list[Step], graph: TenantGraph, *, down: bool) -> tuple[dict[Step, Collection[Step]], list[Step]]:
    """Steps found in the cache, and those to look up."""
    uses_of, ends = (graph.readers, graph.targets) if down else (graph.writers, graph.sources)
    simple, unknown = graph.targets, []
    found: dict[Step, Collection[Step]] = {}
    for step in steps:
        others: Collection[Step] | None = ends.get(step)
        if others is None:
            behalf = behalf_of(step)
            others = _of_dataset(step, uses_of, simple, graph, down=down) if behalf is None else None
            if behalf is not None and uses_of.get(node_at(step)) is ALONE:
                others = _on_behalf(step, behalf, graph, down=down)
        if others is None:
            unknown.append(step)
        else:
            found[step] = others
    return found, unknown


def _of_dataset(
    dataset: bytes,
    uses_of: Mapping[bytes, tuple[bytes, ...]],
    simple: Mapping[bytes, Any],
    graph: TenantGraph,
    *,
    down: bool,
) -> Collection[Step] | None:
    """Steps to the jobs that read (or write) a dataset; None if not all of them are remembered."""
    jobs = uses_of.get(dataset)
    if jobs is None or jobs is ALONE:
        return None
    if all(job in simple for job in jobs):
        return jobs
    steps: list[Step] = []
    into = graph.into.get(dataset, {})
    for job in jobs:
        if job in simple:
            steps.append(job)
        elif (job + dataset in graph.out) if down else (job in into):
            steps.append(job + dataset)
        else:
            return None
    return steps


def _on_behalf(step: Step, behalf: bytes, graph: TenantGraph, *, down: bool) -> Collection[Step] | None:
    """Flows of a job from or into a dataset."""
    if down:
        return graph.out.get(step)
    into = graph.into.get(behalf, {}).get(node_at(step))
    return into.sources if into is not None else None
