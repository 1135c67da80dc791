"""The FROM clause: tables, subqueries and joins become relations of a scope."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Flow, OriginStep, Rows, merge_into
from headwater.sql.walk.expression.expression import add_rows, flow_of
from headwater.sql.walk.expression.transformation import JOIN
from headwater.sql.walk.query.lateral import add_lateral, add_unnest, alias_of, values_relation
from headwater.sql.walk.query.pivot import pivoted
from headwater.sql.walk.query.semantic_view import semantic_view
from headwater.sql.walk.query.star import outputs_of
from headwater.sql.walk.query.table_functions import add_table_function, is_table_function
from headwater.sql.walk.query.with_clause import environment_with, result_of_cte
from headwater.sql.walk.scope.catalog_relation import stored_relation
from headwater.sql.walk.scope.context import Environment, Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["add_joins", "add_source"]


def add_source(context: StatementContext, node: exp.Expr, scope: Scope, rows: Rows) -> None:
    """Add the relation of one item of FROM or JOIN to the scope."""
    context.budget.spend()
    if isinstance(node, exp.Table):
        _add_table(context, node, scope, rows)
    elif isinstance(node, exp.Subquery | exp.Paren):
        _add_subquery(context, node, scope, rows)
    elif isinstance(node, exp.Lateral):
        add_lateral(context, node, scope, rows)
    elif isinstance(node, exp.Unnest):
        add_unnest(context, node, scope)
    elif isinstance(node, exp.Values):
        scope.relations.append(_pivoted(context, node, values_relation(context, node, scope), scope))
    elif isinstance(node, exp.TableFromRows):
        add_table_function(context, node, scope, rows)
        _pivot_last(context, node, scope)
    elif isinstance(node, exp.Query):
        result = context.query(node, scope.environment, scope.parent)
        rows.update(result.rows)
        scope.relations.append(Relation(result.outputs))
    elif isinstance(node, exp.Pivot):
        _add_simplified_pivot(context, node, scope, rows)
    elif isinstance(node, exp.Alias | exp.Stream | exp.Final):
        add_source(context, node.this, scope, rows)
    elif isinstance(node, exp.Func):
        add_table_function(context, exp.Table(this=node), scope, rows)
    else:
        context.report("unknown-source", f"a {type(node).__name__} in FROM is not understood", node)


def add_joins(context: StatementContext, node: exp.Expr, scope: Scope, rows: Rows) -> None:
    """The joins and lateral views after a FROM item: first their relations, then their conditions."""
    joins = node.args.get("joins") or ()
    pending: list[tuple[exp.Expr, int, int]] = []
    for join in joins:
        before = len(scope.relations)
        if str(join.args.get("kind") or "").upper() == "ARRAY":
            _add_array_join(context, join, scope)
            continue
        add_source(context, join.this, scope, rows)
        pending.append((join, before, len(scope.relations)))
    count = len(scope.relations)
    for lateral in node.args.get("laterals") or ():
        add_source(context, lateral, scope, rows)
    views = scope.relations[count:]
    dropped: list[Relation] = []
    for join, before, after in pending:
        seen = Scope(scope.environment, scope.parent)
        seen.relations = [*scope.relations[:after], *views]
        seen.merged = scope.merged
        add_rows(context, rows, join.args.get("on"), seen, JOIN)
        add_rows(context, rows, join.args.get("match_condition"), seen, JOIN)
        names = [name.name for name in join.args.get("using") or ()]
        left, right = scope.relations[:before], scope.relations[before:after]
        if str(join.args.get("method") or "").upper() == "NATURAL":
            names = _common_names(left, right)
        for name in names:
            _merge(scope, rows, name, left, right)
        if str(join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
            dropped.extend(right)
    if dropped:
        scope.relations = [relation for relation in scope.relations if relation not in dropped]


def _add_array_join(context: StatementContext, join: exp.Expr, scope: Scope) -> None:
    """ClickHouse's ARRAY JOIN: an alias is a new column, a bare array becomes its own element."""
    outputs = [
        Output(identifier_text(item.args["alias"], context.profile), flow_of(context, item.this, scope), nested=True)
        for item in (join.this, *(join.args.get("expressions") or ()))
        if isinstance(item, exp.Alias)
    ]
    scope.relations.append(Relation(tuple(outputs)))


def _common_names(left: list[Relation], right: list[Relation]) -> list[str]:
    theirs = {output.name.casefold() for relation in right for output in relation.outputs}
    names = [output.name for relation in left for output in relation.outputs if output.name.casefold() in theirs]
    return list(dict.fromkeys(names))


def _merge(scope: Scope, rows: Rows, name: str, left: list[Relation], right: list[Relation]) -> None:
    """A column that both sides share under one name: COALESCE of the two, by the standard."""
    key = name.casefold()
    flow: Flow = {}
    spelled = name
    known = scope.merged.get(key)
    if known is not None:
        merge_into(flow, known.flow)
    for relation in right if known is not None else [*left, *right]:
        found = relation.find(name).output
        if found is not None:
            spelled = found.name if not flow else spelled
            merge_into(flow, found.flow)
    for origin, _ in flow:
        rows[OriginStep(origin, JOIN)] = None
    scope.merged[key] = Output(spelled, flow, nested=True)


def _add_table(context: StatementContext, table: exp.Table, scope: Scope, rows: Rows) -> None:
    if is_table_function(table):
        add_table_function(context, table, scope, rows)
        _pivot_last(context, table, scope)
    else:
        relation = _cte_relation(context, table, scope.environment, rows)
        if relation is None and isinstance(table.this, exp.SemanticView):
            relation = semantic_view(context, table, rows)
        elif relation is None:
            relation = stored_relation(context, table, rows)
        scope.relations.append(_pivoted(context, table, relation, scope))
    if table.args.get("joins") or table.args.get("laterals"):
        add_joins(context, table, scope, rows)


def _cte_relation(context: StatementContext, table: exp.Table, environment: Environment, rows: Rows) -> Relation | None:
    if not environment or table.args.get("db"):
        return None
    cte = environment.get(table.name.casefold())
    if cte is None:
        return None
    result = result_of_cte(context, cte, None)
    rows.update(result.rows)
    alias, columns = alias_of(context, table)
    return Relation(result.outputs, alias=table.name.casefold()).renamed_to(alias, columns)


def _add_subquery(context: StatementContext, node: exp.Expr, scope: Scope, rows: Rows) -> None:
    inner = node.this
    alias, columns = alias_of(context, node)
    environment = scope.environment
    if node.args.get("with_") is not None:
        environment = environment_with(context, node.args["with_"], environment)
    if isinstance(inner, exp.Query) and not isinstance(inner, exp.Subquery):
        result = context.query(inner, environment, scope.parent)
        rows.update(result.rows)
        relation = Relation(result.outputs).renamed_to(alias, columns)
        scope.relations.append(_pivoted(context, node, relation, scope))
        add_joins(context, node, scope, rows)
        return
    if not alias and not node.args.get("pivots"):
        add_source(context, inner, scope, rows)
        add_joins(context, node, scope, rows)
        return
    inside = Scope(environment, scope.parent)
    add_source(context, inner, inside, rows)
    add_joins(context, node, inside, rows)
    outputs = tuple(output for relation in inside.relations for output in outputs_of(relation))
    scope.relations.append(_pivoted(context, node, Relation(outputs).renamed_to(alias, columns), scope))


def _pivot_last(context: StatementContext, node: exp.Expr, scope: Scope) -> None:
    if node.args.get("pivots") and scope.relations:
        scope.relations[-1] = _pivoted(context, node, scope.relations[-1], scope)


def _pivoted(context: StatementContext, node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    for pivot in node.args.get("pivots") or ():
        relation = pivoted(context, pivot, relation, scope)
    return relation


def _add_simplified_pivot(context: StatementContext, pivot: exp.Pivot, scope: Scope, rows: Rows) -> None:
    """DuckDB's `PIVOT t ON x USING sum(y)`."""
    inside = Scope(scope.environment, scope.parent)
    if isinstance(pivot.this, exp.Expr):
        add_source(context, pivot.this, inside, rows)
    outputs = tuple(output for relation in inside.relations for output in outputs_of(relation))
    scope.relations.append(pivoted(context, pivot, Relation(outputs), scope))
