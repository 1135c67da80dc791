"""The walk through a query: WITH, SELECT, set operations, VALUES."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import OriginStep, Rows
from headwater.sql.walk.expression.expression import add_rows, flow_of
from headwater.sql.walk.expression.transformation import FILTER, GROUP_BY, SORT, Effect, compose
from headwater.sql.walk.query.from_clause import add_joins, add_source
from headwater.sql.walk.query.match_recognize import match_rows
from headwater.sql.walk.query.select_list import projected
from headwater.sql.walk.query.set_operations import has_star, united
from headwater.sql.walk.query.star import outputs_of
from headwater.sql.walk.query.with_clause import environment_with
from headwater.sql.walk.scope.context import Environment, QueryResult, Scope, StatementContext
from headwater.sql.walk.scope.relation import Certainty, Output, Relation

__all__ = ["walk_query"]

_CLAUSES = (("where", FILTER), ("prewhere", FILTER), ("having", FILTER), ("qualify", FILTER))
_AFTER = (("order", SORT), ("sort", SORT), ("cluster", SORT), ("distribute", SORT))


def walk_query(context: StatementContext, node: exp.Expr, environment: Environment, outer: Scope | None) -> QueryResult:
    """The columns and row conditions of any query."""
    context.budget.spend()
    node, environment = _unwrap(context, node, environment)
    if isinstance(node, exp.Select):
        return _walk_select(context, node, environment, outer)
    if isinstance(node, exp.SetOperation):
        return _walk_set_operation(context, node, environment, outer)
    scope = Scope(environment, outer)
    rows: Rows = {}
    add_source(context, node, scope, rows)
    add_joins(context, node, scope, rows)
    return QueryResult(tuple(output for relation in scope.relations for output in outputs_of(relation)), rows)


def _unwrap(context: StatementContext, node: exp.Expr, environment: Environment) -> tuple[exp.Expr, Environment]:
    """Step through parentheses, collecting the WITH clauses on the way."""
    while True:
        with_ = node.args.get("with_")
        if with_ is not None:
            environment = environment_with(context, with_, environment)
        plain = (
            isinstance(node, exp.Subquery | exp.Paren) and not node.args.get("joins") and not node.args.get("pivots")
        )
        if not plain or not isinstance(node.this, exp.Query | exp.Subquery | exp.Paren):
            return node, environment
        node = node.this


def _walk_select(
    context: StatementContext, node: exp.Select, environment: Environment, outer: Scope | None
) -> QueryResult:
    scope = Scope(environment, outer)
    rows: Rows = {}
    args = node.args
    source = args.get("from_")
    if source is not None:
        add_source(context, source.this, scope, rows)
    if args.get("match"):
        match_rows(context, args["match"], scope, rows)
    add_joins(context, node, scope, rows)
    for window in args.get("windows") or ():
        scope.windows[window.this.name.casefold() if window.this else window.alias.casefold()] = window
    _add_scalars(context, node, scope)
    outputs = projected(context, node, scope)
    for key, effect in _CLAUSES:
        clause = args.get(key)
        if clause is not None:
            add_rows(context, rows, clause.this, scope, effect)
    connect = args.get("connect")
    if connect is not None:
        add_rows(context, rows, connect.args.get("start"), scope, FILTER)
        add_rows(context, rows, connect.args.get("connect"), scope, FILTER)
    group = args.get("group")
    if group is not None:
        _add_grouping(context, rows, group, scope, outputs)
    for key, effect in _AFTER:
        _add_sorting(context, rows, args.get(key), scope, outputs, effect=effect)
    return QueryResult(outputs, rows)


def _add_scalars(context: StatementContext, node: exp.Select, scope: Scope) -> None:
    """ClickHouse's WITH expression AS name: a name for a value, not for a table."""
    with_ = node.args.get("with_")
    for cte in with_.expressions if with_ is not None else ():
        if cte.args.get("scalar") and isinstance(cte.this, exp.Expr):
            name = cte.alias
            scope.aliases[name.casefold()] = Output(name, flow_of(context, cte.this, scope))


def _add_grouping(
    context: StatementContext, rows: Rows, group: exp.Expr, scope: Scope, outputs: tuple[Output, ...]
) -> None:
    for value in group.args.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, exp.Literal) and not item.is_string:
                _add_ordinal(rows, item, outputs, GROUP_BY)
            elif isinstance(item, exp.Column) and _means_alias(item, scope):
                _add_output(rows, scope.aliases[item.name.casefold()], GROUP_BY)
            elif isinstance(item, exp.Expr):
                add_rows(context, rows, item, scope, GROUP_BY)


def _means_alias(column: exp.Column, scope: Scope) -> bool:
    """A bare name in GROUP BY is an alias of the SELECT list unless a table is known to have such a column."""
    if column.args.get("table") or column.name.casefold() not in scope.aliases:
        return False
    return all(relation.find(column.name).certainty is not Certainty.YES for relation in scope.relations)


def _add_sorting(
    context: StatementContext,
    rows: Rows,
    clause: exp.Expr | None,
    scope: Scope,
    outputs: tuple[Output, ...],
    *,
    effect: Effect,
) -> None:
    if clause is None:
        return
    for item in clause.expressions:
        key = item.this if isinstance(item, exp.Ordered) else item
        if isinstance(key, exp.Literal) and not key.is_string:
            _add_ordinal(rows, key, outputs, effect)
        elif isinstance(key, exp.Column) and not key.args.get("table") and key.name.casefold() in scope.aliases:
            _add_output(rows, scope.aliases[key.name.casefold()], effect)
        elif isinstance(key, exp.Expr):
            add_rows(context, rows, key, scope, effect)


def _add_ordinal(rows: Rows, literal: exp.Literal, outputs: tuple[Output, ...], effect: Effect) -> None:
    position = int(literal.name) - 1 if literal.name.isdigit() else -1
    if 0 <= position < len(outputs) and not has_star(outputs[: position + 1]):
        _add_output(rows, outputs[position], effect)


def _add_output(rows: Rows, output: Output, effect: Effect) -> None:
    for origin, inner in output.flow:
        rows[OriginStep(origin, compose(inner, effect))] = None


def _walk_set_operation(
    context: StatementContext, node: exp.SetOperation, environment: Environment, outer: Scope | None
) -> QueryResult:
    """UNION and its kin: columns meet by place, or BY NAME."""
    branches: list[tuple[exp.Expr, Environment]] = []
    pending: list[tuple[exp.Expr, Environment]] = [(node, environment)]
    by_name = bool(node.args.get("by_name"))
    while pending:
        context.budget.spend()
        current, seen = pending.pop()
        current, seen = _unwrap(context, current, seen)
        if isinstance(current, exp.SetOperation) and bool(current.args.get("by_name")) == by_name:
            pending.append((current.expression, seen))
            pending.append((current.this, seen))
        else:
            branches.append((current, seen))
    results = [context.query(branch, seen, outer) for branch, seen in branches]
    rows: Rows = {}
    for result in results:
        rows.update(result.rows)
    outputs = united(results, by_name=by_name)
    scope = Scope(environment, outer)
    scope.relations.append(Relation(outputs))
    for key, effect in _AFTER:
        _add_sorting(context, rows, node.args.get(key), scope, outputs, effect=effect)
    return QueryResult(outputs, rows)
