"""Structs that a query builds: source of each field."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Flow
from headwater.sql.walk.expression.expression import flow_of
from headwater.sql.walk.scope.context import Scope, StatementContext

__all__ = ["struct_fields"]


def struct_fields(context: StatementContext, expression: exp.Expr, scope: Scope) -> dict[str, Flow] | None:
    """The flows of the named fields of STRUCT(..), NAMED_STRUCT(..) or {..}."""
    if not isinstance(expression, exp.Struct):
        return None
    fields: dict[str, Flow] = {}
    for item in expression.expressions:
        if isinstance(item, exp.PropertyEQ | exp.Alias):
            name, value = (item.alias, item.this) if isinstance(item, exp.Alias) else (item.name, item.expression)
            fields[name.casefold()] = flow_of(context, value, scope)
        elif isinstance(item, exp.Column):
            fields[item.name.casefold()] = flow_of(context, item, scope)
    return fields or None
