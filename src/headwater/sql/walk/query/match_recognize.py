"""MATCH_RECOGNIZE: rows of a pattern to one row of measures."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Rows
from headwater.sql.walk.expression.expression import add_rows, flow_of
from headwater.sql.walk.expression.transformation import FILTER, GROUP_BY, SORT
from headwater.sql.walk.query.lateral import alias_of
from headwater.sql.walk.query.star import outputs_of
from headwater.sql.walk.scope.context import Scope, StatementContext
from headwater.sql.walk.scope.relation import Output, Relation
from headwater.sql.walk.scope.table_names import identifier_text

__all__ = ["match_rows"]


def match_rows(context: StatementContext, match: exp.Expr, scope: Scope, rows: Rows) -> None:
    """Replace the relations of FROM by the result of the match."""
    inside = Scope(scope.environment, scope.parent)
    inside.relations = list(scope.relations)
    inside.merged = scope.merged
    variables = _pattern_variables(match)
    for variable in variables:
        for relation in scope.relations[:1]:
            inside.relations.append(relation.renamed_to(variable, []))
    plain = Scope(scope.environment, scope.parent)
    plain.relations = list(scope.relations)
    outputs: list[Output] = []
    for key in match.args.get("partition_by") or ():
        add_rows(context, rows, key, plain, GROUP_BY)
        outputs.append(Output(key.name, flow_of(context, key, plain), nested=True))
    order = match.args.get("order")
    if order is not None:
        add_rows(context, rows, order, plain, SORT)
    if str(match.args.get("rows") or "").upper().startswith("ALL ROWS"):
        outputs = [output for relation in scope.relations for output in outputs_of(relation)]
    for measure in match.args.get("measures") or ():
        expression = measure.this
        name = expression.args["alias"] if isinstance(expression, exp.Alias) else expression
        value = expression.this if isinstance(expression, exp.Alias) else expression
        bound = _bound(value, variables)
        outputs.append(Output(identifier_text(name, context.profile), flow_of(context, bound, inside)))
    for definition in match.args.get("define") or ():
        condition = definition.this if isinstance(definition, exp.Alias) else definition
        add_rows(context, rows, _bound(condition, variables), inside, FILTER)
    alias, columns = alias_of(context, match)
    scope.relations[:] = [Relation(tuple(outputs), alias=alias).renamed_to(alias, columns)]
    scope.merged = {}


def _pattern_variables(match: exp.Expr) -> list[str]:
    """The names in the PATTERN and in DEFINE."""
    names: dict[str, None] = {}
    for definition in match.args.get("define") or ():
        names[definition.alias_or_name.casefold()] = None
    pattern = match.args.get("pattern")
    word = ""
    for character in f"{pattern.name if isinstance(pattern, exp.Expr) else ''} ":
        if character.isalnum() or character in "_$":
            word += character
        else:
            if word and not word[0].isdigit():
                names[word.casefold()] = None
            word = ""
    return list(names)


def _bound(expression: exp.Expr, variables: list[str]) -> exp.Expr:
    """A bare column belongs to the input, not to each of the variables that stand for its rows."""
    if not variables:
        return expression
    bound = expression.copy()
    columns = [bound] if isinstance(bound, exp.Column) else list(bound.find_all(exp.Column))
    for column in columns:
        if not column.args.get("table"):
            column.set("table", exp.to_identifier(variables[0]))
    return bound
