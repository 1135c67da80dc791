"""CREATE of tables, views and functions; later statements know them."""

from dataclasses import replace

from sqlglot import exp

from headwater.sql.dialects.differences import Feature
from headwater.sql.dialects.flink import MetadataColumn
from headwater.sql.dialects.flink_connectors import dataset_of_options
from headwater.sql.walk.expression.column_flow import Flow, Origin, OriginStep, followed_by, read
from headwater.sql.walk.expression.expression import flow_of
from headwater.sql.walk.expression.transformation import IDENTITY, TRANSFORMATION
from headwater.sql.walk.query.with_clause import environment_with
from headwater.sql.walk.scope.catalog import ColumnInfo, FunctionInfo, TableInfo
from headwater.sql.walk.scope.catalog_relation import table_name
from headwater.sql.walk.scope.context import QueryResult, Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.table_names import TableName, identifier_text
from headwater.sql.walk.statement.insert import named_columns
from headwater.sql.walk.statement.target_edges import add_edges, add_target, target_of, write_outputs

__all__ = ["walk_cache", "walk_create"]


def walk_create(context: StatementContext, node: exp.Create, *, see_through: bool) -> bool:
    """Walk a CREATE; gives whether its object is temporary. Set-up views are `see_through`."""
    kind = str(node.args.get("kind") or "").upper()
    if kind == "FUNCTION":
        _define_function(context, node)
        return False
    if kind not in ("TABLE", "VIEW", "MODEL"):
        return False
    name, _, text = target_of(context, node.this)
    properties = _properties(node)
    temporary = any(isinstance(item, exp.TemporaryProperty) for item in properties)
    temporary = temporary or (bool(name.parts) and name.parts[-1].startswith(("#", "@")))
    sink = next((item for item in properties if isinstance(item, exp.ToTableProperty)), None)
    if sink is not None:
        name, _, text = target_of(context, sink.this)
    query = node.args.get("expression")
    is_connected = _connect(context, node, properties, text)
    if query is not None or not is_connected:
        add_target(context, text)
    columns = declared_columns(context, node, text)
    if isinstance(query, exp.Query | exp.Subquery | exp.Values) or (
        isinstance(query, exp.Expr) and query.find(exp.Select)
    ):
        _define_from_query(
            context,
            node,
            query,
            name=name,
            text=text,
            columns=columns,
            temporary=temporary,
            see_through=see_through,
        )
        return temporary
    like = _like(node, properties, query)
    if like is not None:
        filled = any(isinstance(item, exp.WithDataProperty) and not item.args.get("no") for item in properties)
        columns = _copied(context, like, text, columns, with_data=filled or node.args.get("clone") is not None)
    is_view = kind == "VIEW"
    context.catalog.add(name, TableInfo(text, columns or None, temporary=temporary, is_view=is_view))
    return temporary


def _connect(context: StatementContext, node: exp.Create, properties: list[exp.Expr], text: str) -> bool:
    """Note the dataset behind a Flink table; gives whether a connector reads or writes the table.

    Declaring where a table is writes nothing.
    """
    if Feature.CONNECTORS not in context.profile.features:
        return False
    options = {
        item.name: item.args["value"].name
        for item in properties
        if type(item) is exp.Property and isinstance(item.args.get("value"), exp.Expr)
    }
    like = _like(node, properties, None)
    table = like.find(exp.Table) if like is not None else None
    if table is not None:
        inherited = context.catalog.options.get(str(table_name(context, table)), {})
        options = {**inherited, **options}
    if "connector" not in options:
        return False
    context.catalog.options[text] = options
    dataset = dataset_of_options(options)
    if dataset is not None:
        context.catalog.places[text] = dataset
    return True


def _properties(node: exp.Create) -> list[exp.Expr]:
    properties = node.args.get("properties")
    return list(properties.expressions) if properties is not None else []


def _like(node: exp.Create, properties: list[exp.Expr], query: object) -> exp.Expr | None:
    for item in properties:
        if isinstance(item, exp.LikeProperty):
            return item.this  # type: ignore[no-any-return]
    if isinstance(node.this, exp.Schema):
        for item in node.this.expressions:
            if isinstance(item, exp.LikeProperty):
                return item.this  # type: ignore[no-any-return]
    clone = node.args.get("clone")
    if clone is not None:
        return clone.this  # type: ignore[no-any-return]
    return query if isinstance(query, exp.Table) else None


def _copied(
    context: StatementContext, like: exp.Expr, text: str, columns: tuple[ColumnInfo, ...], *, with_data: bool
) -> tuple[ColumnInfo, ...]:
    """LIKE takes over the columns of another table, CLONE its rows as well."""
    table = like if isinstance(like, exp.Table) else like.find(exp.Table)
    if table is None:
        return columns
    name = table_name(context, table)
    info = context.catalog.find(name)
    source = info.name if info is not None else str(name)
    context.sources[source] = None
    known = info.columns if info is not None else None
    if with_data:
        if known is None:
            flow: Flow = {OriginStep(Origin(source, "*"), IDENTITY): None}
            add_edges(context, text, "*", flow)
        for column in known or ():
            add_edges(context, text, column.name, read(source, column.name))
    own = {column.name.casefold() for column in columns}
    excluded = _excluded(like)
    taken = [
        _moved(column, source, text)
        for column in known or ()
        if column.name.casefold() not in own and column.made not in excluded
    ]
    return (*taken, *columns)


def _excluded(like: exp.Expr) -> set[str]:
    """Flink's LIKE t (EXCLUDING GENERATED | METADATA | ALL): stored columns are always taken."""
    options = like.parent.args.get("expressions") if isinstance(like.parent, exp.LikeProperty) else None
    excluded: set[str] = set()
    for option in options or ():
        value = option.args.get("value")
        named = value.name.upper() if isinstance(value, exp.Expr) else ""
        groups = {"GENERATED": {"computed"}, "METADATA": {"metadata"}, "ALL": {"computed", "metadata"}}.get(
            named, set()
        )
        excluded = excluded | groups if str(option.this).upper() == "EXCLUDING" else excluded - groups
    return excluded


def _moved(column: ColumnInfo, source: str, target: str) -> ColumnInfo:
    """A computed column of one table as a computed column of another."""
    if column.output is None:
        return column
    flow: Flow = {
        OriginStep(Origin(target, origin.column) if origin.table == source else origin, effect): node
        for (origin, effect), node in column.output.flow.items()
    }
    return replace(column, output=column.output._replace(flow=flow))


def _define_from_query(
    context: StatementContext,
    node: exp.Create,
    query: exp.Expr,
    *,
    name: TableName,
    text: str,
    columns: tuple[ColumnInfo, ...],
    temporary: bool,
    see_through: bool,
) -> None:
    environment = environment_with(context, node.args["with_"], {}) if node.args.get("with_") else {}
    result = context.query(query, environment, None)
    listed = named_columns(context, node.this)
    if columns and Feature.APPENDED_COLUMNS in context.profile.features:
        listed = []
    pairs = [
        (listed[index] if index < len(listed) and output.rest is None else output.name, output)
        for index, output in enumerate(result.outputs)
    ]
    write_outputs(context, text, pairs, result.rows)
    is_view = str(node.args.get("kind") or "").upper() == "VIEW"
    open_ended = any(output.rest is not None for _, output in pairs)
    known = None if open_ended else tuple(ColumnInfo(column) for column, _ in pairs)
    info = TableInfo(text, known, temporary=temporary, is_view=is_view)
    if see_through and is_view:
        info = TableInfo(
            text,
            known,
            temporary=temporary,
            is_view=True,
            outputs=tuple(output._replace(name=column) for column, output in pairs),
            rows={**result.rows, **context.rows},
            sources=tuple(context.sources),
        )
    context.catalog.add(name, info)


def declared_columns(context: StatementContext, node: exp.Create, text: str) -> tuple[ColumnInfo, ...]:
    """The column definitions of a CREATE TABLE, partition columns last."""
    definitions: list[exp.ColumnDef] = []
    if isinstance(node.this, exp.Schema):
        definitions.extend(item for item in node.this.expressions if isinstance(item, exp.ColumnDef))
    for item in _properties(node):
        if isinstance(item, exp.PartitionedByProperty) and isinstance(item.this, exp.Schema):
            definitions.extend(part for part in item.this.expressions if isinstance(part, exp.ColumnDef))
    plain = [_column_info(context, item) for item in definitions]
    physical = Relation(
        tuple(Output(info.name, read(text, info.name), nested=True) for info, expression in plain if expression is None)
    )
    return tuple(
        info if expression is None else _computed(context, info, expression, physical) for info, expression in plain
    )


def _column_info(context: StatementContext, definition: exp.ColumnDef) -> tuple[ColumnInfo, exp.Expr | None]:
    name = identifier_text(definition.this, context.profile)
    kind = definition.args.get("kind")
    writable = True
    made = ""
    computed: exp.Expr | None = None
    for constraint in definition.args.get("constraints") or ():
        inner = constraint.args.get("kind")
        if isinstance(inner, MetadataColumn):
            writable = not inner.args.get("virtual")
            made = "metadata"
        elif isinstance(inner, exp.ComputedColumnConstraint) and Feature.CONNECTORS in context.profile.features:
            writable = False
            made = "computed"
            computed = inner.this
    return ColumnInfo(name, kind.sql() if isinstance(kind, exp.Expr) else "", writable=writable, made=made), computed


def _computed(context: StatementContext, info: ColumnInfo, expression: exp.Expr, physical: Relation) -> ColumnInfo:
    scope = Scope({})
    scope.relations.append(physical)
    flow = followed_by(flow_of(context, expression, scope), TRANSFORMATION, expression)
    return ColumnInfo(
        info.name, info.type, writable=False, output=Output(info.name, flow) if flow else None, made="computed"
    )


def _define_function(context: StatementContext, node: exp.Create) -> None:
    function = node.this
    name = function.this.sql(identify=False) if isinstance(function.args.get("this"), exp.Expr) else function.name
    columns: tuple[str, ...] | None = None
    for item in _properties(node):
        if isinstance(item, exp.ReturnsProperty) and isinstance(item.this, exp.Schema):
            columns = tuple(part.name for part in item.this.expressions)
    kind = "table" if columns is not None else "scalar"
    context.catalog.add_function(FunctionInfo(name.replace("`", "").replace('"', ""), kind, columns))


def walk_cache(context: StatementContext, node: exp.Cache) -> None:
    """CACHE TABLE name AS query: a view of the session."""
    name, _, text = target_of(context, node.this)
    query = node.args.get("expression")
    if not isinstance(query, exp.Expr):
        return
    add_target(context, text)
    result: QueryResult = context.query(query, {}, None)
    write_outputs(context, text, ((output.name, output) for output in result.outputs), result.rows)
    open_ended = any(output.rest is not None for output in result.outputs)
    known = None if open_ended else tuple(ColumnInfo(output.name) for output in result.outputs)
    context.catalog.add(name, TableInfo(text, known, temporary=True, is_view=True))
