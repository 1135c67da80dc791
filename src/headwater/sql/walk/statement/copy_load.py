"""COPY, LOAD, UNLOAD, EXPORT and IMPORT: between tables and files."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Flow, Origin, OriginStep, Rows, read
from headwater.sql.walk.expression.transformation import FILTER, IDENTITY
from headwater.sql.walk.scope.context import StatementContext
from headwater.sql.walk.statement.insert import named_columns
from headwater.sql.walk.statement.target_edges import add_edges, add_row_edges, add_target, target_of, write_outputs

__all__ = ["copy_between", "walk_copy", "walk_export", "walk_load"]


def walk_copy(context: StatementContext, node: exp.Copy) -> None:
    """COPY t FROM file, COPY t TO file, COPY INTO t FROM (query)."""
    this = node.this
    files = [item for item in node.args.get("files") or () if isinstance(item, exp.Expr)]
    loads = bool(node.args.get("kind"))
    if isinstance(this, exp.Subquery | exp.Query):
        _write_files(context, this, [_place(item) for item in files])
        return
    text = _place(this)
    if _is_place(this, text):
        for item in files:
            _write_files(context, item, [text])
        return
    if not loads:
        _write_files(context, this, [_place(item) for item in files])
        return
    _, info, target = target_of(context, this)
    add_target(context, target)
    for item in files:
        if _place(item).upper() in ("STDIN", "STDOUT", "PSTDIN"):
            continue
        if isinstance(item, exp.Subquery | exp.Query):
            result = context.query(item, {}, None)
            columns = named_columns(context, this)
            if not columns and info is not None and info.columns:
                columns = [column.name for column in info.columns]
            pairs = [
                (columns[position] if position < len(columns) else output.name, output)
                for position, output in enumerate(result.outputs)
            ]
            write_outputs(context, target, pairs, result.rows)
        else:
            copy_between(
                context,
                _place(item),
                target,
                [column.name for column in (info.columns if info and info.columns else ())],
            )


def _write_files(context: StatementContext, source: exp.Expr, places: list[str]) -> None:
    query = source
    if isinstance(source, exp.Table):
        query = exp.select("*").from_(source.copy())
    elif isinstance(source, exp.Schema) and isinstance(source.this, exp.Table):
        query = exp.select(*(exp.column(item.name) for item in source.expressions)).from_(source.this.copy())
    if not isinstance(query, exp.Query | exp.Subquery):
        return
    result = context.query(query, {}, None)
    for position in places:
        add_target(context, position)
        write_outputs(context, position, ((output.name, output) for output in result.outputs), result.rows)


def _is_place(node: exp.Expr, text: str) -> bool:
    return isinstance(node, exp.Literal) or text.startswith("@") or "://" in text


def _place(node: exp.Expr) -> str:
    if isinstance(node, exp.Literal):
        return str(node.name)
    if isinstance(node, exp.Table):
        inner = node.this
        if isinstance(inner, exp.Literal | exp.Identifier) and not node.args.get("db"):
            return str(inner.name)
        return ".".join(part.name or part.sql() for part in node.parts)
    return node.name or node.sql()


def walk_export(context: StatementContext, node: exp.Export) -> None:
    """BigQuery's EXPORT DATA OPTIONS (uri = '..') AS query."""
    options = node.args.get("options")
    places = [
        item.args["value"].name
        for item in (options.expressions if isinstance(options, exp.Expr) else ())
        if isinstance(item, exp.Property)
        and item.name.casefold() == "uri"
        and isinstance(item.args.get("value"), exp.Expr)
    ]
    if isinstance(node.this, exp.Expr):
        _write_files(context, node.this, places)


def walk_load(context: StatementContext, node: exp.LoadData) -> None:
    """LOAD DATA INPATH 'file' INTO TABLE t."""
    _, info, target = target_of(context, node.this)
    inpath = node.args.get("inpath")
    files = node.args.get("files")
    if not isinstance(inpath, exp.Expr) and isinstance(files, exp.Expr):
        inpath = next((literal for literal in files.find_all(exp.Literal) if "://" in literal.name), None)
    columns = [column.name for column in info.columns] if info is not None and info.columns else []
    copy_between(context, inpath.name if isinstance(inpath, exp.Expr) else "", target, columns)


def copy_between(
    context: StatementContext, source: str, target: str, columns: list[str], filtered_by: tuple[str, ...] = ()
) -> None:
    """Every column as it is; a star where the columns are not known."""
    add_target(context, target)
    if source:
        context.sources[source] = None
        if not columns:
            flow: Flow = {OriginStep(Origin(source, "*"), IDENTITY): None}
            add_edges(context, target, "*", flow)
        for column in columns:
            add_edges(context, target, column, read(source, column))
        rows: Rows = {OriginStep(Origin(source, column), FILTER): None for column in filtered_by}
        add_row_edges(context, target, rows)
