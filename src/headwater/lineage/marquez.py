"""The graph around a node as Marquez renders it: jobs and datasets with edges on both sides."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

import msgspec

from headwater.graph.facts import (
    Evidence,
    NodeKind,
    Role,
    Run,
    RunStatus,
    SchemaVersion,
    Shape,
    ShapeDataset,
)
from headwater.graph.walk import walk
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.find import parse_node_id
from headwater.lineage.flow import Flow, Step
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.times import format_time
from headwater.store.read import Name, Reader

__all__ = ["marquez_lineage"]

_STATES = {
    RunStatus.STARTED: "RUNNING",
    RunStatus.SUCCEEDED: "COMPLETED",
    RunStatus.FAILED: "FAILED",
    RunStatus.KILLED: "ABORTED",
}


def marquez_lineage(reader: Reader, tenant: int, node_id: str, depth: int) -> dict[str, Any]:
    """Everything within `depth` jobs of a dataset or job, whichever way the data flows."""
    found = reader.names(tenant, parse_node_id(node_id))
    if not found:
        raise NodeNotFound(
            f"Node '{node_id}' not found.", hint="A node id is dataset:NAMESPACE:NAME or job:NAMESPACE:NAME."
        )
    start = max(found.values(), key=lambda name: len(name.namespace))
    flow = Flow(reader, tenant)
    flow.aliases.learn([start.id])
    upstream: dict[bytes, set[bytes]] = defaultdict(set)
    downstream: dict[bytes, set[bytes]] = defaultdict(set)

    def both(nodes: list[bytes]) -> dict[bytes, set[bytes]]:
        steps = [Step(node) for node in nodes]
        for known, asked in ((upstream, flow.upstream(steps)), (downstream, flow.downstream(steps))):
            for step, others in asked.items():
                known[step.node] |= {other.node for other in others}
        return {node: upstream[node] | downstream[node] for node in nodes}

    hops = 2 * depth + (1 if start.kind is NodeKind.JOB else 2)
    reached = walk([flow.aliases.canonical(start.id)], both, depth=hops)
    names = reader.names(tenant, reached.depths)
    jobs = {node for node, name in names.items() if name.kind is NodeKind.JOB}
    both(list(names))  # the walk did not ask for the edges between nodes of its last level
    job_data = _jobs(reader, tenant, jobs, names, upstream, downstream)
    dataset_data = _datasets(reader, tenant, set(names) - jobs, names)
    graph = []
    for node, name in names.items():
        before = sorted(names[other].node_id for other in upstream[node] if other in names)
        after = sorted(names[other].node_id for other in downstream[node] if other in names)
        graph.append(
            {
                "id": name.node_id,
                "type": name.kind.name,
                "data": job_data[node] if node in jobs else dataset_data[node],
                "inEdges": [{"origin": other, "destination": name.node_id} for other in before],
                "outEdges": [{"origin": name.node_id, "destination": other} for other in after],
            }
        )
    return {"graph": sorted(graph, key=lambda node: str(node["id"]))}


def _jobs(
    reader: Reader,
    tenant: int,
    jobs: set[bytes],
    names: dict[bytes, Name],
    upstream: dict[bytes, set[bytes]],
    downstream: dict[bytes, set[bytes]],
) -> dict[bytes, dict[str, Any]]:
    newest = _newest_shapes(reader, tenant, reader.facts(tenant, Shape, job=jobs))
    parents = reader.names(tenant, [shape.parent_job for shape, _ in newest.values() if shape.parent_job])
    latest: dict[bytes, Run] = {}
    for run in reader.facts(tenant, Run, job=jobs):
        known = latest.get(run.job or b"")
        if run.job and (known is None or (run.first_seen or 0, run.run) > (known.first_seen or 0, known.run)):
            latest[run.job] = run
    found = {}
    for job in jobs:
        name, (shape, last) = names[job], newest.get(job, (Shape(tenant, b""), 0))
        facets = msgspec.json.decode(shape.facets) if shape.facets else {}
        parent = parents.get(shape.parent_job or b"")
        run_of_job = latest.get(job)
        found[job] = {
            "id": {"namespace": name.namespace, "name": name.name},
            "type": "STREAM" if (shape.processing or "").startswith("STREAM") else "BATCH",
            "name": name.name,
            "simpleName": name.name.removeprefix(parent.name + ".") if parent else name.name,
            "parentJobName": parent.name if parent else None,
            "parentJobUuid": None,
            "currentRunUuid": str(UUID(bytes=run_of_job.run)) if run_of_job else None,
            "createdAt": format_time(name.first_seen or 0),
            "updatedAt": format_time(last),
            "namespace": name.namespace,
            "inputs": _refs(names, upstream[job]),
            "outputs": _refs(names, downstream[job]),
            "location": (facets.get("sourceCodeLocation") or {}).get("url"),
            "description": (facets.get("documentation") or {}).get("description"),
            "latestRun": _run(run_of_job) if run_of_job else None,
        }
    return found


def _datasets(
    reader: Reader, tenant: int, datasets: set[bytes], names: dict[bytes, Name]
) -> dict[bytes, dict[str, Any]]:
    flow_aliases = Flow(reader, tenant).aliases
    flow_aliases.learn(datasets)
    owner = {member: node for node in datasets for member in flow_aliases.group(node)}
    parts = reader.facts(tenant, ShapeDataset, dataset=set(owner))
    evidence = {
        item.shape: item.last or b"" for item in reader.facts(tenant, Evidence, shape={part.shape for part in parts})
    }
    parts.sort(key=lambda part: (part.role == Role.OUTPUT, evidence.get(part.shape, b"")), reverse=True)
    by_dataset: dict[bytes, list[ShapeDataset]] = defaultdict(list)
    for part in parts:
        by_dataset[owner[part.dataset]].append(part)
    schemas = {
        item.schema: msgspec.json.decode(item.fields) if item.fields else []
        for item in reader.facts(tenant, SchemaVersion, schema={part.schema for part in parts if part.schema})
    }
    found = {}
    for node in datasets:
        name, own = names[node], by_dataset[node]
        schema = next((part.schema for part in own if part.schema), None)
        described = [msgspec.json.decode(part.facets) for part in own if part.facets]
        description = next(
            (item["documentation"].get("description") for item in described if item.get("documentation")), None
        )
        source = next((item["dataSource"].get("name") for item in described if item.get("dataSource")), None)
        last = max((evidence.get(part.shape, b"") for part in own), default=b"")
        updated = format_time(stamp_time(last)) if last else format_time(name.first_seen or 0)
        found[node] = {
            "id": {"namespace": name.namespace, "name": name.name},
            "type": "DB_TABLE",
            "name": name.name,
            "physicalName": name.name,
            "createdAt": format_time(name.first_seen or 0),
            "updatedAt": updated,
            "namespace": name.namespace,
            "sourceName": source or "default",
            "fields": [_field(field) for field in schemas.get(schema or b"", [])],
            "tags": [],
            "lastModifiedAt": updated if any(part.role == Role.OUTPUT for part in own) else None,
            "description": description,
            "lastLifecycleState": "",
        }
    return found


def _field(field: dict[str, Any]) -> dict[str, Any]:
    return {"name": field["name"], "type": field.get("type"), "tags": [], "description": field.get("description")}


def _newest_shapes(reader: Reader, tenant: int, shapes: list[Shape]) -> dict[bytes, tuple[Shape, int]]:
    """By job, its newest shape and when that was last seen."""
    evidence = {
        item.shape: item.last or b"" for item in reader.facts(tenant, Evidence, shape={shape.shape for shape in shapes})
    }
    newest: dict[bytes, tuple[Shape, int]] = {}
    for shape in sorted(shapes, key=lambda shape: evidence.get(shape.shape, b"")):
        last = evidence.get(shape.shape)
        if shape.job is not None:
            newest[shape.job] = (shape, stamp_time(last) if last else 0)
    return newest


def _refs(names: dict[bytes, Name], nodes: set[bytes]) -> list[dict[str, str]]:
    found = sorted((names[node].namespace, names[node].name) for node in nodes if node in names)
    return [{"namespace": namespace, "name": name} for namespace, name in found]


def _run(run: Run) -> dict[str, Any]:
    began, ended = run.started_at, run.ended_at
    return {
        "id": str(UUID(bytes=run.run)),
        "createdAt": format_time(run.first_seen or 0),
        "updatedAt": format_time(run.last_seen or 0),
        "nominalStartTime": format_time(run.expected_start_at) if run.expected_start_at is not None else None,
        "nominalEndTime": format_time(run.expected_end_at) if run.expected_end_at is not None else None,
        "state": _STATES.get(RunStatus(run.status or 0), "NEW"),
        "startedAt": format_time(began) if began is not None else None,
        "endedAt": format_time(ended) if ended is not None else None,
        "durationMs": (ended - began) // 1000 if began is not None and ended is not None else None,
        "args": {},
        "jobVersion": None,
        "inputDatasetVersions": [],
        "outputDatasetVersions": [],
        "facets": {},
    }
