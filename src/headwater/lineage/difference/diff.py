"""The difference between two moments: nodes and edges that appeared, vanished or changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from headwater.deadline import steps
from headwater.graph.current.flows import named_in
from headwater.graph.current.shape_body import ShapeBody
from headwater.graph.walk import NODE_LIMIT, walk
from headwater.lineage.difference.dataset_changes import dataset_changes, summary_of
from headwater.lineage.difference.graph_state import GraphState, scope_edges, states_of
from headwater.lineage.difference.node_changes import changed_columns, changed_schemas
from headwater.lineage.errors import BadQuestion
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.step import node_at
from headwater.lineage.names.start import find_start
from headwater.lineage.walk.options import Options
from headwater.lineage.walk.start_nodes import start_nodes
from headwater.openlineage.identity import stamp
from headwater.openlineage.times import format_time
from headwater.store.read.lookup import Lookup, looking
from headwater.store.read.reader import Name, Reader
from headwater.store.read.shapes.current_shapes import Window

__all__ = ["diff"]

_SHAPES_IN_WINDOW = "SELECT shape FROM evidence WHERE tenant = ? AND [last] >= ? AND first_seen <= ?"
_EDITED = (
    "SELECT DISTINCT about FROM edit WHERE tenant = ? AND stamp >= ? AND stamp < ? AND about_type = 'EDGE' "
    f"LIMIT {NODE_LIMIT * 4}"
)
_CHANGED = "SELECT dataset FROM dataset_change WHERE tenant = ? AND dataset {ids} AND at >= ? AND at <= ?"
_RENAMED = "SELECT source, target FROM [rename] WHERE tenant = ? AND at >= ? AND at <= ?"
_RUNS_SAYING = "SELECT run FROM run_shape WHERE tenant = ? AND shape {ids} AND last_seen >= ? AND first_seen <= ?"
_SHAPES_OF_RUNS = "SELECT shape FROM run_shape WHERE tenant = ? AND run {ids}"
_EVER_DROPPED = "SELECT dataset FROM lifecycle WHERE tenant = ? AND dataset {ids} AND dropped_at IS NOT NULL"


def diff(
    reader: Reader,
    tenant: int,
    earlier: int,
    later: int,
    *,
    name: str | None = None,
    direction: str = "both",
    depth: int = 5,
) -> dict[str, Any]:
    """The difference between the graph at two moments; with a name, between the lineage of that thing."""
    Options(direction=direction, depth=depth).check()
    if earlier > later:
        raise BadQuestion("The later moment lies before the earlier one.", path="?to", hint="Exchange the two.")
    start = find_start(reader, tenant, name) if name is not None else None
    with looking(reader.engine) as lookup:
        # That two names are one dataset, if only known later, is no change of the graph.
        flows = [
            Flow(reader, tenant, lookup=lookup, window=Window(as_of=moment), symlinks_as_of=later)
            for moment in (earlier, later)
        ]
        left_out = 0
        if start is not None:
            options = Options(direction=direction, depth=depth)
            walks = [_reached(flow, start_nodes(reader, tenant, flow, start), options) for flow in flows]
            nodes = {node for found, _ in walks for node in found}
            for flow in flows:
                flow.classify(nodes)
            jobs = {node for node in nodes if flows[0].is_job(node)}
            states = states_of(reader, tenant, flows, jobs, nodes - jobs)
            edges = {edge for _, found in walks for edge in found}
            before, after = (scope_edges(state, nodes, edges) for state in states)
        else:
            jobs, datasets, left_out = _touched(reader, tenant, lookup, flows, earlier, later)
            before, after = states_of(reader, tenant, flows, jobs, datasets)
        answer = _answer(reader, tenant, lookup, before, after)
    times = {"from": format_time(earlier), "to": format_time(later)}
    cut = {"truncated": left_out > 0, "left_out": left_out}
    return {**times, "of": start.shown if start else None, **answer, **cut}


def _reached(flow: Flow, first: list[bytes], options: Options) -> tuple[set[bytes], set[tuple[bytes, bytes]]]:
    """The nodes and edges of the lineage of something."""
    nodes: set[bytes] = set()
    edges: set[tuple[bytes, bytes]] = set()
    for side in options.sides:
        down = side == "downstream"
        found = walk(first, flow.downstream if down else flow.upstream, depth=options.depth)
        nodes |= set(map(node_at, found.depths))
        for near, far in found.edges:
            edges.add((node_at(near), node_at(far)) if down else (node_at(far), node_at(near)))
    return nodes, edges


def _touched(
    reader: Reader, tenant: int, lookup: Lookup, flows: Sequence[Flow], earlier: int, later: int
) -> tuple[set[bytes], set[bytes], int]:
    """Jobs and datasets of which anything may have changed in between, and how many jobs were left out."""
    shapes = [row[0] for row in lookup.all(_SHAPES_IN_WINDOW, tenant, stamp(earlier, b""), later)]
    some, flow = shapes[: NODE_LIMIT * 4], flows[-1]
    some += [row[0] for row in lookup.all(_EDITED, tenant, stamp(earlier, b""), stamp(later + 1, b""))]
    bodies = reader.shapes.bodies(tenant, lookup, some)
    listed = sorted({body.job for body in bodies.values() if body.job is not None})
    jobs = set(listed[:NODE_LIMIT])
    datasets = named_in(bodies.values()) | {body.subject for body in bodies.values() if body.subject is not None}
    flow.aliases.learn([*jobs, *datasets])
    jobs = set(map(flow.aliases.canonical, jobs))
    large: set[bytes] = set()
    for at_moment in flows:
        targets, large = at_moment.all_targets(jobs)
        datasets |= targets
    if large:
        datasets |= _targets_of_large(reader, tenant, lookup, bodies, large, earlier, later)
    flow.classify(datasets)
    datasets = {node for node in datasets if not flow.is_job(node)}
    datasets |= {name for row in lookup.all(_RENAMED, tenant, earlier, later) for name in row}
    datasets |= _all_names(flows, datasets)
    changed = {row[0] for row in lookup.rows(_CHANGED, tenant, datasets, earlier, later)}
    ever = {row[0] for row in lookup.rows(_EVER_DROPPED, tenant, datasets)}
    moved = {name for name in datasets if len({at_moment.aliases.canonical(name) for at_moment in flows}) > 1}
    flow.aliases.learn(changed | ever | moved)
    readers, fed = flow.possible_targets(set(map(flow.aliases.canonical, changed | ever | moved)))
    fed = _all_names(flows, fed)
    return jobs | readers, datasets | fed, len(listed) - len(listed[:NODE_LIMIT]) + max(0, len(shapes) - NODE_LIMIT * 4)


def _all_names(flows: Sequence[Flow], datasets: Collection[bytes]) -> set[bytes]:
    """The ids that these datasets have at any of the moments."""
    found = set(datasets)
    for flow in flows:
        flow.aliases.learn(found)
        found |= {member for dataset in found for member in flow.aliases.group(dataset)}
    return found


def _targets_of_large(
    reader: Reader,
    tenant: int,
    lookup: Lookup,
    bodies: Mapping[bytes, ShapeBody],
    large: Collection[bytes],
    earlier: int,
    later: int,
) -> set[bytes]:
    """Targets of runs, between the moments, of jobs with very many shapes."""
    of_large = [shape for shape, body in bodies.items() if body.job in large]
    runs = {row[0] for row in lookup.rows(_RUNS_SAYING, tenant, of_large, earlier, later)}
    shapes = {row[0] for row in lookup.rows(_SHAPES_OF_RUNS, tenant, runs)}
    return {end for body in reader.shapes.bodies(tenant, lookup, shapes).values() for end in body.writes}


def _answer(reader: Reader, tenant: int, lookup: Lookup, before: GraphState, after: GraphState) -> dict[str, Any]:
    known = reader.names(tenant, before.nodes | after.nodes | _ends(before, after))
    names = {node: name.node_id for node, name in known.items()}
    schemas = changed_schemas(tenant, lookup, before, after)
    columns = changed_columns(before, after)
    nodes = {
        "appeared": _texts(after.nodes - before.nodes, known),
        "vanished": _texts(before.nodes - after.nodes, known),
        "changed": [
            {"id": names[dataset], "key": known[dataset].key, **change}
            for dataset, change in schemas.items()
            if dataset in names
        ],
    }
    edges: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for word, found in (("appeared", after.edges - before.edges), ("vanished", before.edges - after.edges)):
        edges[word] = [
            {"from": names[one], "to": names[other]} for one, other in steps(found) if {one, other} <= names.keys()
        ]
    edges["changed"] = [
        {"from": names[source], "to": names[target], "job": names.get(job) if job else None, **change}
        for (job, source, target), change in steps(columns.items())
        if {source, target} <= names.keys()
    ]
    for listed in (nodes["changed"], *edges.values()):
        listed.sort(key=lambda item: (item.get("id") or "", item.get("from") or "", item.get("to") or ""))
    datasets = dataset_changes(before, after, known, schemas, columns)
    return {
        "summary": summary_of(nodes, edges, datasets),
        "datasets": datasets,
        "nodes": nodes,
        "edges": {word: edges[word] for word in ("appeared", "vanished", "changed")},
    }


def _ends(*states: GraphState) -> set[bytes]:
    return {end for state in states for edge in state.edges for end in edge}


def _texts(nodes: Collection[bytes], names: Mapping[bytes, Name]) -> list[dict[str, Any]]:
    found = sorted((names[node].node_id, names[node].key) for node in steps(nodes) if node in names)
    return [{"id": text, "key": key, "kind": text.partition(":")[0]} for text, key in steps(found)]
