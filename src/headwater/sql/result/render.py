"""An analysis as JSON, and lineage as a graph in text."""

from typing import Any

from headwater.escaping import mermaid_text, printable
from headwater.sql.analysis import Analysis
from headwater.sql.result.records import ColumnEdge, ScriptLineage

__all__ = ["as_dot", "as_json", "as_mermaid"]


def as_json(analysis: Analysis) -> dict[str, Any]:
    """Everything that an analysis holds, ready for `json.dumps`."""
    return {
        "dialect": analysis.dialect,
        "statements": [
            {
                "kind": statement.kind,
                "line": statement.line,
                "sources": list(statement.sources),
                "targets": list(statement.targets),
                "temporary": statement.temporary,
                "columns": [edge.as_dict() for edge in statement.columns],
            }
            for statement in analysis.statements
        ],
        "diagnostics": [
            {
                "severity": diagnostic.severity,
                "code": diagnostic.code,
                "message": diagnostic.message,
                "line": diagnostic.line,
                "column": diagnostic.column,
                "candidates": list(diagnostic.candidates),
            }
            for diagnostic in analysis.diagnostics
        ],
    }


def _tables(lineage: ScriptLineage) -> dict[str, dict[str, str]]:
    """Every table with its columns, and an identifier for each column that any graph language takes."""
    tables: dict[str, dict[str, str]] = {}

    def add(table: str | None, column: str | None) -> None:
        columns = tables.setdefault(table or "query", {})
        if column is not None:
            columns.setdefault(column, f"c{sum(len(known) for known in tables.values())}")

    for name in (*lineage.sources, *lineage.targets):
        add(name, None)
    for edge in lineage.columns:
        if edge.target_column is not None:
            add(edge.source_table or "unresolved", edge.source_column)
            add(edge.target_table, edge.target_column)
    return tables


def _ends(edge: ColumnEdge, tables: dict[str, dict[str, str]]) -> tuple[str, str]:
    source = tables[edge.source_table or "unresolved"][edge.source_column]
    return source, tables[edge.target_table or "query"][edge.target_column or ""]


def _edges(lineage: ScriptLineage) -> list[ColumnEdge]:
    return [edge for edge in lineage.columns if edge.target_column is not None]


def as_mermaid(lineage: ScriptLineage) -> str:
    """A flowchart with a box per table."""
    tables = _tables(lineage)
    lines = ["flowchart LR"]
    for index, (table, columns) in enumerate(tables.items()):
        if not columns:
            lines.append(f'  t{index}["{_quoted(table)}"]')
            continue
        lines.append(f'  subgraph t{index}["{_quoted(table)}"]')
        lines.extend(f'    {identifier}["{_quoted(column)}"]' for column, identifier in columns.items())
        lines.append("  end")
    for edge in _edges(lineage):
        source, target = _ends(edge, tables)
        arrow = "-->" if edge.type == "DIRECT" and edge.certain else "-.->"
        lines.append(f"  {source} {arrow}|{_how(edge)}| {target}")
    return "\n".join(lines)


def _how(edge: ColumnEdge) -> str:
    return edge.subtype.lower() if edge.certain else f"{edge.subtype.lower()}, not certain"


def _quoted(text: str) -> str:
    return mermaid_text(text)


def as_dot(lineage: ScriptLineage) -> str:
    """Graphviz: a record per table, an arrow per edge."""
    tables = _tables(lineage)
    places = {table: f"t{index}" for index, table in enumerate(tables)}
    lines = ["digraph lineage {", "  rankdir=LR;", "  node [shape=record];"]
    for table, columns in tables.items():
        cells = "".join(f"|<{identifier}> {_escaped(column)}" for column, identifier in columns.items())
        lines.append(f'  {places[table]} [label="{_escaped(table)}{cells}"];')
    for edge in _edges(lineage):
        source, target = _ends(edge, tables)
        style = "" if edge.type == "DIRECT" and edge.certain else " style=dashed"
        left, right = places[edge.source_table or "unresolved"], places[edge.target_table or "query"]
        lines.append(f'  {left}:{source} -> {right}:{target} [label="{_how(edge)}"{style}];')
    lines.append("}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    text = printable(text).replace("&", "&amp;")
    for character in '\\"{}|<>':
        text = text.replace(character, "\\" + character)
    return text
