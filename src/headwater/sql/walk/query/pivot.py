"""PIVOT and UNPIVOT."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Flow, followed_by, merge_into, read
from headwater.sql.walk.expression.expression import add_rows, flow_of
from headwater.sql.walk.expression.transformation import GROUP_BY, TRANSFORMATION
from headwater.sql.walk.query.lateral import alias_of
from headwater.sql.walk.query.star import add_all
from headwater.sql.walk.scope.context import Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["pivoted"]


def pivoted(context: StatementContext, pivot: exp.Pivot, relation: Relation, scope: Scope) -> Relation:
    """The relation that PIVOT or UNPIVOT makes of another."""
    inside = Scope(scope.environment, scope)
    inside.relations = [relation]
    alias, columns = alias_of(context, pivot)
    if pivot.args.get("unpivot"):
        outputs = _unpivoted(context, pivot, relation, inside)
    else:
        outputs = _pivoted(context, pivot, relation, inside)
    shaped = Relation(outputs, alias=relation.alias, parts=relation.parts)
    return shaped.renamed_to(alias, columns)


def _pivoted(context: StatementContext, pivot: exp.Pivot, relation: Relation, inside: Scope) -> tuple[Output, ...]:
    aggregates = [*pivot.expressions, *(pivot.args.get("using") or ())] if pivot.args.get("fields") else []
    simplified = not aggregates
    if simplified:
        aggregates = list(pivot.args.get("using") or ())
    keys: list[exp.Expr] = [field.this for field in pivot.args.get("fields") or () if isinstance(field.this, exp.Expr)]
    if simplified:
        keys = [item.this if isinstance(item, exp.In) else item for item in pivot.expressions]
    for key in keys:
        add_rows(context, context.rows, key, inside, GROUP_BY)
    flows = [flow_of(context, aggregate, inside) for aggregate in aggregates]
    used = {column.name.casefold() for node in (*aggregates, *keys) for column in node.find_all(exp.Column)}
    group = pivot.args.get("group")
    kept = _kept(relation, used)
    if simplified and group is not None:
        named = [(item.alias_or_name, flow_of(context, item, inside)) for item in group.expressions]
        kept = [Output(name, flow) for name, flow in named]
    names = [identifier_text(column, context.profile) for column in pivot.args.get("columns") or ()]
    if simplified and not names:
        names = [
            value.alias_or_name or value.name
            for item in pivot.expressions
            if isinstance(item, exp.In)
            for value in item.expressions
        ]
    if not flows:
        flows = [{}]
    if not names:
        together: Flow = {}
        for flow in flows:
            merge_into(together, flow)
        return (*kept, Output("*", together, rest=Relation(any_flow=together)))
    return (*kept, *(Output(name, flows[index % len(flows)]) for index, name in enumerate(names)))


def _kept(relation: Relation, used: set[str]) -> list[Output]:
    kept = [output for output in relation.outputs if output.name.casefold() not in used or output.rest is not None]
    if relation.base is not None:
        from_base = Relation(base=relation.base)
        kept.append(Output("*", read(relation.base, "*"), rest=from_base, without=frozenset(used)))
    return kept


def _unpivoted(context: StatementContext, pivot: exp.Pivot, relation: Relation, inside: Scope) -> tuple[Output, ...]:
    """Columns become rows: a column of values from all of them, and one of their names from none."""
    used: set[str] = set()
    names: list[Output] = []
    values: list[Output] = []
    for field in pivot.args.get("fields") or ():
        if not isinstance(field, exp.In):
            continue
        name = field.this
        if isinstance(name, exp.Expr):
            names.append(Output(name.name, {}))
        rows = [_cells(item) for item in field.expressions]
        used.update(cell.name.casefold() for row in rows for cell in row)
        targets = [cell for item in pivot.expressions for cell in _cells(item)]
        for index, target in enumerate(targets):
            flow: Flow = {}
            for row in rows:
                if index < len(row):
                    merge_into(flow, flow_of(context, row[index], inside))
            values.append(Output(target.name, followed_by(flow, TRANSFORMATION, pivot)))
    if not pivot.args.get("fields"):
        return _unpivoted_simply(context, pivot, relation, inside)
    ordered = [*values, *names] if pivot.args.get("value_columns_first") else [*names, *values]
    return (*_kept(relation, used), *ordered)


def _unpivoted_simply(
    context: StatementContext, pivot: exp.Pivot, relation: Relation, inside: Scope
) -> tuple[Output, ...]:
    """DuckDB's `UNPIVOT t ON a, b INTO NAME n VALUE v`."""
    columns = [cell for item in pivot.expressions for cell in _cells(item)]
    used = {column.name.casefold() for column in columns}
    flow: Flow = {}
    for column in columns:
        if isinstance(column, exp.Star | exp.Columns):
            merge_into(flow, add_all(relation.outputs))
        else:
            merge_into(flow, flow_of(context, column, inside))
    into = pivot.args.get("into")
    name = into.this.name if into is not None and isinstance(into.this, exp.Expr) else "name"
    targets = [item.name for item in into.expressions] if into is not None else []
    made = followed_by(flow, TRANSFORMATION, pivot)
    return (*_kept(relation, used), Output(name, {}), *(Output(target, made) for target in targets or ["value"]))


def _cells(item: exp.Expr) -> list[exp.Expr]:
    if isinstance(item, exp.Alias | exp.PivotAlias):
        item = item.this
    if isinstance(item, exp.Tuple):
        return [cell for cell in item.expressions if isinstance(cell, exp.Expr)]
    if isinstance(item, exp.Paren):
        return [item.this]
    return [item]
