"""INSERT in all forms: columns of the target and columns of the query."""

from sqlglot import exp

from headwater.sql.dialects.differences import Feature
from headwater.sql.walk.expression.column_flow import Flow, OriginStep, Rows, read
from headwater.sql.walk.expression.expression import flow_of
from headwater.sql.walk.expression.transformation import FILTER
from headwater.sql.walk.query.from_clause import add_source
from headwater.sql.walk.query.select_list import projected
from headwater.sql.walk.query.with_clause import environment_with
from headwater.sql.walk.scope.catalog import TableInfo
from headwater.sql.walk.scope.context import Environment, QueryResult, Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.table_names import identifier_text
from headwater.sql.walk.statement.target_edges import add_edges, add_target, target_of, write_outputs

__all__ = ["named_columns", "returned", "target_relation", "walk_insert", "walk_multiple_inserts"]


def walk_insert(
    context: StatementContext, insert: exp.Insert, environment: Environment, outer: Scope | None = None
) -> QueryResult:
    """INSERT INTO t [(columns)] query; gives the columns of RETURNING."""
    if insert.args.get("with_") is not None:
        environment = environment_with(context, insert.args["with_"], environment)
    this = insert.this
    if not isinstance(this, exp.Expr):
        context.report("unknown-table", "the target of the INSERT is not understood", insert)
        return QueryResult((), {})
    if isinstance(this, exp.Directory):
        add_target(context, this.this.name)
        result = _inserted(context, insert, environment, outer)
        write_outputs(context, this.this.name, ((output.name, output) for output in result.outputs), result.rows)
        return QueryResult((), {})
    _, info, text = target_of(context, this)
    add_target(context, text)
    result = _inserted(context, insert, environment, outer)
    explicit = named_columns(context, this)
    table = this.this if isinstance(this, exp.Schema) else this
    static, dynamic = _partitions(context, table, insert)
    by_name = bool(insert.args.get("by_name"))
    pairs = _paired(context, result.outputs, info, explicit, static=static, dynamic=dynamic, by_name=by_name, node=this)
    write_outputs(context, text, pairs, result.rows)
    if insert.args.get("conflict") is not None:
        _on_conflict(context, insert, target_relation(text, info, _alias(table, text)), text, pairs)
    return returned(context, insert, text, info, environment)


def _inserted(
    context: StatementContext, insert: exp.Insert, environment: Environment, outer: Scope | None
) -> QueryResult:
    source = insert.args.get("expression") or insert.args.get("source")
    if not isinstance(source, exp.Expr):
        return QueryResult((), {})
    if isinstance(source, exp.Table):
        source = exp.select("*").from_(source.copy())
    return context.query(source, environment, outer)


def named_columns(context: StatementContext, this: exp.Expr) -> list[str]:
    """The column list behind a table name."""
    if not isinstance(this, exp.Schema):
        return []
    names: list[str] = []
    for column in this.expressions:
        inner = column.this if isinstance(column, exp.ColumnDef | exp.Column) else column
        if isinstance(inner, exp.Identifier):
            names.append(identifier_text(inner, context.profile))
    return names


def _partitions(context: StatementContext, table: exp.Expr, insert: exp.Insert) -> tuple[set[str], list[str]]:
    """Partition columns with a fixed value, and those that take theirs from the query."""
    static: set[str] = set()
    dynamic: list[str] = []
    partition = table.args.get("partition") or insert.args.get("partition")
    for item in partition.expressions if isinstance(partition, exp.Partition) else ():
        if isinstance(item, exp.EQ):
            static.add(item.this.name.casefold())
        elif isinstance(item, exp.Column | exp.Identifier):
            dynamic.append(identifier_text(item.this if isinstance(item, exp.Column) else item, context.profile))
    return static, dynamic


def _paired(
    context: StatementContext,
    outputs: tuple[Output, ...],
    info: TableInfo | None,
    explicit: list[str],
    *,
    static: set[str],
    dynamic: list[str],
    by_name: bool,
    node: exp.Expr,
) -> list[tuple[str, Output]]:
    """Give each column of the query its column of the target."""
    if by_name:
        return [(output.name, output) for output in outputs]
    targets: list[str] | None = None
    last = {name.casefold() for name in dynamic}
    if explicit:
        targets = explicit + [name for name in dynamic if name not in explicit]
    elif info is not None and info.columns is not None:
        targets = [
            column.name
            for column in info.columns
            if column.writable and column.name.casefold() not in static and column.name.casefold() not in last
        ] + dynamic
    if targets is None:
        first_dynamic = len(outputs) - len(dynamic)
        return [
            (dynamic[index - first_dynamic] if index >= max(first_dynamic, 0) else output.name, output)
            for index, output in enumerate(outputs)
        ]
    if any(output.rest is not None for output in outputs):
        return _paired_with_star(outputs, targets)
    if len(targets) != len(outputs) and outputs and not _allows_fewer(context, len(outputs), len(targets), explicit):
        severity = "error" if Feature.STRICT_INSERT in context.profile.features else "warning"
        message = f"the query gives {len(outputs)} columns, the target takes {len(targets)}: {', '.join(targets[:20])}"
        context.report("column-count", message, node, tuple(targets[:20]), severity=severity)
        if severity == "error":
            return []
    return [(targets[index] if index < len(targets) else output.name, output) for index, output in enumerate(outputs)]


def _allows_fewer(context: StatementContext, given: int, taken: int, explicit: list[str]) -> bool:
    return not explicit and given < taken and Feature.SHORT_INSERT in context.profile.features


def _paired_with_star(outputs: tuple[Output, ...], targets: list[str]) -> list[tuple[str, Output]]:
    """Places count from both ends up to a star whose columns are unknown."""
    stars = [index for index, output in enumerate(outputs) if output.rest is not None]
    first, last = stars[0], stars[-1]
    pairs: list[tuple[str, Output]] = []
    for index, output in enumerate(outputs):
        if index < first and index < len(targets):
            pairs.append((targets[index], output))
        elif index > last and len(outputs) - index <= len(targets):
            pairs.append((targets[index - len(outputs)], output))
        else:
            pairs.append((output.name, output))
    return pairs


def _alias(table: exp.Expr, text: str) -> str:
    own = table.alias if isinstance(table, exp.Table) else ""
    return (own or text.rpartition(".")[2]).casefold()


def _on_conflict(
    context: StatementContext, insert: exp.Insert, target: Relation, text: str, pairs: list[tuple[str, Output]]
) -> None:
    """ON CONFLICT DO UPDATE and ON DUPLICATE KEY UPDATE: the old row and the one that was to be inserted."""
    scope = Scope({})
    scope.relations.append(target)
    incoming = tuple(output._replace(name=name) for name, output in pairs)
    excluded = Scope({})
    excluded.relations = [Relation(incoming, alias="excluded"), *_read_by(context, insert)]
    scope.parent = excluded
    for assignment in insert.args["conflict"].expressions:
        if isinstance(assignment, exp.EQ):
            value = _with_values_calls(assignment.expression)
            add_edges(context, text, assignment.this.name, flow_of(context, value, scope))


def _read_by(context: StatementContext, insert: exp.Insert) -> list[Relation]:
    """MySQL lets the clause name the tables of the query as well."""
    query = insert.args.get("expression")
    if not isinstance(query, exp.Select) or query.args.get("from_") is None or query.args.get("with_") is not None:
        return []
    scope = Scope({})
    add_source(context, query.args["from_"].this, scope, {})
    return scope.relations


def _with_values_calls(value: exp.Expr) -> exp.Expr:
    """MySQL's VALUES(c) is the value that was to be inserted into c."""

    def replace(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Anonymous | exp.Values) and node.expressions:
            named = isinstance(node, exp.Values) or node.name.upper() == "VALUES"
            inner = node.expressions[0]
            while isinstance(inner, exp.Tuple | exp.Paren):
                inner = inner.expressions[0] if inner.expressions else inner.this
            if named and isinstance(inner, exp.Column | exp.Identifier):
                return exp.column(inner.name, table="excluded")
        return node

    return value.transform(replace)


def target_relation(text: str, info: TableInfo | None, alias: str) -> Relation:
    if info is None or info.columns is None:
        return Relation(alias=alias, base=text, parts=(alias,))
    outputs = tuple(Output(column.name, read(text, column.name), nested=True) for column in info.columns)
    return Relation(outputs, alias=alias, table=text, parts=(alias,))


def returned(
    context: StatementContext, node: exp.Expr, text: str, info: TableInfo | None, environment: Environment
) -> QueryResult:
    """The columns of a RETURNING or OUTPUT clause, read from the table that was changed."""
    returning = node.args.get("returning")
    if returning is None:
        return QueryResult((), {})
    scope = Scope(environment)
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    own = target_relation(text, info, _alias(table, text))
    scope.relations.append(own)
    rows_before_and_after = Scope(environment)
    rows_before_and_after.relations = [own.renamed_to("inserted", []), own.renamed_to("deleted", [])]
    scope.parent = rows_before_and_after
    select = exp.Select(expressions=[expression.copy() for expression in returning.expressions])
    outputs = projected(context, select, scope)
    into = returning.args.get("into")
    if isinstance(into, exp.Expr):
        explicit = [column.name for column in into.expressions] if isinstance(into, exp.Anonymous) else []
        named = exp.to_table(into.name) if not isinstance(into, exp.Table) else into
        _, known, sink = target_of(context, named)
        add_target(context, sink)
        write_outputs(
            context,
            sink,
            _paired(context, outputs, known, explicit, static=set(), dynamic=[], by_name=False, node=into),
            {},
        )
    return QueryResult(outputs, {})


def walk_multiple_inserts(context: StatementContext, node: exp.Expr, environment: Environment) -> None:
    """Hive's FROM .. INSERT .. INSERT, and Oracle's and Snowflake's INSERT ALL."""
    if node.args.get("with_") is not None:
        environment = environment_with(context, node.args["with_"], environment)
    source = node.args.get("source")
    rows: Rows = {}
    scope = Scope(environment)
    if isinstance(source, exp.Expr):
        add_source(context, source, scope, rows)
    for item in node.expressions:
        if isinstance(item, exp.ConditionalInsert):
            _insert_branch(context, item, scope, rows)
        elif isinstance(item, exp.Insert):
            _insert_from(context, item, source, environment)


def _insert_from(context: StatementContext, insert: exp.Insert, source: object, environment: Environment) -> None:
    """One INSERT of a multi-insert: its SELECT reads from the FROM before all of them."""
    query = insert.args.get("expression")
    if isinstance(query, exp.Select) and not query.args.get("from_") and isinstance(source, exp.Expr):
        query = query.copy()
        query.set("from_", exp.From(this=source.copy()))
        insert = insert.copy()
        insert.set("expression", query)
    walk_insert(context, insert, environment)


def _insert_branch(context: StatementContext, item: exp.ConditionalInsert, scope: Scope, rows: Rows) -> None:
    insert = item.this
    _, info, text = target_of(context, insert.this)
    add_target(context, text)
    values = insert.args.get("expression")
    outputs: tuple[Output, ...]
    if isinstance(values, exp.Expr):
        row = values.expressions[0] if values.expressions else values
        cells = row.expressions if isinstance(row, exp.Tuple) else [row]
        outputs = tuple(
            Output(cell.alias_or_name or f"_c{index}", flow_of(context, cell, scope))
            for index, cell in enumerate(cells)
        )
    else:
        outputs = tuple(output for relation in scope.relations for output in relation.outputs)
    explicit = named_columns(context, insert.this)
    pairs = _paired(context, outputs, info, explicit, static=set(), dynamic=[], by_name=False, node=insert.this)
    condition: Flow = (
        flow_of(context, item.expression, scope) if isinstance(item.args.get("expression"), exp.Expr) else {}
    )
    own = dict(rows)
    for origin, _ in condition:
        own[OriginStep(origin, FILTER)] = None
    write_outputs(context, text, pairs, own)
