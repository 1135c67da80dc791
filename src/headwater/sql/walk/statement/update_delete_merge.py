"""UPDATE, DELETE and MERGE."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Flow, Rows
from headwater.sql.walk.expression.expression import add_rows, flow_of, is_query
from headwater.sql.walk.expression.transformation import FILTER, JOIN
from headwater.sql.walk.query.from_clause import add_joins, add_source
from headwater.sql.walk.query.star import outputs_of
from headwater.sql.walk.query.with_clause import environment_with
from headwater.sql.walk.scope.catalog import TableInfo
from headwater.sql.walk.scope.context import Environment, QueryResult, Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.scope import find_relation
from headwater.sql.walk.scope.table_names import identifier_text
from headwater.sql.walk.statement.insert import returned, target_relation, walk_insert
from headwater.sql.walk.statement.target_edges import add_edges, add_row_edges, add_target, target_of

__all__ = ["walk_change", "walk_delete", "walk_merge", "walk_update"]


def walk_change(context: StatementContext, node: exp.Expr, environment: Environment) -> QueryResult:
    """Any statement that changes a table, also inside a WITH clause."""
    if isinstance(node, exp.Insert):
        return walk_insert(context, node, environment)
    if isinstance(node, exp.Update):
        return walk_update(context, node, environment)
    if isinstance(node, exp.Delete):
        return walk_delete(context, node, environment)
    if isinstance(node, exp.Merge):
        return walk_merge(context, node, environment)
    return QueryResult((), {})


def _with_ctes(context: StatementContext, node: exp.Expr, environment: Environment) -> Environment:
    with_ = node.args.get("with_")
    return environment_with(context, with_, environment) if with_ is not None else environment


def _forget_source(context: StatementContext, name: str, before: set[str]) -> None:
    """The table that is changed is no source, unless its values are read."""
    if name not in before:
        context.sources.pop(name, None)


def _remember_reads(context: StatementContext, text: str) -> None:
    if any(edge.source_table == text and edge.target_table == text and edge.type == "DIRECT" for edge in context.edges):
        context.sources[text] = None


def walk_update(context: StatementContext, node: exp.Update, environment: Environment) -> QueryResult:
    """UPDATE t SET c = ..; with FROM, with joins, or of several tables at once."""
    environment = _with_ctes(context, node, environment)
    scope = Scope(environment, context.outermost)
    rows: Rows = {}
    before = set(context.sources)
    source = node.args.get("from_")
    table = node.this
    if source is not None:
        add_source(context, source.this, scope, rows)
    target = find_relation(scope, [table.name.casefold()]) if isinstance(table, exp.Table) else None
    info: TableInfo | None = None
    text = ""
    if target is None or target.table is None:
        if isinstance(table, exp.Table):
            _, info, text = target_of(context, table)
        outer = scope.relations
        scope.relations = []
        add_source(context, table, scope, rows)
        scope.relations.extend(outer)
        target = scope.relations[0]
    else:
        text = target.table
        _, info, _ = target_of(context, table)
    add_target_later: dict[str, None] = {}
    for assignment in node.expressions:
        for owner, column, flow in _assigned(context, assignment, scope, target, text):
            add_target_later[owner] = None
            add_edges(context, owner, column, flow)
    for owner in add_target_later or {text: None}:
        add_target(context, owner)
        _forget_source(context, owner, before)
    where = node.args.get("where")
    if where is not None:
        add_rows(context, rows, where.this, scope, FILTER)
    for owner in add_target_later or {text: None}:
        add_row_edges(context, owner, rows)
        _remember_reads(context, owner)
    return returned(context, node, text, info, environment)


def _assigned(
    context: StatementContext, assignment: exp.Expr, scope: Scope, target: Relation, text: str
) -> list[tuple[str, str, Flow]]:
    """Target of one SET item: the table, the column and its flow."""
    if not isinstance(assignment, exp.EQ | exp.PropertyEQ):
        return []
    left, right = assignment.this, assignment.expression
    if isinstance(left, exp.Tuple | exp.Paren):
        columns = left.expressions if isinstance(left, exp.Tuple) else [left.this]
        return _assigned_together(context, columns, right, scope, text)
    owner = text
    if isinstance(left, exp.Column) and left.args.get("table"):
        relation = find_relation(scope, [left.args["table"].name.casefold()])
        if relation is not None and relation is not target and relation.table is not None:
            owner = relation.table
    name = _column_text(context, left.this if isinstance(left, exp.Column) else left)
    if target.table is None:
        owner, name = _written_through(target, owner, name)
    return [(owner, name, flow_of(context, right, scope))]


def _written_through(target: Relation, owner: str, name: str) -> tuple[str, str]:
    """The column of a table that a CTE shows under another name: T-SQL writes through it."""
    found = target.find(name).output
    origins = {origin for origin, effect in found.flow if effect.subtype == "IDENTITY"} if found is not None else set()
    if len(origins) == 1:
        origin = origins.pop()
        if origin.table is not None:
            return origin.table, origin.column
    return owner, name


def _tables_shown(relation: Relation) -> set[str]:
    return {origin.table for output in relation.outputs for origin, _ in output.flow if origin.table is not None}


def _column_text(context: StatementContext, name: exp.Expr) -> str:
    if isinstance(name, exp.Dot):
        return name.sql(dialect=context.profile.dialect)
    return identifier_text(name, context.profile)


def _assigned_together(
    context: StatementContext, columns: list[exp.Expr], right: exp.Expr, scope: Scope, text: str
) -> list[tuple[str, str, Flow]]:
    """SET (a, b) = (SELECT x, y ..) or = (x, y)."""
    names = [_column_text(context, column.this if isinstance(column, exp.Column) else column) for column in columns]
    if is_query(right):
        result = context.query(right, scope.environment, scope)
        flows = [output.flow for output in result.outputs]
        context.rows.update(result.rows)
        return [(text, name, flow) for name, flow in zip(names, flows, strict=False)]
    values = right.expressions if isinstance(right, exp.Tuple) else [right]
    return [(text, name, flow_of(context, value, scope)) for name, value in zip(names, values, strict=False)]


def walk_delete(context: StatementContext, node: exp.Delete, environment: Environment) -> QueryResult:
    """DELETE writes no column; the columns of its condition affect rows."""
    environment = _with_ctes(context, node, environment)
    scope = Scope(environment)
    rows: Rows = {}
    before = set(context.sources)
    if isinstance(node.this, exp.Expr):
        add_source(context, node.this, scope, rows)
    for using in node.args.get("using") or ():
        add_source(context, using, scope, rows)
        if not isinstance(using, exp.Table):
            add_joins(context, using, scope, rows)
    tables = node.args.get("tables") or ([node.this] if isinstance(node.this, exp.Expr) else [])
    texts: list[str] = []
    info: TableInfo | None = None
    for table in tables:
        relation = find_relation(scope, [table.name.casefold()]) if isinstance(table, exp.Table) else None
        if relation is not None and relation.table is not None:
            texts.append(relation.table)
        elif relation is not None and len(_tables_shown(relation)) == 1:
            texts.extend(_tables_shown(relation))
        else:
            texts.append(target_of(context, table)[2])
        info = target_of(context, table)[1]
    for text in texts:
        add_target(context, text)
        _forget_source(context, text, before)
    where = node.args.get("where")
    if where is not None:
        add_rows(context, rows, where.this, scope, FILTER)
    for text in texts:
        add_row_edges(context, text, rows)
    result = returned(context, node, texts[0] if texts else "", info, environment)
    if node.args.get("returning") is not None:
        for text in texts:
            context.sources[text] = None
    return result


def walk_merge(context: StatementContext, node: exp.Merge, environment: Environment) -> QueryResult:
    """MERGE INTO t USING s: every WHEN that updates or inserts gives edges."""
    environment = _with_ctes(context, node, environment)
    _, info, text = target_of(context, node.this)
    add_target(context, text)
    rows: Rows = {}
    before = set(context.sources)
    incoming = Scope(environment)
    add_source(context, node.args["using"], incoming, rows)
    alias = node.this.alias.casefold() or text.rpartition(".")[2].casefold()
    target = target_relation(text, info, alias)
    both = Scope(environment)
    both.relations = [*incoming.relations, target]
    add_rows(context, rows, node.args.get("on"), both, JOIN)
    whens = node.args.get("whens")
    for when in whens.expressions if whens is not None else ():
        add_rows(context, rows, when.args.get("condition"), both, FILTER)
        then = when.args.get("then")
        if isinstance(then, exp.Update):
            _merge_update(context, then, both, text=text, info=info)
        elif isinstance(then, exp.Insert):
            _merge_insert(context, then, incoming, text, info)
    _forget_source(context, text, before | set(_source_tables(incoming)))
    add_row_edges(context, text, rows)
    _remember_reads(context, text)
    return returned(context, node, text, info, environment)


def _source_tables(scope: Scope) -> list[str]:
    return [relation.table for relation in scope.relations if relation.table is not None]


def _merge_update(
    context: StatementContext, then: exp.Update, both: Scope, *, text: str, info: TableInfo | None
) -> None:
    assignments = then.args.get("expressions")
    if not isinstance(assignments, list) or not assignments or any(isinstance(item, exp.Star) for item in assignments):
        incoming = Scope(both.environment)
        incoming.relations = both.relations[:-1]
        _merge_all(context, incoming, text, info)
        return
    for assignment in assignments:
        for _, column, flow in _assigned(context, assignment, both, both.relations[-1], text):
            add_edges(context, text, column, flow)


def _merge_insert(
    context: StatementContext, then: exp.Insert, incoming: Scope, text: str, info: TableInfo | None
) -> None:
    columns = then.this
    values = then.args.get("expression")
    if not isinstance(values, exp.Expr) or isinstance(columns, exp.Star):
        _merge_all(context, incoming, text, info)
        return
    cells = values.expressions if isinstance(values, exp.Tuple | exp.Values) else [values]
    if len(cells) == 1 and isinstance(cells[0], exp.Tuple):
        cells = cells[0].expressions
    names: list[str] = []
    if isinstance(columns, exp.Expr):
        listed = columns.expressions if isinstance(columns, exp.Tuple | exp.Schema) else [columns]
        names = [_column_text(context, item.this if isinstance(item, exp.Column) else item) for item in listed]
    elif info is not None and info.columns is not None:
        names = [column.name for column in info.columns if column.writable]
    for index, cell in enumerate(cells):
        inner = cell.this if isinstance(cell, exp.Alias) else cell
        name = names[index] if index < len(names) else inner.name or f"_c{index}"
        add_edges(context, text, name, flow_of(context, inner, incoming))


def _merge_all(context: StatementContext, incoming: Scope, text: str, info: TableInfo | None) -> None:
    """UPDATE SET * and INSERT *: columns meet by name."""
    known = {column.name.casefold(): column.name for column in info.columns} if info and info.columns else None
    for relation in incoming.relations:
        for output in outputs_of(relation):
            if output.rest is not None and known is not None:
                for name in known.values():
                    found: Output | None = output.rest.find(name).output
                    if found is not None:
                        add_edges(context, text, name, found.flow)
            elif known is None or output.name.casefold() in known:
                name = known[output.name.casefold()] if known is not None else output.name
                add_edges(context, text, name, output.flow)
