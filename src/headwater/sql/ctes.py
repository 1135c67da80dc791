"""The queries of a WITH clause: who sees whom, and recursion."""

from sqlglot import exp

from headwater.sql.context import Context, Cte, Environment, QueryResult, Scope
from headwater.sql.names import identifier_text
from headwater.sql.relation import Relation

__all__ = ["environment_with", "result_of_cte"]

_RECURSION_ROUNDS = 6


def environment_with(context: Context, with_: exp.Expr, environment: Environment) -> Environment:
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
            entry.result = _named(context.change(body, entry.environment), columns)
    return environment


def result_of_cte(context: Context, cte: Cte, outer: Scope | None) -> QueryResult:
    """A CTE's columns, walked once; a recursive one is walked until its flows no longer grow."""
    if cte.result is not None:
        return cte.result
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


def _named(result: QueryResult, columns: list[str]) -> QueryResult:
    if not columns:
        return result
    renamed = Relation(result.outputs).renamed_to("", columns)
    return QueryResult(renamed.outputs, result.rows)
