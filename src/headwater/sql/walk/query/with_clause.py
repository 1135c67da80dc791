"""WITH clause: scope of each CTE, and recursion."""

from sqlglot import exp

from headwater.sql.walk.scope.context import Cte, Environment, QueryResult, Scope, StatementContext, TableChange
from headwater.sql.walk.scope.relation import Relation
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["environment_with", "result_of_cte"]

_RECURSION_ROUNDS = 6
_DEEP = 24
"""Chains of CTEs longer than this are walked from their beginning, so that they do not fill the stack."""


def environment_with(context: StatementContext, with_: exp.Expr, environment: Environment) -> Environment:
    """Add the CTEs of a WITH clause; each sees those before it."""
    environment = dict(environment)
    implicit = context.profile.implicit_recursion
    for cte in with_.expressions:
        if not isinstance(cte, exp.CTE):
            continue
        alias = cte.args.get("alias")
        columns = (
            [identifier_text(column, context.profile) for column in (alias.args.get("columns") or ())] if alias else []
        )
        body = cte.this
        if cte.args.get("scalar") or not isinstance(body, exp.Expr):
            continue
        recursive = bool(with_.args.get("recursive")) or (implicit and isinstance(body, exp.SetOperation))
        entry = Cte(body, environment, columns, recursive=recursive)
        environment = {**environment, cte.alias.casefold(): entry}
        if recursive:
            entry.environment = environment
        if isinstance(body, exp.Insert | exp.Update | exp.Delete | exp.Merge):
            _walk_change(context, entry)
    return environment


def _walk_change(context: StatementContext, cte: Cte) -> None:
    """A CTE that changes a table is a change of its own: its reads and writes are not those of the statement."""
    outer = context.sources, context.targets, context.edges, context.rows
    context.sources, context.targets, context.edges, context.rows = {}, {}, {}, {}
    try:
        cte.result = _named(context.change(cte.node, cte.environment), cte.columns)
        context.changes[id(cte.node)] = TableChange(
            type(cte.node).__name__.upper(), tuple(context.sources), tuple(context.targets), tuple(context.edges)
        )
    finally:
        context.sources, context.targets, context.edges, context.rows = outer
    tables = (origin.table for output in cte.result.outputs for origin, _ in output.flow)
    cte.returns_from = tuple(dict.fromkeys(table for table in tables if table is not None))


def result_of_cte(context: StatementContext, cte: Cte, outer: Scope | None) -> QueryResult:
    """A CTE's columns, walked once; a recursive one is walked until its flows no longer grow."""
    if cte.result is not None:
        context.sources.update(dict.fromkeys(cte.returns_from))
        return cte.result
    if context.depth > _DEEP:
        _walk_needed(context, cte)
    if not cte.recursive:
        result = context.query(cte.node, cte.environment, outer)
        cte.result = _named(result, cte.columns)
        return cte.result
    body = cte.node
    anchor = body
    while isinstance(anchor, exp.SetOperation):
        anchor = anchor.this
    with_ = body.args.get("with_")
    inner = environment_with(context, with_, cte.environment) if with_ is not None else cte.environment
    cte.result = QueryResult((), {})
    cte.result = _named(context.query(anchor, inner, outer), cte.columns)
    for _ in range(_RECURSION_ROUNDS):
        before = cte.result
        after = _named(context.query(body, cte.environment, outer), cte.columns)
        cte.result = after
        if [output.flow.keys() for output in before.outputs] == [output.flow.keys() for output in after.outputs]:
            break
    return cte.result


def _walk_needed(context: StatementContext, cte: Cte) -> None:
    """Walk the CTEs that this one rests on, those first that rest on none."""
    order: list[Cte] = []
    seen: set[int] = {id(cte)}
    pending = _named_in(cte)
    while pending:
        context.budget.spend()
        needed = pending.pop()
        if id(needed) not in seen and needed.result is None and not needed.recursive:
            seen.add(id(needed))
            order.append(needed)
            pending.extend(_named_in(needed))
    index = {id(entry): rank for rank, entry in enumerate(cte.environment.values())}
    for needed in sorted(order, key=lambda entry: index.get(id(entry), 0)):
        if needed.result is None:
            needed.result = _named(context.query(needed.node, needed.environment, None), needed.columns)


def _named_in(cte: Cte) -> list[Cte]:
    names = {table.name.casefold() for table in cte.node.find_all(exp.Table) if not table.args.get("db")}
    return [cte.environment[name] for name in names if name in cte.environment]


def _named(result: QueryResult, columns: list[str]) -> QueryResult:
    if not columns:
        return result
    renamed = Relation(result.outputs).renamed_to("", columns)
    return QueryResult(renamed.outputs, result.rows)
