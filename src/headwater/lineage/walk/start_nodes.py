"""The nodes of the graph of datasets and jobs that a start stands for."""

from __future__ import annotations

from headwater.graph.facts import Run, Shape
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.start import Start
from headwater.store.read.reader import Reader

__all__ = ["start_nodes"]


def start_nodes(reader: Reader, tenant: int, flow: Flow, start: Start) -> list[bytes]:
    """A dataset or job itself; the job of a run or operation; the jobs that run a statement."""
    if start.kind in ("run", "operation"):
        found = {run.job for run in reader.facts(tenant, Run, run=start.id) if run.job}
    elif start.kind == "sql":
        found = {shape.job for shape in reader.facts(tenant, Shape, sql=start.id) if shape.job}
    else:
        found = {start.id}
    if not found:
        raise NodeNotFound(f"No job is known that belongs to {start.shown}.")
    flow.aliases.learn(found)
    return sorted({flow.aliases.canonical(node) for node in found})
