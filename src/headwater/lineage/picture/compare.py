"""Two pictures as one, in which everything is marked as added, removed or changed. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from headwater.lineage.picture.answer import (
    Change,
    ColumnEdge,
    Picture,
    PictureColumn,
    PictureFlow,
    PictureJob,
    PictureNode,
)

__all__ = ["compare_pictures"]

_ADDED: Change = "added"
_REMOVED: Change = "removed"
Ends = tuple[str, str, str, str]


def compare_pictures(before: Picture, after: Picture) -> Picture:
    """The later picture, with the removed parts of the earlier one. Both must have their columns."""
    before = _with_start(before, after.start)
    columns, changed = _columns(before.columns, after.columns)
    flows = _flows(before.flows, after.flows, changed)
    nodes = _nodes(before.nodes, after.nodes)
    known = {job.key for job in after.jobs}
    jobs: list[PictureJob] = [*after.jobs, *(job for job in before.jobs if job.key not in known)]
    return msgspec.structs.replace(
        after,
        nodes=sorted(nodes, key=lambda node: (node.step, node.title, node.key)),
        flows=sorted(flows, key=lambda flow: (flow.source, flow.target)),
        jobs=jobs,
        columns=columns,
        truncated=before.truncated or after.truncated,
    )


def _with_start(picture: Picture, start: str) -> Picture:
    """Of two runs, the start of both pictures is one node."""
    old = picture.start
    if old == start:
        return picture

    def key(one: str) -> str:
        return start if one == old else one

    nodes = [msgspec.structs.replace(node, key=key(node.key)) for node in picture.nodes]
    flows = [msgspec.structs.replace(flow, source=key(flow.source), target=key(flow.target)) for flow in picture.flows]
    return msgspec.structs.replace(picture, start=start, nodes=nodes, flows=flows)


def _nodes(before: Iterable[PictureNode], after: Iterable[PictureNode]) -> list[PictureNode]:
    old = {node.key: node for node in before}
    found = []
    for node in after:
        known = old.pop(node.key, None)
        if known is None:
            found.append(msgspec.structs.replace(node, change=_ADDED))
            continue
        # A dataset of which no schema was known then has not lost or won its columns.
        columns = _fields(known.columns, node.columns) if known.columns and node.columns else node.columns
        is_changed = any(column.change is not None for column in columns)
        found.append(msgspec.structs.replace(node, columns=columns, change="changed" if is_changed else None))
    return [*found, *(msgspec.structs.replace(node, change=_REMOVED) for node in old.values())]


def _fields(before: list[PictureColumn], after: list[PictureColumn]) -> list[PictureColumn]:
    """Columns that only edges name have no type; that one of them appears is no change of the schema."""
    old = {column.name: column for column in before}
    found = []
    for column in after:
        known = old.pop(column.name, None)
        change: Change | None = None
        if known is None:
            change = _ADDED if column.type is not None else None
        elif known.type != column.type and known.type is not None and column.type is not None:
            change = "changed"
        found.append(msgspec.structs.replace(column, change=change))
    gone = [column for column in old.values() if column.type is not None]
    return [*found, *(msgspec.structs.replace(column, change=_REMOVED) for column in gone)]


def _flows(
    before: Iterable[PictureFlow], after: Iterable[PictureFlow], columns: set[tuple[str, str]]
) -> list[PictureFlow]:
    old = {(flow.source, flow.target): flow for flow in before}
    found = []
    for flow in after:
        ends = flow.source, flow.target
        known = old.pop(ends, None)
        change: Change | None = None
        if known is None:
            change = _ADDED
        elif ends in columns or set(known.via) != set(flow.via):
            change = "changed"
        found.append(msgspec.structs.replace(flow, change=change))
    return [*found, *(msgspec.structs.replace(flow, change=_REMOVED) for flow in old.values())]


def _columns(
    before: Iterable[ColumnEdge], after: Iterable[ColumnEdge]
) -> tuple[list[ColumnEdge], set[tuple[str, str]]]:
    """Column edges, and the flows on which one of them changed."""
    old, new = _by_ends(before), _by_ends(after)
    found: list[ColumnEdge] = []
    changed: set[tuple[str, str]] = set()
    for ends, edges in new.items():
        known = old.pop(ends, None)
        change: Change | None = None
        if known is None:
            change = _ADDED
        elif {_how(edge) for edge in known} != {_how(edge) for edge in edges}:
            change = "changed"
        found += [msgspec.structs.replace(edge, change=change) for edge in edges]
        if change is not None:
            changed.add((ends[0], ends[2]))
    for ends, edges in old.items():
        found += [msgspec.structs.replace(edge, change=_REMOVED) for edge in edges]
        changed.add((ends[0], ends[2]))
    return found, changed


def _by_ends(edges: Iterable[ColumnEdge]) -> dict[Ends, list[ColumnEdge]]:
    found: dict[Ends, list[ColumnEdge]] = defaultdict(list)
    for edge in edges:
        found[edge.source, edge.source_column, edge.target, edge.target_column].append(edge)
    return found


def _how(edge: ColumnEdge) -> tuple[str, str, bool | None]:
    return edge.type, edge.subtype, edge.masked
