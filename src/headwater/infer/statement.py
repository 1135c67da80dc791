"""One statement to the column edges between the datasets of its event."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from headwater.graph.assets.column_kinds import How, how_of
from headwater.infer.tables import KnownTable, find_table
from headwater.interpret.facets.columns import ColumnEdge
from headwater.openlineage.naming import clean
from headwater.sql import ColumnEdge as Edge
from headwater.sql import Limits, SqlError, analyze

__all__ = ["Inferred", "StatementQuestion", "Untold", "complete_edges", "infer_columns"]

Untold = tuple[bytes, str, bytes, str]
"""An edge that is known to be there, but not how: source and its column, target and its column."""
_QUICK = Limits(script_characters=200_000, statement_tokens=20_000, statement_nodes=100_000, seconds=1.0)
"""For statements that are read while somebody waits."""
_DESCRIPTION = 500
"""Characters of an expression that are kept with an edge."""


class StatementQuestion(Struct, frozen=True):
    """A statement, and the datasets that its event named."""

    text: str
    dialect: str
    inputs: tuple[KnownTable, ...]
    outputs: tuple[KnownTable, ...]


class Inferred(Struct):
    """Edges by source and target dataset, and how many were left out for which reason."""

    edges: dict[tuple[bytes, bytes], set[ColumnEdge]]
    left_out: Counter[str]


def infer_columns(question: StatementQuestion) -> Inferred:
    """Column edges of a statement. Uncertain tables and columns are left out, and counted."""
    left_out: Counter[str] = Counter()
    edges: dict[tuple[bytes, bytes], set[ColumnEdge]] = defaultdict(set)
    try:
        analysis = analyze(question.text, dialect=question.dialect, schema=_schema(question))
    except SqlError:
        return Inferred({}, Counter({"unreadable": 1}))
    if analysis.failed:
        left_out["unreadable"] += 1
    found = analysis.lineage().columns
    for edge in found:
        target, why = _target(edge, question, found)
        if target is None:
            left_out[why] += 1
            continue
        source, why = _source(edge, question)
        if source is None:
            left_out[why] += 1
            continue
        edges[source.dataset, target.dataset].add(_edge(edge))
    return Inferred(dict(edges), left_out)


def complete_edges(question: StatementQuestion, untold: Collection[Untold]) -> dict[Untold, set[How]]:
    """Transformations of known edges in the statement; edges it does not show are left out.

    A known edge also decides the table of a column that is ambiguous in the statement alone.
    """
    try:
        analysis = analyze(question.text, dialect=question.dialect, schema=_schema(question), limits=_QUICK)
    except SqlError:
        return {}
    found = analysis.lineage().columns
    by_columns: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in found:
        if edge.target_column:
            by_columns[edge.source_column.casefold(), edge.target_column.casefold()].append(edge)
    completed: dict[Untold, set[How]] = {}
    for stated in untold:
        source, near, target, far = stated
        candidates = by_columns.get((near.casefold(), far.casefold()), [])
        if near.casefold() == far.casefold():
            candidates = candidates or by_columns.get(("*", "*"), [])
        fitting = [edge for edge in candidates if _is(_target(edge, question, found)[0], target)]
        certain = [edge for edge in fitting if _is(_source(edge, question)[0], source)]
        hows = {_how(edge) for edge in certain or [edge for edge in fitting if edge.source_table is None]}
        if hows:
            completed[stated] = hows
    return completed


def _is(table: KnownTable | None, dataset: bytes) -> bool:
    return table is not None and table.dataset == dataset


def _how(edge: Edge) -> How:
    _, _, kind, subtype, masking, description = _edge(edge)
    return how_of(kind, subtype, masking, description, whole_row=False)


def _schema(question: StatementQuestion) -> Mapping[str, dict[str, str]]:
    """Columns of all tables of the event, by the first of their names."""
    tables = [table for table in (*question.inputs, *question.outputs) if table.columns and table.aliases]
    return {".".join(map(_quoted, table.aliases[0])): dict(table.columns) for table in tables}


def _quoted(part: str) -> str:
    return f'"{part}"' if set(part) & set('.`["') and '"' not in part else part


def _target(edge: Edge, question: StatementQuestion, found: Iterable[Edge]) -> tuple[KnownTable | None, str]:
    if edge.target_table is not None:
        table, several = find_table(edge.target_table, question.outputs)
        return table, "ambiguous-target" if several else "unknown-target"
    # A bare query, as dbt sends it: what it gives is in the event's one output, if it has such columns.
    if len(question.outputs) != 1:
        return None, "no-target"
    table = question.outputs[0]
    known = {name.casefold() for name, _ in table.columns}
    given = {item.target_column.casefold() for item in found if item.target_table is None and item.target_column}
    return (table, "") if not known or given <= known else (None, "other-columns")


def _source(edge: Edge, question: StatementQuestion) -> tuple[KnownTable | None, str]:
    if edge.source_table is None:
        return None, "ambiguous-column"
    table, several = find_table(edge.source_table, question.inputs)
    if table is None and not several:  # an UPDATE or MERGE reads what it writes, which is no input to every engine
        table, several = find_table(edge.source_table, question.outputs)
    return table, "ambiguous-source" if several else "unknown-source"


def _edge(edge: Edge) -> ColumnEdge:
    computed = edge.type == "DIRECT" and edge.subtype != "IDENTITY"
    description = clean(edge.expression)[:_DESCRIPTION] if computed else ""
    source, target = clean(edge.source_column), clean(edge.target_column or "")
    return source, target, edge.type, edge.subtype, edge.masking, description
