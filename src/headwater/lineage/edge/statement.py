"""The statement by which a job makes an edge, with the parts of it that produce the columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from headwater.lineage.completion import statements_of
from headwater.lineage.edge.answer import EdgeSql
from headwater.lineage.flow import Flow

__all__ = ["edge_statements"]

_TEXTS = "SELECT [sql], text, dialect FROM sql_text WHERE tenant = ? AND [sql] {ids}"
_EVIDENCE = "SELECT shape, [last] FROM evidence WHERE tenant = ? AND shape {ids}"
_LONGEST = 100_000
"""Characters of a statement that are shown."""


def edge_statements(
    flow: Flow,
    shapes: Mapping[bytes, Collection[bytes]],
) -> dict[bytes, EdgeSql]:
    """By job, the newest statement with which it wrote the target."""
    listed = {shape for of_job in shapes.values() for shape in of_job}
    bodies = flow.held.bodies(listed)
    statements = statements_of(flow.tenant, flow.lookup, bodies)
    last = dict(flow.lookup.rows(_EVIDENCE, flow.tenant, statements))
    texts = {row[0]: row for row in flow.lookup.rows(_TEXTS, flow.tenant, set(statements.values()))}
    found: dict[bytes, EdgeSql] = {}
    for job, of_job in shapes.items():
        said = [shape for shape in of_job if statements.get(shape) in texts]
        if said:
            sql, text, dialect = texts[statements[max(said, key=lambda shape: (last.get(shape) or b"", shape))]]
            found[job] = EdgeSql(
                id=f"sql:{sql.hex()}",
                text=(text or "")[:_LONGEST],
                is_cut=len(text or "") > _LONGEST,
                dialect=dialect,
                spans=[],
            )
    return found
