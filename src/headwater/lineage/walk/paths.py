"""All shortest ways between two things, and whether there are more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice, pairwise
from typing import Any, TypeVar

from headwater.graph.shortest_paths import before, count_paths, has_longer, shortest_paths
from headwater.graph.walk import Walk, walk
from headwater.lineage.errors import BadQuestion
from headwater.lineage.flows.collapsed_jobs import collapsed_start
from headwater.lineage.flows.column_times import column_times
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.step import node_at
from headwater.lineage.names.keys import column_key
from headwater.lineage.names.start import Start, find_start
from headwater.lineage.walk.by_column import column_id, column_starts
from headwater.lineage.walk.columns.column_walk import ColumnFlow
from headwater.lineage.walk.options import Options
from headwater.lineage.walk.start_nodes import start_nodes
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.contents import Column
from headwater.store.read.shapes.current_shapes import ALWAYS, Window

__all__ = ["MOST_PATHS", "paths"]

_N = TypeVar("_N")
MOST_PATHS = 1_000
_TRIED = 20
"""Steps that differ only in their reason look equal; this many more are read to fill the list."""


def paths(
    reader: Reader,
    tenant: int,
    source: str,
    target: str,
    *,
    window: Window = ALWAYS,
    limit: int = 20,
    depth: int = 50,
) -> dict[str, Any]:
    """The shortest ways of data from one thing to another; if there is none, those the other way round."""
    Options(window=window, depth=depth).check()
    if not 1 <= limit <= MOST_PATHS:
        raise BadQuestion(f"limit must be from 1 to {MOST_PATHS}, not {limit}.", path="?limit")
    one, other = find_start(reader, tenant, source), find_start(reader, tenant, target)
    with looking(reader.engine) as lookup:
        flow = Flow(reader, tenant, lookup=lookup, window=window)
        for direction, (near, far) in (("downstream", (one, other)), ("upstream", (other, one))):
            if "column" in (one.kind, other.kind):
                answer = _by_column(reader, tenant, flow, near, far, depth, limit)
            else:
                answer = _by_job(reader, tenant, flow, near, far, depth, limit)
            if answer["paths"] or direction == "upstream":
                break
    if not answer["paths"]:
        direction = "none"
    return {"from": one.shown, "to": other.shown, "direction": direction, **answer}


def _by_job(reader: Reader, tenant: int, flow: Flow, near: Start, far: Start, depth: int, limit: int) -> dict[str, Any]:
    """A start or end with parts is one node, whichever part of it the way begins or ends at."""
    sides = [(start, start_nodes(reader, tenant, flow, start)) for start in (near, far)]
    wholes = [collapsed_start(flow, start, nodes) for start, nodes in sides]
    starts, ends = (
        set(nodes) if whole is None else set(whole.all_jobs) for whole, (_, nodes) in zip(wholes, sides, strict=True)
    )
    found = walk(sorted(starts), flow.downstream, depth=depth)
    reached = [step for step in found.depths if node_at(step) in ends]
    names = reader.names(tenant, set(map(node_at, found.depths)))
    texts = {node: name.node_id for node, name in names.items()}
    keys = {texts[node]: name.key for node, name in names.items()}
    for whole in wholes:
        own = reader.names(tenant, [whole.job]).get(whole.job) if whole is not None else None
        if whole is not None and own is not None:
            texts |= dict.fromkeys(whole.all_jobs, own.node_id)
            keys[own.node_id] = own.key
    return _answer(found, reached, limit, lambda step: texts.get(node_at(step), ""), keys)


def _by_column(
    reader: Reader, tenant: int, flow: Flow, near: Start, far: Start, depth: int, limit: int
) -> dict[str, Any]:
    columns = ColumnFlow(reader, tenant, flow)
    wanted = column_starts(flow, columns, far)
    # What concerns every row of a dataset concerns each of its columns.
    ends = {*wanted, *((dataset, "") for dataset, _ in wanted)}
    rows = {(dataset, ""): column for dataset, column in wanted} if far.kind == "column" else {}
    found = walk(column_starts(flow, columns, near), columns.downstream, depth=depth)
    reached = [column for column in found.depths if column in ends]
    names = reader.names(tenant, {dataset for dataset, _ in found.depths})

    def text(column: Column) -> str:
        return column_id(names[column[0]], rows.get(column, column[1])) if column[0] in names else ""

    keys = {text(one): column_key(one[0], rows.get(one, one[1])) for one in found.depths if one[0] in names}
    stated = {
        (text(one), text(other)): (one, other, job_edge)
        for one, others in columns.down.items()
        for other, job_edge in others.items()
    }
    answer = _answer(found, reached, limit, text, keys)
    shown = {pair: stated[pair] for path in answer["paths"] for pair in pairwise(path["nodes"]) if pair in stated}
    listed = [(one[0], other[0], job_edge.shapes) for one, other, job_edge in shown.values()]
    edges = {
        pair: {**job_edge.transformation.shown, **seen}
        for (pair, (_, _, job_edge)), seen in zip(shown.items(), column_times(reader, flow, listed), strict=True)
    }
    for path in answer["paths"]:
        path["edges"] = [
            {"from": near_text, "to": far_text, **edges.get((near_text, far_text), {})}
            for near_text, far_text in pairwise(path["nodes"])
        ]
        path["masked"] = any(edge.get("masked") for edge in path["edges"])
    return answer


def _answer(
    found: Walk[_N],
    reached: list[_N],
    limit: int,
    text: Callable[[_N], str],
    keys: Mapping[str, str],
) -> dict[str, Any]:
    preceding = before(found)
    length = min((found.depths[end] for end in reached), default=0)
    ends = [end for end in reached if found.depths[end] == length]
    shortest = count_paths(found, preceding)
    listed: dict[tuple[str, ...], None] = {}
    for end in ends:
        for way in islice(shortest_paths(preceding, end), limit * _TRIED):
            listed[tuple(map(text, way))] = None
            if len(listed) > limit:
                break
    shown = list(listed)[:limit]
    total = sum(shortest[end] for end in ends)
    exact = len(listed) <= limit and total <= limit * _TRIED
    return {
        "length": length if shown else None,
        "paths": [{"nodes": list(way), "keys": [keys.get(node) for node in way]} for way in shown],
        "count": len(listed) if exact else total,
        "more": len(listed) > limit,
        "longer": has_longer(found, preceding, reached) if shown else False,
        "truncated": found.truncated,
    }
