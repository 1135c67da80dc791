"""Lineage by columns: where values come from and go to, how, and whether they are masked on the way."""

from __future__ import annotations

from typing import Any

from headwater.graph.walk import Walk, walk
from headwater.lineage.errors import BadQuestion
from headwater.lineage.flows.column_times import column_times
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.keys import column_key
from headwater.lineage.names.start import Start, check_column
from headwater.lineage.walk.columns.column_walk import Beyond, ColumnFlow, masked_of
from headwater.lineage.walk.direction import Side
from headwater.lineage.walk.options import Options
from headwater.store.read.names import text_of
from headwater.store.read.reader import Name, Reader
from headwater.store.read.shapes.contents import Column

__all__ = ["column_id", "column_node", "column_sides", "column_starts", "column_walk"]


def column_sides(
    reader: Reader, tenant: int, flow: Flow, start: Start, options: Options
) -> tuple[str, dict[str, Side]]:
    columns = ColumnFlow(reader, tenant, flow, indirect=options.indirect)
    first = column_starts(flow, columns, start)
    walks = {side: column_walk(columns, first, side, options) for side in options.sides}
    names = flow.names({dataset for found in walks.values() for dataset, _ in found.depths} | {first[0][0]})
    beyond = {"upstream": columns.up, "downstream": columns.down}
    sides = {
        side: _side(reader, flow, found, beyond[side], first, names, options, down=side == "downstream")
        for side, found in walks.items()
    }
    name = names[first[0][0]]
    return (column_id(name, first[0][1]) if start.kind == "column" else name.node_id), sides


def column_starts(flow: Flow, columns: ColumnFlow, start: Start) -> list[Column]:
    """The column itself, or all columns of a dataset."""
    if start.kind not in ("column", "dataset"):
        raise BadQuestion(
            f"{start.shown} has no columns.", path="?granularity", hint="Start at a dataset or at DATASET#COLUMN."
        )
    flow.aliases.learn([start.id])
    dataset = flow.aliases.canonical(start.id)
    known = columns.of_dataset(dataset)
    if start.kind == "dataset":
        return [(dataset, column) for column in sorted(known)] or [(dataset, "")]
    return [(dataset, check_column(start, known).column or "")]


def column_walk(columns: ColumnFlow, first: list[Column], side: str, options: Options) -> Walk[Column]:
    ask = columns.downstream if side == "downstream" else columns.upstream
    return walk(first, ask, depth=options.depth, node_limit=options.node_limit)


def column_id(name: Name, column: str) -> str:
    """`dataset:NAMESPACE:NAME#COLUMN`; every row of a dataset is `dataset:NAMESPACE:NAME#`."""
    return f"{text_of(name)}#{column}"


def column_node(name: Name, column: str, depth: int) -> dict[str, Any]:
    text = text_of(name)
    return {
        "id": f"{text}#{column}",
        "key": column_key(name.id, column),
        "kind": "column" if column else "rows",
        "dataset": text,
        "column": column or None,
        "namespace": name.namespace,
        "name": name.name,
        "depth": depth,
    }


def _side(
    reader: Reader,
    flow: Flow,
    found: Walk[Column],
    beyond: Beyond,
    first: list[Column],
    names: dict[bytes, Name],
    options: Options,
    *,
    down: bool,
) -> Side:
    masking = masked_of(found, first, beyond)
    masked = masking.masked
    unknown = 0
    nodes: dict[str, dict[str, Any]] = {}
    shown: dict[Column, str] = {}
    for column, depth in found.depths.items():
        name = names.get(column[0])
        if name is None:
            continue
        if options.masked is not None and depth and masked[column] is not options.masked:
            unknown += column in masking.unknown
            continue
        node = column_node(name, column[1], depth)
        node["masked"] = masked[column]
        if column in masking.unknown:
            node["masking_unknown"] = True
        shown[column] = node["id"]
        nodes[node["id"]] = node
    edges: dict[tuple[str, str], dict[str, Any]] = {}
    met = [(near, far, beyond[near][far]) for near, far in found.edges if near in shown and far in shown]
    listed = met if down else [(far, near, stated) for near, far, stated in met]
    times = column_times(reader, flow, [(source[0], target[0], stated.shapes) for source, target, stated in listed])
    for (source, target, stated), seen in zip(listed, times, strict=True):
        ends = shown[source], shown[target]
        edges[ends] = {"from": ends[0], "to": ends[1], "kind": "COLUMN", **stated.transformation.shown, **seen}
    left_out = {shown[column]: count for column, count in found.left_out.items() if column in shown}
    keys = {text: dataset for (dataset, _), text in shown.items()}
    complete = not found.unasked and not found.left_out
    hidden = len(found.depths) - len(nodes)
    return Side(nodes, edges, left_out, complete, hidden=hidden, masking_unknown=unknown, keys=keys)
