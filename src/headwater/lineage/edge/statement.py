"""The statement by which a job makes an edge, with the parts of it that produce the columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from headwater.graph.current.shape_body import ShapeBody
from headwater.infer.dialect import dialect_of
from headwater.lineage.edge.answer import EdgeSql, Span
from headwater.lineage.flows.completion import statements_of
from headwater.lineage.flows.neighbours import Flow
from headwater.sql.result.spans import spans_of_columns

__all__ = ["edge_statements"]

_TEXTS = "SELECT [sql], text, dialect FROM sql_text WHERE tenant = ? AND [sql] {ids}"
_EVIDENCE = "SELECT shape, [last] FROM evidence WHERE tenant = ? AND shape {ids}"
_LONGEST = 100_000
"""Characters of a statement that are shown."""


def edge_statements(
    flow: Flow,
    shapes: Mapping[bytes, Collection[bytes]],
    columns: Mapping[bytes, Collection[str]],
) -> dict[bytes, EdgeSql]:
    """By job, the newest statement with which it wrote the target, and where in it these columns are produced."""
    listed = {shape for of_job in shapes.values() for shape in of_job}
    bodies = flow.applying.bodies(listed)
    statements = statements_of(flow.tenant, flow.lookup, bodies)
    last = dict(flow.lookup.rows(_EVIDENCE, flow.tenant, statements))
    texts = {row[0]: row for row in flow.lookup.rows(_TEXTS, flow.tenant, set(statements.values()))}
    names = flow.names({node for shape in statements for node in _ends(bodies[shape])})
    found: dict[bytes, EdgeSql] = {}
    for job, of_job in shapes.items():
        with_text = [shape for shape in of_job if statements.get(shape) in texts]
        if with_text:
            newest = max(with_text, key=lambda shape: (last.get(shape) or b"", shape))
            sql, text, dialect = texts[statements[newest]]
            places = {names[node].namespace for node in _ends(bodies[newest]) if node in names}
            known = dialect_of(dialect, bodies[newest].job_type, places)
            spans = spans_of_columns(text or "", known, columns.get(job, ()))
            found[job] = EdgeSql(
                id=f"sql:{sql.hex()}",
                text=(text or "")[:_LONGEST],
                is_cut=len(text or "") > _LONGEST,
                dialect=dialect,
                spans=[Span(*span) for span in spans if span.end <= _LONGEST],
            )
    return found


def _ends(body: ShapeBody) -> set[bytes]:
    return {part.dataset for part in (*body.inputs, *body.outputs)}
