"""Expanding `*`, with EXCEPT, REPLACE and RENAME, where the columns are known."""

import re

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Flow, Origin, OriginStep, merge_into
from headwater.sql.walk.expression.expression import flow_of
from headwater.sql.walk.expression.transformation import IDENTITY
from headwater.sql.walk.scope.context import Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation, star_of
from headwater.sql.walk.scope.scope import relations_named, resolve_name, resolve_parts
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["add_all", "expand_qualified_star", "expand_star", "outputs_of"]


def expand_star(context: StatementContext, star: exp.Expr, scope: Scope, excluded: list[exp.Expr]) -> list[Output]:
    """`*`: the columns that USING merged first, then those of each relation."""
    outputs = list(scope.merged.values())
    for relation in scope.relations:
        outputs.extend(
            output for output in outputs_of(relation) if output.name.casefold() not in scope.merged or output.rest
        )
    return _adjusted(context, star, scope, outputs, excluded)


def expand_qualified_star(context: StatementContext, column: exp.Column, scope: Scope) -> list[Output]:
    """`t.*`, or the fields of a struct."""
    parts = [column.args[key] for key in ("catalog", "db", "table") if column.args.get(key)]
    relation = relations_named(scope, [part.name.casefold() for part in parts])
    if relation is not None:
        return _adjusted(context, column.this, scope, list(outputs_of(relation)), [])
    if len(parts) > 1:
        output = resolve_parts(context, parts, scope, column)
    else:
        output = resolve_name(context, parts[0], scope, column)
    if output.fields:
        return [Output(name, flow, nested=True) for name, flow in output.fields.items()]
    return [Output("*", output.flow, rest=Relation(any_flow=output.flow))]


def outputs_of(relation: Relation) -> tuple[Output, ...]:
    """The columns that a star gives for one relation; a star stays a star where they are unknown."""
    outputs = tuple(output for output in relation.outputs if not output.hidden)
    if relation.base is not None and not relation.quiet:
        flow: Flow = {OriginStep(Origin(relation.base, "*"), IDENTITY): None}
        return (*outputs, star_of(relation, flow))
    if relation.any_flow is not None and not relation.quiet:
        return (*outputs, star_of(relation, relation.any_flow))
    return outputs


def _names(nodes: object, context: StatementContext) -> list[str]:
    listed = nodes if isinstance(nodes, list) else [nodes] if isinstance(nodes, exp.Expr) else []
    names: list[str] = []
    for node in listed:
        inner = node.expressions if isinstance(node, exp.Tuple | exp.Paren) and node.expressions else [node]
        names.extend(
            identifier_text(item.this if isinstance(item, exp.Column) else item, context.profile) for item in inner
        )
    return names


def _adjusted(
    context: StatementContext, star: exp.Expr, scope: Scope, outputs: list[Output], excluded: list[exp.Expr]
) -> list[Output]:
    args = star.args
    if not (args.get("except_") or args.get("replace") or args.get("rename") or args.get("ilike") or excluded):
        return outputs
    without = {name.casefold() for name in [*_names(args.get("except_"), context), *_names(excluded, context)]}
    replaced: dict[str, Output] = {}
    for item in args.get("replace") or ():
        name = (
            identifier_text(item.args["alias"], context.profile) if isinstance(item, exp.Alias) else item.alias_or_name
        )
        replaced[name.casefold()] = Output(name, flow_of(context, item, scope))
    renamed = {
        item.this.name.casefold(): identifier_text(item.args["alias"], context.profile)
        for item in args.get("rename") or ()
        if isinstance(item, exp.Alias)
    }
    pattern = args.get("ilike")
    if isinstance(pattern, exp.Expr):
        wanted = re.compile(re.escape(pattern.name).replace("%", ".*").replace("_", "."), re.IGNORECASE)
        outputs = [output for output in outputs if output.rest is not None or wanted.fullmatch(output.name)]
    hidden = frozenset(without | replaced.keys() | renamed.keys())
    result: list[Output] = []
    used: set[str] = set()
    for output in outputs:
        key = output.name.casefold()
        if output.rest is not None:
            result.append(output._replace(without=output.without | hidden))
            result.extend(_through_star(output, renamed, replaced, used))
        elif key in without:
            continue
        elif key in replaced:
            used.add(key)
            result.append(replaced[key])
        elif key in renamed:
            result.append(output._replace(name=renamed[key]))
        else:
            result.append(output)
    return result


def _through_star(star: Output, renamed: dict[str, str], replaced: dict[str, Output], used: set[str]) -> list[Output]:
    """Columns that REPLACE and RENAME name although the star itself stays unknown."""
    outputs = [output for key, output in replaced.items() if key not in used]
    used.update(replaced)
    for old, new in renamed.items():
        found = star.rest.find(old).output if star.rest is not None and old not in used else None
        if found is not None:
            used.add(old)
            outputs.append(found._replace(name=new))
    return outputs


def add_all(outputs: tuple[Output, ...]) -> Flow:
    flow: Flow = {}
    for output in outputs:
        merge_into(flow, output.flow)
    return flow
