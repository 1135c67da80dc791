"""Edges of a statement, from the columns of its target and their sources."""

from collections.abc import Iterable

from sqlglot import exp

from headwater.sql.result.records import ColumnEdge
from headwater.sql.walk.expression.column_flow import Flow, Rows
from headwater.sql.walk.scope.catalog import TableInfo
from headwater.sql.walk.scope.catalog_relation import table_name
from headwater.sql.walk.scope.context import StatementContext
from headwater.sql.walk.scope.relation import Output
from headwater.sql.walk.scope.table_names import TableName

__all__ = ["add_edges", "add_row_edges", "add_target", "target_of", "write_outputs"]


def target_of(context: StatementContext, table: exp.Expr) -> tuple[TableName, TableInfo | None, str]:
    """Name of a written table, its catalog entry, and its text."""
    inner = table
    if isinstance(table, exp.Schema) and table.this.name.upper() == "IDENTIFIER":
        context.report("unknown-table", "the target is named by a variable", table.this)
        return TableName(()), None, ""
    while not isinstance(inner, exp.Table | exp.Func) and isinstance(inner.args.get("this"), exp.Expr):
        inner = inner.this
    if isinstance(inner, exp.Func):
        path = next((item.name for item in inner.find_all(exp.Literal) if item.is_string), inner.name)
        return TableName((path,)), None, path
    if not isinstance(inner, exp.Table):
        name = TableName((inner.name,))
        return name, None, str(name)
    if isinstance(inner.this, exp.DynamicIdentifier | exp.Anonymous):
        context.report("unknown-table", "the target is named by a variable", inner.this)
        return TableName(()), None, ""
    name = table_name(context, inner)
    info = context.catalog.find(name)
    text = str(name)
    if info is not None and (info.name.casefold() == text.casefold() or info.name.count(".") > text.count(".")):
        text = info.name
    return name, info, text


def add_target(context: StatementContext, text: str) -> None:
    if text:
        context.targets[text] = None


def add_edges(context: StatementContext, target: str | None, column: str, flow: Flow) -> None:
    """One edge for each origin of a column."""
    dialect = context.profile.dialect
    edges = context.edges
    for (origin, effect), node in flow.items():
        edge = ColumnEdge(
            origin.table, origin.column, target, column, effect.type, effect.subtype, effect.masking, node, dialect
        )
        edges.setdefault(edge, None)


def add_row_edges(context: StatementContext, target: str | None, rows: Rows) -> None:
    """Columns that affect rows are noted once for the table, not for each column."""
    for origin, effect in {**rows, **context.rows}:
        edge = ColumnEdge(origin.table, origin.column, target, None, effect.type, effect.subtype, effect.masking)
        context.edges.setdefault(edge, None)


def write_outputs(
    context: StatementContext, target: str | None, outputs: Iterable[tuple[str, Output]], rows: Rows
) -> None:
    for name, output in outputs:
        add_edges(context, target, name, output.flow)
    add_row_edges(context, target, rows)
