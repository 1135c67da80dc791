"""Which jobs and datasets lie up- and downstream of one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from headwater.graph.facts import Role, Shape, ShapeDataset, ShapeEdge
from headwater.graph.walk import Walk, walk
from headwater.lineage.errors import BadQuestion
from headwater.lineage.find import find_node
from headwater.store.aliases import Aliases
from headwater.store.read import Reader

__all__ = ["Flow", "lineage"]

_READS, _WRITES = {Role.INPUT, Role.REFERENCE}, {Role.OUTPUT}


class Flow:
    """The neighbours of jobs and datasets, with the names of a dataset taken together."""

    def __init__(self, reader: Reader, tenant: int) -> None:
        self._reader, self._tenant = reader, tenant
        self.aliases = Aliases(reader, tenant)

    def downstream(self, nodes: list[bytes]) -> Mapping[bytes, set[bytes]]:
        """Jobs that read a dataset; datasets that a job writes."""
        return self._neighbours(nodes, _READS, _WRITES, edge_from="source", edge_to="target")

    def upstream(self, nodes: list[bytes]) -> Mapping[bytes, set[bytes]]:
        """Jobs that write a dataset; datasets that a job reads."""
        return self._neighbours(nodes, _WRITES, _READS, edge_from="target", edge_to="source")

    def _neighbours(
        self, nodes: list[bytes], near: set[Role], far: set[Role], *, edge_from: str, edge_to: str
    ) -> Mapping[bytes, set[bytes]]:
        self.aliases.learn(nodes)
        shown = {member: node for node in nodes for member in self.aliases.group(node)}
        found: dict[bytes, set[bytes]] = defaultdict(set)
        touching = self._reader.facts(self._tenant, ShapeDataset, dataset=set(shown))
        shapes = self._reader.facts(self._tenant, Shape, shape={part.shape for part in touching})
        jobs = {shape.shape: shape.job for shape in [*shapes, *self._reader.facts(self._tenant, Shape, job=set(nodes))]}
        own = {shape for shape, job in jobs.items() if job in shown}
        stated: set[bytes] = set()
        job_nodes = {job for job in jobs.values() if job is not None}
        for part in [*touching, *self._reader.facts(self._tenant, ShapeDataset, shape=own)]:
            job = jobs[part.shape]
            if part.role == Role.JOB:
                job_nodes.add(part.dataset)
            if job is None or part.role == Role.JOB:
                stated.add(part.shape)
            elif part.role in near and part.dataset in shown:
                found[shown[part.dataset]].add(job)
            elif part.shape in own and part.role in far:
                found[job].add(part.dataset)
        # A dataset event, or a job that feeds another, states a flow that no job's input and output would show.
        for edge in self._reader.facts(self._tenant, ShapeEdge, shape=stated):
            one, other = getattr(edge, edge_from), getattr(edge, edge_to)
            if one in shown and (jobs[edge.shape] is None or {one, other} & job_nodes):
                found[shown[one]].add(other)
        self.aliases.learn(other for others in found.values() for other in others)
        return {node: {self.aliases.canonical(other) for other in others} - {node} for node, others in found.items()}


def lineage(reader: Reader, tenant: int, name: str, *, direction: str = "both", depth: int = 5) -> dict[str, Any]:
    """Up- and downstream of a node, each direction for itself."""
    if direction not in ("upstream", "downstream", "both"):
        raise BadQuestion(f"There is no direction {direction!r}.", hint="Use upstream, downstream or both.")
    if not 1 <= depth <= 50:
        raise BadQuestion(f"The depth must be from 1 to 50, not {depth}.")
    start = find_node(reader, tenant, name)
    flow = Flow(reader, tenant)
    flow.aliases.learn([start.id])
    canonical = flow.aliases.canonical(start.id)
    walks: dict[str, Walk[bytes]] = {}
    if direction in ("upstream", "both"):
        walks["upstream"] = walk([canonical], flow.upstream, depth=depth)
    if direction in ("downstream", "both"):
        walks["downstream"] = walk([canonical], flow.downstream, depth=depth)
    names = reader.names(tenant, {node for found in walks.values() for node in found.depths} | {canonical})
    shown = {node: named.node_id for node, named in names.items()}
    answer: dict[str, Any] = {"start": shown.get(canonical, start.node_id)}
    for side, found in walks.items():
        answer[side] = {
            "nodes": sorted(
                ({"id": shown[node], "depth": distance} for node, distance in found.depths.items() if node in shown),
                key=lambda item: (item["depth"], item["id"]),
            ),
            "edges": sorted(
                [shown[one], shown[other]] for one, other in found.edges if one in shown and other in shown
            ),
            "truncated": found.truncated,
            "left_out": {shown[node]: count for node, count in found.left_out.items() if node in shown},
        }
    return answer
