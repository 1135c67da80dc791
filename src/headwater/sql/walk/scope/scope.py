"""Name resolution: the relation that a column belongs to."""

from sqlglot import exp

from headwater.sql.dialects.differences import Feature
from headwater.sql.walk.expression.column_flow import add_path, read, unresolved
from headwater.sql.walk.scope.context import Scope, StatementContext
from headwater.sql.walk.scope.relation import Certainty, FoundColumn, Output, Relation
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["find_relation", "relations_named", "resolve_column", "resolve_name", "with_path"]

_RESERVED = frozenset(
    {
        *("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user"),
        *("session_user", "current_role", "current_catalog", "current_schema", "default"),
    }
)
"""Words that no dialect lets stand for a column without quotes."""
_ORACLE = frozenset({"rownum", "level", "sysdate", "systimestamp", "user", "rowid", "uid", "sqlcode", "sqlerrm"})
_CONSTANTS = _RESERVED | _ORACLE | {"today", "proctime", "true", "false", "null"}
"""Words that are taken for a constant where no table has a column of that name."""


def _is_constant(context: StatementContext, identifier: exp.Expr, key: str, *, found: bool) -> bool:
    """Whether a bare word is no column; `found` if a table without a schema may have it."""
    if key in context.variables:
        return True
    if identifier.args.get("quoted"):
        return False
    if not found:
        return key in _CONSTANTS
    return key in _RESERVED or (Feature.ORACLE_CONSTANTS in context.profile.features and key in _ORACLE)


def resolve_column(context: StatementContext, column: exp.Column, scope: Scope) -> Output:
    """Find the column that a reference means; an unresolved one is reported and keeps its name."""
    args = column.args
    this = args["this"]
    if not args.get("table"):
        return resolve_name(context, this, scope, column)
    parts = [args[key] for key in ("catalog", "db", "table") if args.get(key)]
    parts.append(this)
    return resolve_parts(context, parts, scope, column)


def resolve_parts(context: StatementContext, parts: list[exp.Expr], scope: Scope, node: exp.Expr) -> Output:
    names = [part.name.casefold() for part in parts]
    level: Scope | None = scope
    while level is not None:
        for size in range(1, len(parts)):
            relation = find_relation(level, names[:size])
            if relation is not None:
                return _column_of(context, relation, parts[size:], node)
        if context.profile.structs:
            found = _find_unqualified(context, level, parts[0].name)
            if found.certainty is Certainty.YES and found.output is not None:
                return with_path(found.output, [part.name for part in parts[1:]])
        level = level.parent
    return _resolve_loosely(context, parts, scope, node)


def _resolve_loosely(context: StatementContext, parts: list[exp.Expr], scope: Scope, node: exp.Expr) -> Output:
    """A qualifier that names no relation: an aliased table's own name, or a struct of a table without a schema."""
    names = [part.name.casefold() for part in parts]
    level: Scope | None = scope
    while level is not None:
        for size in range(1, len(parts)):
            own = [relation for relation in level.relations if _ends_with(relation.parts, names[:size])]
            if len(own) == 1:
                return _column_of(context, own[0], parts[size:], node)
        level = level.parent
    if context.profile.structs:
        level = scope
        while level is not None:
            found = _find_unqualified(context, level, identifier_text(parts[0], context.profile))
            if found.output is not None:
                return with_path(found.output, [part.name for part in parts[1:]])
            level = level.parent
    text = ".".join(part.name for part in parts)
    known = tuple(relation.alias or relation.describe() for relation in scope.relations)
    context.report("unknown-qualifier", f"{text}: no table of the query is called that", node, known)
    return Output(parts[-1].name, unresolved(parts[-1].name))


def find_relation(scope: Scope, qualifier: list[str]) -> Relation | None:
    if len(qualifier) == 1:
        wanted = qualifier[0]
        for relation in scope.relations:
            if relation.alias == wanted:
                return relation
        return None
    for relation in scope.relations:
        if relation.alias == qualifier[-1] and _ends_with(relation.parts, qualifier):
            return relation
    return None


def relations_named(scope: Scope, qualifier: list[str]) -> Relation | None:
    """As `find_relation`, through the outer scopes and by a table's own name."""
    level: Scope | None = scope
    while level is not None:
        relation = find_relation(level, qualifier)
        if relation is not None:
            return relation
        level = level.parent
    own = [relation for relation in scope.relations if _ends_with(relation.parts, qualifier)]
    return own[0] if len(own) == 1 else None


def _ends_with(parts: tuple[str, ...], qualifier: list[str]) -> bool:
    return len(parts) >= len(qualifier) and list(parts[-len(qualifier) :]) == qualifier


def _column_of(context: StatementContext, relation: Relation, rest: list[exp.Expr], node: exp.Expr) -> Output:
    name = identifier_text(rest[0], context.profile)
    found = relation.find(name)
    output = found.output
    _say_which(context, name, found, node)
    if output is None:
        if found.candidates:
            context.report("ambiguous-column", f"{name} may come from several tables", node, found.candidates)
        else:
            known = tuple(output.name for output in relation.outputs[:20])
            context.report("unknown-column", f"{relation.describe()} has no column {name}", node, known)
        if relation.table is None:
            return Output(name, unresolved(name))
        output = Output(name, read(relation.table, name), nested=True)
    return with_path(output, [part.name for part in rest[1:]]) if len(rest) > 1 else output


def _say_which(context: StatementContext, name: str, found: FoundColumn, node: exp.Expr) -> None:
    if found.output is not None and found.candidates:
        message = f"a subquery has more than one column {name}: the first counts"
        context.report("ambiguous-column", message, node, found.candidates)


def with_path(output: Output, path: list[str]) -> Output:
    """A field of a structured column."""
    if not path:
        return output
    if output.fields is not None:
        field = output.fields.get(path[0].casefold())
        if field is not None:
            return with_path(Output(path[0], field, nested=True), path[1:])
    if not output.nested:
        return Output(path[-1], output.flow)
    return Output(path[-1], add_path(output.flow, path), nested=True)


def _find_unqualified(context: StatementContext, level: Scope, name: str) -> FoundColumn:
    """Look a bare name up in one scope."""
    key = name.casefold()
    merged = level.merged.get(key)
    if merged is not None:
        return FoundColumn(Certainty.YES, merged)
    certain: list[FoundColumn] = []
    possible: list[FoundColumn] = []
    places: list[str] = []
    for relation in level.relations:
        found = relation.find(name)
        if found.certainty is Certainty.YES:
            certain.append(found)
            places.append(relation.describe())
        elif found.certainty is Certainty.MAYBE:
            possible.append(found)
    if len(certain) == 1:
        return certain[0]
    if certain:
        return FoundColumn(Certainty.YES, None, tuple(places))
    if level.aliases and key in level.aliases and (not possible or context.profile.lateral_aliases):
        return FoundColumn(Certainty.YES, level.aliases[key])
    if len(possible) == 1:
        return possible[0]
    if possible:
        open_ones = tuple(relation.describe() for relation in level.relations if relation.is_open())
        return FoundColumn(Certainty.MAYBE, None, open_ones)
    return FoundColumn(Certainty.NO, None)


def resolve_name(context: StatementContext, identifier: exp.Expr, scope: Scope, node: exp.Expr) -> Output:
    """Find an unqualified column: in the innermost scope that has it, or may have it."""
    name = identifier_text(identifier, context.profile)
    relations = scope.relations
    if len(relations) == 1 and not scope.merged:
        found = relations[0].find(name)
        if found.certainty is Certainty.YES and found.output is not None and not found.candidates:
            return found.output
    key = name.casefold()
    level: Scope | None = scope
    while level is not None:
        if level.relations or level.aliases or level.merged:
            found = _find_unqualified(context, level, name)
            if found.output is not None:
                if found.certainty is Certainty.MAYBE and _is_constant(context, identifier, key, found=True):
                    return Output(name, {})
                _say_which(context, name, found, node)
                return found.output
            if found.candidates:
                if _is_constant(context, identifier, key, found=True):
                    return Output(name, {})
                message = f"{name} may come from {' or '.join(found.candidates)}"
                context.report("ambiguous-column", message, node, found.candidates)
                return Output(name, unresolved(name))
        level = level.parent
    if _is_constant(context, identifier, key, found=False):
        return Output(name, {})
    return _unknown(context, name, scope, node)


def _unknown(context: StatementContext, name: str, scope: Scope, node: exp.Expr) -> Output:
    key = name.casefold()
    whole_row = find_relation(scope, [key])
    if whole_row is not None:
        flow = {step: value for output in whole_row.outputs for step, value in output.flow.items()}
        fields = {output.name.casefold(): output.flow for output in whole_row.outputs}
        return Output(name, flow, fields=fields or None)
    tables = [relation for relation in scope.relations if relation.table is not None]
    known = tuple(output.name for relation in scope.relations for output in relation.outputs)[:20]
    context.report("unknown-column", f"no table of the query has a column {name}", node, known)
    if len(tables) == 1 and len(scope.relations) == 1 and tables[0].table is not None:
        return Output(name, read(tables[0].table, name), nested=True)
    return Output(name, unresolved(name))
