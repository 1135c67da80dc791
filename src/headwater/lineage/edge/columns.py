"""Column edges of a flow, each with its expression and origin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from headwater.graph.current.shape_body import ShapeBody
from headwater.graph.rollup.totals import INFERRED
from headwater.lineage.edge.answer import EdgeColumn, Origin
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.transformation import in_order
from headwater.lineage.picture.answer import NodeRef
from headwater.lineage.picture.flows import ColumnWay
from headwater.openlineage.event import EventKind

__all__ = ["edge_columns"]

_MOST = 1_000


def edge_columns(
    flow: Flow,
    transformations_of: Collection[ColumnWay],
    bodies: Mapping[bytes, ShapeBody],
    current: Collection[bytes],
    refs: Mapping[bytes, NodeRef],
    *,
    from_column: str | None,
    to_column: str | None,
) -> tuple[list[EdgeColumn], int]:
    """The column edges, and how many there are. `current`: the shapes that count as of now."""
    found: dict[tuple[str, str, bytes | None, Origin], list[ColumnWay]] = defaultdict(list)
    flow.aliases.learn({body.job for body in bodies.values() if body.job is not None})
    for way in transformations_of:
        if from_column not in (None, way.source_column):
            continue
        if to_column is not None and way.target_column not in (to_column, ""):
            continue
        body = bodies.get(way.shape)
        job = flow.aliases.canonical(body.job) if body is not None and body.job is not None else None
        found[way.source_column, way.target_column, job, _origin(way, body)].append(way)
    columns = []
    for (source, target, job, origin), listed in found.items():
        for how in in_order([way.how for way in listed]):
            columns.append(  # noqa: PERF401 - two loops
                EdgeColumn(
                    from_column=source,
                    to_column=target,
                    type="INDIRECT" if how.type == "INDIRECT" else "DIRECT",
                    subtype=how.subtype,
                    stated=how.stated or None,
                    masked=how.masking,
                    expression=how.expression or None,
                    origin=origin,
                    via=refs[job].key if job is not None and job in refs else None,
                    current=any(way.shape in current for way in listed),
                )
            )
    columns.sort(key=lambda column: (column.to_column == "", column.to_column, column.type, column.from_column))
    return columns[:_MOST], len(columns)


def _origin(way: ColumnWay, body: ShapeBody | None) -> Origin:
    if way.by_sql or (body is not None and body.origin == INFERRED):
        return "sql"
    return "job_event" if body is not None and body.kind == EventKind.JOB.value else "facet"
