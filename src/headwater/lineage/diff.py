"""What changed between two moments: nodes and edges that appeared, vanished or say something else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from headwater.graph.walk import NODE_LIMIT, walk
from headwater.lineage.changes import changed_columns, changed_schemas
from headwater.lineage.errors import BadQuestion
from headwater.lineage.flow import Flow
from headwater.lineage.options import Options
from headwater.lineage.start import find_start
from headwater.lineage.starts import start_nodes
from headwater.lineage.state import State, state_of
from headwater.lineage.view import node_at
from headwater.openlineage.identity import stamp
from headwater.openlineage.times import format_time
from headwater.store.held import Window
from headwater.store.lookup import Lookup, looking
from headwater.store.read import Reader

__all__ = ["diff"]

_SAID = "SELECT shape FROM evidence WHERE tenant = ? AND [last] >= ? AND first_seen <= ?"
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
        flows = [Flow(reader, tenant, lookup=lookup, window=Window(as_of=moment)) for moment in (earlier, later)]
        jobs, subjects, left_out = set[bytes](), set[bytes](), 0
        scope: set[bytes] | None = None
        if start is not None:
            options = Options(direction=direction, depth=depth)
            scope = {
                node for flow in flows for node in _reached(flow, start_nodes(reader, tenant, flow, start), options)
            }
            jobs = {node for flow in flows for node in scope if node in flow.views}
            subjects = scope - jobs
        else:
            jobs, subjects, left_out = _touched(reader, tenant, lookup, flows[1], earlier, later)
        states = [state_of(reader, tenant, flow, jobs, subjects) for flow in flows]
        if scope is None:
            more_jobs, more_subjects = _touching(flows[1], _doubtful(flows[1], *states))
            jobs, subjects = jobs | more_jobs, subjects | more_subjects
            states = [state_of(reader, tenant, flow, jobs, subjects) for flow in flows]
        before, after = (_within(state, scope) for state in states)
        answer = _answer(reader, tenant, lookup, before, after)
    times = {"from": format_time(earlier), "to": format_time(later)}
    cut = {"truncated": left_out > 0, "left_out": left_out}
    return {**times, "of": start.shown if start else None, **answer, **cut}


def _reached(flow: Flow, first: list[bytes], options: Options) -> set[bytes]:
    found: set[bytes] = set()
    for side in options.sides:
        ask = flow.upstream if side == "upstream" else flow.downstream
        found |= set(map(node_at, walk(first, ask, depth=options.depth).depths))
    return found


def _touched(
    reader: Reader, tenant: int, lookup: Lookup, flow: Flow, earlier: int, later: int
) -> tuple[set[bytes], set[bytes], int]:
    """Jobs and datasets that were spoken of in between; nothing else can have changed, but for drops."""
    shapes = [row[0] for row in lookup.all(_SAID, tenant, stamp(earlier, b""), later)]
    bodies = reader.shapes.bodies(tenant, lookup, shapes[: NODE_LIMIT * 4])
    jobs = {body.job for body in bodies.values() if body.job is not None}
    subjects = {body.subject for body in bodies.values() if body.job is None and body.subject is not None}
    written = {part.dataset for body in bodies.values() for part in (*body.outputs, *body.subjects)}
    dropped = {row[0] for row in lookup.rows(_EVER_DROPPED, tenant, written)}
    more_jobs, more_subjects = _touching(flow, dropped)
    jobs, subjects = jobs | more_jobs, subjects | more_subjects
    kept = set(sorted(jobs)[:NODE_LIMIT])
    return kept, subjects, len(jobs) - len(kept) + max(0, len(shapes) - NODE_LIMIT * 4)


def _doubtful(flow: Flow, before: State, after: State) -> set[bytes]:
    """Datasets that seem to have come, gone or changed. Perhaps not: somebody who was silent may know them too."""
    schemas = before.schemas.keys() | after.schemas.keys()
    changed = {dataset for dataset in schemas if before.schemas.get(dataset) != after.schemas.get(dataset)}
    return {node for node in before.nodes ^ after.nodes | changed if not flow.is_job(node)}


def _touching(flow: Flow, datasets: Collection[bytes]) -> tuple[set[bytes], set[bytes]]:
    """All jobs that name these datasets, and all datasets of which a dataset event does."""
    rows = [row for down in (True, False) for row in flow.touching(datasets, down=down)[1]] if datasets else []
    bodies = flow.held.bodies({shape for _, shape in rows}).values()
    jobs = {body.job for body in bodies if body.job is not None}
    return jobs, {body.subject for body in bodies if body.job is None and body.subject is not None}


def _within(state: State, scope: set[bytes] | None) -> State:
    if scope is None:
        return state
    return State(
        state.nodes & scope,
        {edge for edge in state.edges if scope >= set(edge)},
        {key: ways for key, ways in state.columns.items() if scope >= set(key[1:])},
        {dataset: schema for dataset, schema in state.schemas.items() if dataset in scope},
    )


def _answer(reader: Reader, tenant: int, lookup: Lookup, before: State, after: State) -> dict[str, Any]:
    names = {
        node: name.node_id
        for node, name in reader.names(tenant, before.nodes | after.nodes | _ends(before, after)).items()
    }
    schemas = changed_schemas(tenant, lookup, before, after)
    columns = changed_columns(before, after)
    nodes = {
        "appeared": _texts(after.nodes - before.nodes, names),
        "vanished": _texts(before.nodes - after.nodes, names),
        "changed": [{"id": names[dataset], **change} for dataset, change in schemas.items() if dataset in names],
    }
    edges: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for word, found in (("appeared", after.edges - before.edges), ("vanished", before.edges - after.edges)):
        edges[word] = [{"from": names[one], "to": names[other]} for one, other in found if {one, other} <= names.keys()]
    edges["changed"] = [
        {"from": names[source], "to": names[target], "job": names.get(job) if job else None, **change}
        for (job, source, target), change in columns.items()
        if {source, target} <= names.keys()
    ]
    for listed in (nodes["changed"], *edges.values()):
        listed.sort(key=lambda item: (item.get("id") or "", item.get("from") or "", item.get("to") or ""))
    return {"nodes": nodes, "edges": {word: edges[word] for word in ("appeared", "vanished", "changed")}}


def _ends(*states: State) -> set[bytes]:
    return {end for state in states for edge in state.edges for end in edge}


def _texts(nodes: Collection[bytes], names: dict[bytes, str]) -> list[dict[str, Any]]:
    found = sorted(names[node] for node in nodes if node in names)
    return [{"id": text, "kind": text.partition(":")[0]} for text in found]
