"""LATERAL, APPLY, UNNEST, LATERAL VIEW and VALUES."""

from sqlglot import exp

from headwater.sql.dialects.differences import Feature
from headwater.sql.walk.expression.column_flow import Flow, Rows, followed_by, merge_into
from headwater.sql.walk.expression.expression import flow_of
from headwater.sql.walk.expression.structs import struct_fields
from headwater.sql.walk.expression.transformation import TRANSFORMATION
from headwater.sql.walk.scope.context import Alias, Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["add_lateral", "add_unnest", "alias_of", "argument_flow", "values_relation"]


def alias_of(context: StatementContext, node: exp.Expr) -> Alias:
    """The case-folded alias and the column aliases of a FROM item."""
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return Alias(alias.name.casefold() if isinstance(alias, exp.Expr) else "", [])
    columns = [
        identifier_text(column.this if isinstance(column, exp.ColumnDef) else column, context.profile)
        for column in alias.args.get("columns") or ()
    ]
    return Alias(alias.name.casefold(), columns)


def add_lateral(context: StatementContext, lateral: exp.Lateral, scope: Scope, rows: Rows) -> None:
    """A subquery that sees its neighbours, or a function called once per row."""
    inner = lateral.this
    alias, columns = alias_of(context, lateral)
    if isinstance(inner, exp.Subquery) and isinstance(inner.this, exp.Query):
        result = context.query(inner, scope.environment, scope)
        rows.update(result.rows)
        scope.relations.append(Relation(result.outputs).renamed_to(alias, columns))
    elif isinstance(inner, exp.Unnest):
        if lateral.args.get("alias") is not None:
            inner.set("alias", lateral.args["alias"].copy())
        add_unnest(context, inner, scope)
    elif isinstance(inner, exp.Table | exp.TableFromRows | exp.Values):
        context.add_function(inner, Alias(alias, columns), scope, rows)
    else:
        context.add_function(lateral, Alias(alias, columns), scope, rows)


def argument_flow(context: StatementContext, call: exp.Expr, scope: Scope) -> tuple[Flow, bool]:
    """Everything that goes into a function, and whether it is one plain column (whose fields can be named)."""
    arguments = [value for value in _arguments(call) if not isinstance(value, exp.Literal)]
    flow: Flow = {}
    for argument in arguments:
        merge_into(flow, flow_of(context, argument, scope))
    plain = len(arguments) == 1 and isinstance(_value(arguments[0]), exp.Column | exp.Dot)
    return followed_by(flow, TRANSFORMATION, call), plain


def _value(argument: exp.Expr) -> exp.Expr:
    return argument.expression if isinstance(argument, exp.Kwarg) else argument


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    arguments: list[exp.Expr] = []
    for value in call.args.values():
        if isinstance(value, exp.Expr) and not isinstance(value, exp.Identifier):
            arguments.append(value)
        elif isinstance(value, list):
            arguments.extend(item for item in value if isinstance(item, exp.Expr))
    return arguments


def add_unnest(context: StatementContext, unnest: exp.Unnest, scope: Scope) -> None:
    """One relation with a column per array, and the place in it where that is asked for: it depends on the arrays."""
    alias, columns = alias_of(context, unnest)
    arrays = unnest.expressions
    outputs: list[Output] = []
    rest: Flow = {}
    names = list(columns)
    if not names and alias:
        names = [alias]
    for index, array in enumerate(arrays):
        flow = followed_by(flow_of(context, array, scope), TRANSFORMATION, unnest)
        merge_into(rest, flow)
        element = _element(array)
        fields = struct_fields(context, element, scope) if element is not None else None
        plain = isinstance(array, exp.Column | exp.Dot)
        own = names[index : index + 1] if len(arrays) > 1 else names
        outputs.extend(Output(name, flow, nested=plain, fields=fields) for name in own)
    if len(arrays) > 1:
        outputs.extend(Output(name, rest) for name in names[len(arrays) :])
    offset = unnest.args.get("offset")
    if isinstance(offset, exp.Expr):
        name = identifier_text(offset, context.profile)
        outputs = [output for output in outputs if output.name != name]
        outputs.append(Output(name, rest))
    elif offset and columns and len(columns) > len(arrays):
        outputs[-1] = Output(columns[-1], rest)
    elif offset and not columns:
        outputs.append(Output("ordinality", rest))
    if len(outputs) == 1:
        fields = outputs[0].fields or {}
        outputs.extend([Output(name, flow, hidden=True) for name, flow in fields.items()])
    quiet = bool(columns)
    open_flow = rest if not columns or Feature.WHOLE_ROW_ALIAS in context.profile.features else None
    scope.relations.append(Relation(tuple(outputs), alias=alias, any_flow=open_flow, quiet=quiet))


def _element(array: exp.Expr) -> exp.Expr | None:
    if isinstance(array, exp.Array) and array.expressions:
        first = array.expressions[0]
        return first if isinstance(first, exp.Expr) else None
    return None


def values_relation(context: StatementContext, values: exp.Values, scope: Scope) -> Relation:
    """VALUES: the columns of all rows, place by place."""
    alias, columns = alias_of(context, values)
    flows: list[Flow] = []
    for row in values.expressions:
        cells = row.expressions if isinstance(row, exp.Tuple | exp.Paren | exp.Struct) and row.expressions else [row]
        if isinstance(row, exp.Anonymous) and row.name.upper() == "ROW":
            cells = row.expressions
        for index, cell in enumerate(cells):
            if index == len(flows):
                flows.append({})
            if not isinstance(cell, exp.Literal):
                merge_into(flows[index], flow_of(context, cell, scope))
    outputs = tuple(
        Output(columns[index] if index < len(columns) else f"column{index + 1}", flow)
        for index, flow in enumerate(flows)
    )
    return Relation(outputs, alias=alias)
