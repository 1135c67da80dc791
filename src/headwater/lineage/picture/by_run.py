"""A picture of runs or operations with their own inputs and outputs, and the datasets between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.lineage.answer.records import Freshness
from headwater.lineage.answer.values import moment
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.find import parse_node_id
from headwater.lineage.names.keys import read_key
from headwater.lineage.picture.answer import (
    LastWrite,
    LeftOut,
    More,
    NodeKind,
    Picture,
    PictureFlow,
    PictureNode,
    RunState,
    WayKind,
)
from headwater.lineage.picture.drawing.fold import contract, end_points
from headwater.lineage.picture.drawing.name_filter import matcher
from headwater.lineage.picture.drawing.titles import Title, titles
from headwater.lineage.picture.nodes import DatasetFacts, dataset_facts, dataset_node
from headwater.lineage.picture.options import PictureOptions
from headwater.lineage.walk.lineage import lineage
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Name, Reader

__all__ = ["picture_of_runs"]

_RUNS = ("run", "operation")
Ends = tuple[bytes, bytes]


def picture_of_runs(reader: Reader, tenant: int, name: str, options: PictureOptions) -> Picture:
    """The flows are those of lineage by runs. Columns are not drawn, and nothing is expanded."""
    found = lineage(
        reader,
        tenant,
        name,
        window=options.window,
        current=options.current,
        direction=options.direction,
        depth=max(1, 2 * options.steps),
        granularity=options.granularity,
        node_limit=options.limit,
    )
    nodes, edges, left_out = _both(found)
    kept, flows, hidden = _shown(nodes, edges, found["start"], options)
    with looking(reader.engine) as lookup:
        flow = Flow(reader, tenant, lookup=lookup, window=options.walked)
        ids = {key.id: node for node in kept.values() if (key := read_key(node["key"])) and node["kind"] == "dataset"}
        names = flow.names(ids)
        told = dataset_facts(reader, flow, names)
        shown_as = titles({node: (known.namespace, known.name) for node, known in names.items()})
    drawn = [
        *(_dataset(known, shown_as[node], ids[node], left_out, told) for node, known in names.items()),
        *_runs(reader, tenant, [node for node in kept.values() if node["kind"] in _RUNS], left_out),
    ]
    drawn.sort(key=lambda node: (node.step, node.title, node.key))
    keys = {node.id: node.key for node in drawn}
    return Picture(
        start=keys.get(found["start"], found["start"]),
        granularity=options.granularity,
        direction=options.direction,
        steps=options.steps,
        as_of=moment(options.window.as_of),
        since=moment(options.window.since),
        until=moment(options.window.until),
        nodes=drawn,
        flows=_flows(flows, edges, keys),
        jobs=[],
        columns=[],
        left_out=LeftOut(nodes=sum(left_out.values()), hidden=hidden, expansions=list(options.expand)),
        truncated=bool(left_out),
        freshness=Freshness(**found["freshness"]) if found["freshness"] is not None else None,
    )


def _both(found: Mapping[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[tuple[str, str], Any], dict[str, int]]:
    """Nodes by id with their `step`, edges by both ends, and counts of what was left out, for both directions."""
    nodes: dict[str, dict[str, Any]] = {}
    edges: dict[tuple[str, str], Any] = {}
    left_out: dict[str, int] = {}
    for side, sign in (("upstream", -1), ("downstream", 1)):
        answer = found.get(side)
        if answer is None:
            continue
        for node in answer["nodes"]:
            if node["id"] not in nodes or node["depth"] < abs(nodes[node["id"]]["step"]):
                nodes[node["id"]] = {**node, "step": sign * node["depth"]}
        edges |= {(edge["from"], edge["to"]): edge for edge in answer["edges"]}
        for node, count in answer["left_out"].items():
            left_out[node] = max(count, left_out.get(node, 0))
    return nodes, edges, left_out


def _shown(
    nodes: Mapping[str, dict[str, Any]], edges: Mapping[tuple[str, str], Any], start: str, options: PictureOptions
) -> tuple[dict[str, dict[str, Any]], dict[tuple[str, str], int], int]:
    """Nodes and flows without hidden ones; a flow takes the place of each way through hidden nodes."""
    hides = matcher(options.hide)
    hidden = {
        node_id.encode()
        for node_id, node in nodes.items()
        if node["kind"] not in _RUNS and hides(node["namespace"], node["name"])
    }
    ends = [(one.encode(), other.encode()) for one, other in edges]
    if options.ends:
        runs = {node_id.encode() for node_id, node in nodes.items() if node["kind"] in _RUNS}
        hidden |= {node.encode() for node in nodes} - end_points((node.encode() for node in nodes), ends) | runs
    hidden.discard(start.encode())
    if not hidden:
        return dict(nodes), dict.fromkeys(edges, 0), 0
    flows, _ = contract([node.encode() for node in nodes], ends, lambda node: node not in hidden)
    kept = {node_id: node for node_id, node in nodes.items() if node_id.encode() not in hidden}
    return kept, {(one.decode(), other.decode()): count for (one, other), count in flows.items()}, len(hidden)


def _dataset(
    name: Name, title: Title, node: Mapping[str, Any], left_out: Mapping[str, int], told: DatasetFacts
) -> PictureNode:
    return dataset_node(name, title, node["step"], _more(node, left_out), told)


def _runs(reader: Reader, tenant: int, runs: list[dict[str, Any]], left_out: Mapping[str, int]) -> list[PictureNode]:
    """Runs are called as their jobs are; the rest is their id."""
    jobs = {run["job"] for run in runs if run.get("job")}
    known = reader.names(tenant, {node for job in jobs for node in parse_node_id(job)})
    names = {name.node_id: name for name in known.values()}
    shown = titles({node: (name.namespace, name.name) for node, name in known.items()}, jobs=known)
    found = []
    for run in runs:
        job = names.get(run.get("job") or "")
        uuid = run["id"].partition(":")[2]
        title = shown[job.id][0] if job is not None else uuid
        state: RunState = run.get("status") or "UNKNOWN"
        kind: NodeKind = "operation" if run["kind"] == "operation" else "run"
        at = run.get("ended_at") or run.get("started_at")
        found.append(
            PictureNode(
                key=run["key"],
                id=run["id"],
                kind=kind,
                title=title,
                rest=uuid if job is None else f"{job.namespace}:{uuid}",
                namespace=job.namespace if job is not None else "",
                name=job.name if job is not None else uuid,
                storage=None,
                step=run["step"],
                columns_total=0,
                columns=[],
                last_write=LastWrite(run=run["id"], status=state, at=at, rows=None),
                tags=[],
                owners=[],
                exists=None,
                reference_only=False,
                more=_more(run, left_out),
                state=state,
            )
        )
    return found


def _more(node: Mapping[str, Any], left_out: Mapping[str, int]) -> More:
    count = left_out.get(node["id"], 0)
    return More(upstream=count) if node["step"] < 0 else More(downstream=count)


def _flows(
    flows: Mapping[tuple[str, str], int], edges: Mapping[tuple[str, str], Any], keys: Mapping[str, str]
) -> list[PictureFlow]:
    found = []
    for ends, folded in flows.items():
        if ends[0] not in keys or ends[1] not in keys:
            continue
        edge = edges.get(ends, {})
        kind: WayKind = "INDIRECT" if edge.get("kind") == "REFERENCE" else "DIRECT"
        found.append(
            PictureFlow(
                source=keys[ends[0]],
                target=keys[ends[1]],
                via=[],
                via_total=0,
                kinds=[kind],
                masked=None,
                current=edge.get("current", True),
                first_seen=edge.get("first_seen"),
                last_seen=edge.get("last_seen"),
                columns_total=0,
                origins=[],
                through=folded,
            )
        )
    found.sort(key=lambda flow: (flow.source, flow.target))
    return found
