"""SELECT list: name and sources of each output column."""

import re
from typing import NamedTuple

from sqlglot import exp

from headwater.sql.dialects.differences import Feature, Transparent
from headwater.sql.dialects.generated_names import generated_name
from headwater.sql.limits import OverLimit
from headwater.sql.walk.expression.column_flow import Flow, followed_by
from headwater.sql.walk.expression.expression import flow_of
from headwater.sql.walk.expression.structs import struct_fields
from headwater.sql.walk.expression.transformation import TRANSFORMATION
from headwater.sql.walk.query.star import add_all, expand_qualified_star, expand_star, outputs_of
from headwater.sql.walk.scope.context import Scope, StatementContext
from headwater.sql.walk.scope.relation import Output
from headwater.sql.walk.scope.scope import resolve_column
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["Position", "column_name", "projected"]

_NAMED = frozenset({exp.Alias, exp.Aliases, exp.Column, exp.Star, exp.Dot})
"""Items of a SELECT list that have a name already."""
_TRANSPARENT: dict[Transparent, tuple[type[exp.Expr], ...]] = {
    Transparent.PARENTHESES: (exp.Paren,),
    Transparent.CASTS: (exp.Paren, exp.Cast),
    Transparent.ANYTHING: (exp.Paren, exp.Cast, exp.Subquery),
}


class Position(NamedTuple):
    """Where an item of a SELECT list stands: among the items, among the columns so far, among those without a name."""

    item: int
    output: int
    unnamed: int


def projected(context: StatementContext, select: exp.Select, scope: Scope) -> tuple[Output, ...]:
    """The columns of one SELECT, in order."""
    outputs: list[Output] = []
    excluded = select.args.get("exclude") or []
    transform: exp.QueryTransform | None = None
    unnamed = 0
    for position, expression in enumerate(select.expressions):
        if transform is not None and isinstance(expression, exp.Column):
            outputs.append(outputs[-1]._replace(name=identifier_text(expression.this, context.profile)))
            continue
        transform = _find_transform(expression)
        where = Position(position, len(outputs), unnamed)
        new = _project(context, expression, scope, where, excluded if isinstance(excluded, list) else [excluded])
        outputs.extend(new)
        unnamed += type(expression) not in _NAMED
        if isinstance(expression, exp.Alias):
            for output in new:
                scope.aliases.setdefault(output.name.casefold(), output)
        if len(outputs) > context.budget.limits.columns:
            raise OverLimit("columns")
    if select.args.get("kind") == "STRUCT":
        return (Output("struct", add_all(tuple(outputs)), fields={o.name.casefold(): o.flow for o in outputs}),)
    return tuple(outputs)


def _project(
    context: StatementContext, expression: exp.Expr, scope: Scope, where: Position, excluded: list[exp.Expr]
) -> list[Output]:
    kind = type(expression)
    if kind is exp.Alias:
        return [_aliased(context, expression, scope)]
    if kind is exp.Column and isinstance(expression, exp.Column):
        if isinstance(expression.this, exp.Star):
            return expand_qualified_star(context, expression, scope)
        if expression.this.args.get("quoted") and Feature.PATTERN_COLUMNS in context.profile.features:
            matched = _by_pattern(expression.name, scope)
            if matched:
                return matched
        output = resolve_column(context, expression, scope)
        context.budget.spend()
        name = identifier_text(expression.this, context.profile)
        return [output if output.name == name else output._replace(name=name)]
    if isinstance(expression, exp.Star):
        return expand_star(context, expression, scope, excluded)
    if isinstance(expression, exp.Aliases):
        flow = flow_of(context, expression.this, scope)
        return [Output(identifier_text(name, context.profile), flow) for name in expression.expressions]
    if isinstance(expression, exp.QueryTransform):
        return _transform_using(context, expression, scope)
    if isinstance(expression, exp.Columns):
        return _matching_columns(expression, scope)
    if isinstance(expression, exp.Dot) and isinstance(expression.expression, exp.Star):
        flow_of(context, expression.this, scope)
        context.report("unknown-fields", "the fields of this struct are not known", expression.this)
        return []
    repeated = _repeated(context, expression, scope)
    if repeated is not None:
        return repeated
    generated = _generated(context, expression, scope)
    if generated is not None:
        return generated
    flow = flow_of(context, expression, scope)
    name = column_name(context, expression, where)
    return [
        Output(name, flow, nested=isinstance(expression, exp.Dot), fields=struct_fields(context, expression, scope))
    ]


def _aliased(context: StatementContext, alias: exp.Expr, scope: Scope) -> Output:
    inner = alias.this
    name = identifier_text(alias.args["alias"], context.profile)
    if type(inner) is exp.Column and not isinstance(inner.this, exp.Star):
        context.budget.spend()
        found = resolve_column(context, inner, scope)
        return Output(name, found.flow, found.nested, found.fields)
    flow = flow_of(context, inner, scope)
    nested = isinstance(inner, exp.Dot | exp.Bracket)
    return Output(name, flow, nested=nested, fields=struct_fields(context, inner, scope))


def column_name(context: StatementContext, expression: exp.Expr, where: Position) -> str:
    """Name of a column without an alias: that of the column inside, or the engine's generated name."""
    profile = context.profile
    inner: exp.Expr = expression
    while isinstance(inner, _TRANSPARENT[profile.transparent]):
        inner = inner.this
    if isinstance(inner, exp.Column):
        return identifier_text(inner.this, profile)
    if isinstance(inner, exp.Parameter) and Feature.STAGED_COLUMNS in profile.features:
        return f"${inner.name}"
    if isinstance(inner, exp.Dot) and isinstance(inner.expression, exp.Identifier):
        return identifier_text(inner.expression, profile)
    if isinstance(inner, exp.Select) and len(inner.expressions) == 1:
        only = inner.expressions[0]
        if isinstance(only, exp.Alias):
            return identifier_text(only.args["alias"], profile)
        return column_name(context, only, where)
    position = where.output if Feature.STAR_COUNTS_COLUMNS in profile.features else where.item
    return generated_name(profile, str(expression.meta.get("text") or ""), position, where.unnamed)


_GENERATED: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Explode: ("col",),
    exp.ExplodeOuter: ("col",),
    exp.Posexplode: ("pos", "col"),
    exp.PosexplodeOuter: ("pos", "col"),
}


def _generated(context: StatementContext, expression: exp.Expr, scope: Scope) -> list[Output] | None:
    """A generator in the SELECT list names its own columns."""
    names = _GENERATED.get(type(expression))
    if names is None or Feature.GENERATOR_COLUMNS not in context.profile.features:
        return None
    flow = flow_of(context, expression, scope)
    return [Output(name, flow, nested=name == "col") for name in names]


def _find_transform(expression: exp.Expr) -> exp.QueryTransform | None:
    """`TRANSFORM (..) USING '..' AS a, b`: the words after the first name are further names, not columns."""
    inner = expression.this if isinstance(expression, exp.Alias) else expression
    return inner if isinstance(inner, exp.QueryTransform) else None


def _transform_using(context: StatementContext, transform: exp.QueryTransform, scope: Scope) -> list[Output]:
    """Hive's TRANSFORM ... USING: every column that comes out may depend on every one that goes in."""
    flow: Flow = {}
    for argument in transform.expressions:
        if isinstance(argument, exp.Star):
            flow.update(add_all(tuple(output for relation in scope.relations for output in outputs_of(relation))))
        else:
            flow.update(flow_of(context, argument, scope))
    flow = followed_by(flow, TRANSFORMATION, transform)
    schema = transform.args.get("schema")
    if schema is None:
        return [Output("key", flow), Output("value", flow)]
    columns = [column.this if isinstance(column, exp.ColumnDef) else column for column in schema.expressions]
    return [Output(identifier_text(column, context.profile), flow) for column in columns]


def _by_pattern(name: str, scope: Scope) -> list[Output]:
    """Hive's regular expression in backticks, where it is no column's name."""
    if not any(character in name for character in "|*+?[("):
        return []
    outputs = [output for relation in scope.relations for output in outputs_of(relation)]
    if any(output.name.casefold() == name.casefold() for output in outputs):
        return []
    try:
        wanted = re.compile(name, re.IGNORECASE)
    except re.error:
        return []
    return [output for output in outputs if output.rest is None and wanted.fullmatch(output.name)]


def _repeated(context: StatementContext, expression: exp.Expr, scope: Scope) -> list[Output] | None:
    """`MIN(COLUMNS(*))`: the expression once for each column that matches."""
    if Feature.COLUMNS_FUNCTION not in context.profile.features:
        return None
    columns = expression.find(exp.Columns)
    if columns is None:
        return None
    outputs: list[Output] = []
    for output in _matching_columns(columns, scope):
        one = expression.copy()
        position = one.find(exp.Columns)
        if position is not None and output.rest is None:
            position.replace(exp.column(output.name, quoted=True))
            outputs.append(Output(output.name, flow_of(context, one, scope)))
    return outputs


def _matching_columns(columns: exp.Columns, scope: Scope) -> list[Output]:
    """DuckDB's and ClickHouse's COLUMNS('pattern')."""
    outputs = [output for relation in scope.relations for output in outputs_of(relation)]
    pattern = columns.this
    if isinstance(pattern, exp.Literal):
        try:
            wanted = re.compile(pattern.name)
        except re.error:
            return outputs
        return [output for output in outputs if output.rest is not None or wanted.search(output.name)]
    return outputs
