"""Functions in FROM: generators, user-defined table functions, Flink's windowing functions, files."""

from typing import NamedTuple

from sqlglot import exp

from headwater.sql.dialects.differences import Feature
from headwater.sql.dialects.flink import Descriptor, TableArgument
from headwater.sql.walk.expression.column_flow import Flow, Rows, followed_by, merge_into, read
from headwater.sql.walk.expression.expression import flow_of, is_query
from headwater.sql.walk.expression.transformation import TRANSFORMATION
from headwater.sql.walk.query.lateral import alias_of, argument_flow
from headwater.sql.walk.query.star import add_all, outputs_of
from headwater.sql.walk.scope.catalog_relation import relation_of_info, stored_relation
from headwater.sql.walk.scope.context import Alias, Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation, open_function, open_table
from headwater.sql.walk.scope.table_names import TableName

__all__ = ["OWN_NAMES", "add_function", "add_table_function", "is_table_function"]

_WINDOWING = frozenset({"tumble", "hop", "cumulate", "session"})
_WINDOW_COLUMNS = ("window_start", "window_end", "window_time")
_PREDICTING = frozenset({"ml_predict", "ml_evaluate", "ml_forecast", "vector_search", "ml_generate_text", "lookup"})
_READERS = frozenset(
    {
        *("read_csv", "read_csv_auto", "read_parquet", "parquet_scan", "read_json", "read_json_auto", "delta_scan"),
        *(
            "openrowset",
            "iceberg_scan",
            "s3",
            "gcs",
            "hdfs",
            "url",
            "file",
            "read_files",
            "read_ndjson",
            "s3cluster",
            "delta",
        ),
    }
)
_REMOTE = frozenset({"remote", "remotesecure", "cluster", "clusterallreplicas"})
OWN_NAMES: dict[str, tuple[str, ...]] = {
    "explode": ("col",),
    "explode_outer": ("col",),
    "posexplode": ("pos", "col"),
    "posexplode_outer": ("pos", "col"),
    "json_each": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
    "jsonb_each": ("key", "value"),
    "jsonb_array_elements": ("value",),
    "json_array_elements": ("value",),
    "jsonb_array_elements_text": ("value",),
    "string_split": ("value", "ordinal"),
    "split_to_table": ("seq", "index", "value"),
    "strtok_split_to_table": ("seq", "index", "value"),
    "flatten": ("seq", "key", "path", "index", "value", "this"),
    "generate_series": ("generate_series",),
    "openjson": ("key", "value", "type"),
}
"""Functions that name their columns themselves."""


class _Arguments(NamedTuple):
    """Tables given as arguments, the columns that DESCRIPTOR names, and the rest."""

    inputs: list[tuple[Relation, exp.Expr]]
    described: list[exp.Expr]
    scalars: list[exp.Expr]


def is_table_function(table: exp.Table) -> bool:
    return isinstance(table.this, exp.Func | exp.TableFromRows) or bool(table.args.get("rows_from"))


def add_table_function(context: StatementContext, node: exp.Expr, scope: Scope, rows: Rows) -> None:
    """`FROM f(..)`, `FROM TABLE(f(..))`, `ROWS FROM (..)`."""
    alias = alias_of(context, node)
    for inner in node.args.get("rows_from") or ():
        add_table_function(context, inner, scope, rows)
    if isinstance(node.args.get("this"), exp.Expr):
        add_function(context, node, alias, scope, rows)


def add_function(context: StatementContext, node: exp.Expr, alias: Alias, scope: Scope, rows: Rows) -> None:
    """Append the relation that one call gives."""
    call = node
    while isinstance(call, exp.TableFromRows | exp.Lateral | exp.Table | exp.Paren) and isinstance(call.this, exp.Expr):
        call = call.this
    if isinstance(call, exp.Anonymous) and call.name.upper() == "TABLE" and len(call.expressions) == 1:
        inner = call.expressions[0]
        call = inner if isinstance(inner, exp.Func) else call
    while isinstance(call, exp.Dot) and isinstance(call.expression, exp.Expr):
        call = call.expression
    relation = _relation_of_call(context, call, scope, rows)
    ordinality = bool(node.args.get("ordinality"))
    scope.relations.append(_shaped(context, call, relation, alias, ordinality=ordinality))


def _name_of(call: exp.Expr) -> str:
    if isinstance(call, exp.Anonymous | exp.AnonymousAggFunc):
        return call.name.casefold()
    if isinstance(call, exp.Explode) and isinstance(call.this, exp.Kwarg):
        return "flatten"
    return call.sql_name().casefold() if isinstance(call, exp.Func) else ""


def _shaped(
    context: StatementContext, call: exp.Expr, relation: Relation, named: Alias, *, ordinality: bool
) -> Relation:
    """Give the columns the names that the query, the catalog or the function itself has for them."""
    alias, columns = named
    if relation.outputs or relation.base is not None:
        return relation.renamed_to(alias, columns)
    flow = relation.any_flow or {}
    known = context.catalog.function(_name_of(call))
    names: tuple[str, ...] = tuple(columns)
    if not names and known is not None and known.columns is not None:
        names = known.columns
    if not names:
        names = OWN_NAMES.get(_name_of(call), ())
        if not names:
            single = (Output(alias, flow),) if alias else ()
            return Relation(single, alias=alias, any_flow=flow)
    outputs = [Output(name, flow, nested=True) for name in names]
    if ordinality:
        outputs[-1] = Output(names[-1], flow)
    if _name_of(call).startswith("posexplode"):
        outputs[0] = Output(names[0], flow)
    if len(outputs) == 1 and alias and not columns:
        outputs.append(outputs[0]._replace(name=alias, hidden=True))
    return Relation(tuple(outputs), alias=alias)


def _relation_of_call(context: StatementContext, call: exp.Expr, scope: Scope, rows: Rows) -> Relation:
    name = _name_of(call)
    arguments = _split_arguments(context, call, scope, rows)
    if arguments.inputs:
        return _over_tables(context, call, name, arguments)
    if name in ("identifier", "dynamic_identifier"):
        context.report("unknown-table", "the table is named by a variable", call)
        return Relation()
    if name == "stream" and len(call.expressions) == 1 and isinstance(call.expressions[0], exp.Column):
        return stored_relation(context, _table_of(call.expressions[0]), rows)  # Databricks' STREAM(t)
    if name in _REMOTE:
        remote = _remote_table(context, call)
        if remote is not None:
            return remote
    paths = _path_arguments(call) if name in _READERS else []
    for path in paths:
        context.sources[path] = None
    if len(paths) == 1:
        return open_table(paths[0], "", ())
    if paths:
        return open_function({step: None for path in paths for step in read(path, "*")}, "")
    flow, _ = argument_flow(context, call, scope)
    return open_function(flow, "")


def _split_arguments(context: StatementContext, call: exp.Expr, scope: Scope, rows: Rows) -> _Arguments:
    inputs: list[tuple[Relation, exp.Expr]] = []
    described: list[exp.Expr] = []
    scalars: list[exp.Expr] = []
    arguments = call.expressions if isinstance(call, exp.Anonymous) else []
    for argument in arguments:
        value = argument.expression if isinstance(argument, exp.Kwarg | exp.PropertyEQ) else argument
        value = _as_table_argument(value)
        if is_query(value) and Feature.TABLE_ARGUMENTS in context.profile.features:
            value = TableArgument(this=value)
        if isinstance(value, TableArgument):
            inputs.append((_input_relation(context, value, scope, rows), value))
        elif isinstance(value, Descriptor):
            described.extend(value.expressions)
        elif isinstance(value, exp.Expr):
            scalars.append(value)
    return _Arguments(inputs, described, scalars)


def _as_table_argument(value: object) -> object:
    """`TABLE(t)` and `DESCRIPTOR(c)` as dialects other than Flink's parse them."""
    if isinstance(value, exp.Anonymous) and len(value.expressions) >= 1:
        name = value.name.upper()
        first = value.expressions[0]
        if name == "TABLE" and isinstance(first, exp.Column):
            return TableArgument(this=_table_of(first))
        if name == "TABLE" and is_query(first):
            return TableArgument(this=first)
        if name == "DESCRIPTOR":
            return Descriptor(expressions=value.expressions)
    return value


def _table_of(column: exp.Column) -> exp.Table:
    """A table that the parser took for a column."""
    return exp.Table(**dict(zip(("this", "db", "catalog"), column.parts[::-1], strict=False)))


def _input_relation(context: StatementContext, argument: TableArgument, scope: Scope, rows: Rows) -> Relation:
    query = argument.this
    if isinstance(query, exp.Table):
        query = exp.select("*").from_(query)
    result = context.query(query, scope.environment, scope)
    rows.update(result.rows)
    return Relation(result.outputs)


def _over_tables(context: StatementContext, call: exp.Expr, name: str, arguments: _Arguments) -> Relation:
    inputs = arguments.inputs
    inside = Scope({})
    inside.relations = [relation for relation, _ in inputs]
    taken = tuple(output for relation, _ in inputs for output in outputs_of(relation))
    described: Flow = {}
    for column in arguments.described:
        merge_into(described, flow_of(context, column, inside))
    made = followed_by(described, TRANSFORMATION, call)
    if name in _WINDOWING:
        added = tuple(Output(column, made) for column in _WINDOW_COLUMNS)
        return Relation((*taken, *added))
    if name == "exclude_columns":
        dropped = {column.name.casefold() for column in arguments.described}
        return Relation(tuple(output for output in taken if output.name.casefold() not in dropped))
    known = context.catalog.function(name)
    if name in _PREDICTING:
        if known is not None and known.columns is not None:
            return Relation((*taken, *(Output(column, made) for column in known.columns)))
        return Relation(taken, any_flow=made)
    flow = followed_by(add_all(taken), TRANSFORMATION, call)
    for scalar in arguments.scalars:
        merge_into(flow, flow_of(context, scalar, inside))
    keys: list[Output] = []
    for _, argument in inputs:
        keys.extend(
            Output(key.name, flow_of(context, key, inside), nested=True)
            for key in argument.args.get("partition_by") or ()
        )
    if known is not None and known.columns is not None:
        return Relation((*keys, *(Output(column, flow) for column in known.columns)))
    return Relation(tuple(keys), any_flow=flow)


def _remote_table(context: StatementContext, call: exp.Expr) -> Relation | None:
    """ClickHouse's remote('host', db.t) and cluster('c', db, t)."""
    parts: list[str] = []
    for argument in call.expressions[1:]:
        if isinstance(argument, exp.Column):
            parts.extend(part.name for part in argument.parts)
    if not parts:
        return None
    name = context.catalog.qualify(TableName(tuple(parts)))
    return relation_of_info(context, name, context.catalog.find(name), {})


def _path_arguments(call: exp.Expr) -> list[str]:
    """The file, or the files in a list, that a reader is given first."""
    for value in call.args.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, exp.Literal) and item.is_string:
                return [str(item.name)]
            if isinstance(item, exp.Array):
                return [str(part.name) for part in item.expressions if isinstance(part, exp.Literal)]
    return []
