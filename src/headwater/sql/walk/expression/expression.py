"""Walk through an expression: columns read, and how their values change."""

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from headwater.sql.dialects.differences import Feature
from headwater.sql.dialects.functions import effect_of_call, is_unit_argument
from headwater.sql.walk.expression.column_flow import Flow, OriginStep, Rows, followed_by, merge_into, read
from headwater.sql.walk.expression.transformation import (
    CONDITIONAL,
    IDENTITY,
    TRANSFORMATION,
    WINDOW,
    Effect,
    compose,
)
from headwater.sql.walk.scope.context import Scope, StatementContext
from headwater.sql.walk.scope.relation import Output
from headwater.sql.walk.scope.scope import resolve_column, resolve_name, resolve_parts, with_path
from headwater.sql.walk.scope.table_names import TableName

__all__ = ["add_rows", "dotted_output", "flow_of", "is_query"]

Locals = frozenset[str]
NO_LOCALS: Locals = frozenset()
Item = tuple[exp.Expr, Effect, Locals]

_DICTIONARY = re.compile(r"dict(get|has|is)", re.IGNORECASE)
_LEAVES: tuple[type[exp.Expr], ...] = (
    exp.Literal,
    exp.DataType,
    exp.Identifier,
    exp.Var,
    exp.Star,
    exp.Placeholder,
    exp.SessionParameter,
    exp.Null,
    exp.Boolean,
    exp.JSONPath,
    exp.Hint,
)
_TRANSPARENT: tuple[type[exp.Expr], ...] = (exp.Paren, exp.Alias, exp.Ordered, exp.Tuple, exp.Order, exp.Where)


def is_query(node: object) -> bool:
    return isinstance(node, exp.Query | exp.Subquery)


class _Walk:
    """Walk of one expression: the scope for its names, and the result so far."""

    __slots__ = ("context", "flow", "scope", "whole")

    def __init__(self, context: StatementContext, scope: Scope, whole: exp.Expr) -> None:
        self.context = context
        self.scope = scope
        self.whole = whole
        self.flow: Flow = {}


def flow_of(context: StatementContext, expression: exp.Expr, scope: Scope) -> Flow:
    """Every origin of an expression's value."""
    if type(expression) is exp.Column and type(expression.args["this"]) is not exp.Star:
        context.budget.spend()
        return resolve_column(context, expression, scope).flow
    walk = _Walk(context, scope, expression)
    stack: list[Item] = [(expression, IDENTITY, NO_LOCALS)]
    spend = context.budget.spend
    while stack:
        node, effect, locals_ = stack.pop()
        spend()
        kind = type(node)
        if kind in _SKIPPED:
            continue
        rule = _RULES.get(kind)
        if rule is not None:
            stack.extend(rule(walk, node, effect, locals_))
        elif kind in _PASSED:
            stack.extend((child, effect, locals_) for child in _children(node))
        elif isinstance(node, exp.Query):
            _read_query(walk, node, effect)
        else:
            inner = compose(effect_of_call(node), effect) if isinstance(node, exp.Func) else _transformed(effect)
            stack.extend((child, inner, locals_) for child in _children(node))
    return walk.flow


def add_rows(context: StatementContext, rows: Rows, expression: exp.Expr | None, scope: Scope, effect: Effect) -> None:
    """Note that an expression decides over rows: every column in it counts with `effect`."""
    if not isinstance(expression, exp.Expr):
        return
    for origin, inner in flow_of(context, expression, scope):
        rows[OriginStep(origin, compose(inner, effect))] = None


def _transformed(effect: Effect) -> Effect:
    return compose(TRANSFORMATION, effect)


def _children(node: exp.Expr) -> Iterator[exp.Expr]:
    for value in node.args.values():
        if isinstance(value, exp.Expr):
            yield value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, exp.Expr):
                    yield item


def _take(walk: _Walk, output: Output, effect: Effect, node: exp.Expr) -> None:
    merge_into(walk.flow, followed_by(output.flow, effect, None if node is walk.whole else walk.whole))


def _column(walk: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    column = node
    if not isinstance(column, exp.Column) or isinstance(column.this, exp.Star):
        return []
    if locals_:
        first = next(part for part in column.parts)
        if first.name.casefold() in locals_:
            return []
    _take(walk, resolve_column(walk.context, column, walk.scope), effect, node)
    return []


def _parameter(walk: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    """A variable has no origin; Snowflake's $1 is the first column of a staged file."""
    if Feature.STAGED_COLUMNS in walk.context.profile.features and node.name.isdigit() and walk.scope.relations:
        return _column(walk, exp.Column(this=exp.to_identifier(f"${node.name}")), effect, locals_)
    return []


def _dot(walk: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    base, path, calls = _unfold_dots(node)
    items: list[Item] = [(call, effect, locals_) for call in calls]
    if calls:
        method = isinstance(base, exp.Func)
        return [*items, (base, _transformed(effect), locals_)] if method else items
    if isinstance(base, exp.Column) and not isinstance(base.this, exp.Star):
        if locals_ and next(part for part in base.parts).name.casefold() in locals_:
            return items
        output = dotted_output(walk.context, base, path, walk.scope)
        _take(walk, output, effect, node)
        return items
    if isinstance(base, exp.Identifier):
        return items
    return [*items, (base, _transformed(effect), locals_)]


def dotted_output(context: StatementContext, base: exp.Column, path: list[exp.Expr], scope: Scope) -> Output:
    """A column reference with more dots than a table name has."""
    args = base.args
    parts = [args[key] for key in ("catalog", "db", "table", "this") if args.get(key)]
    if len(parts) + len(path) > 1 and not isinstance(base.this, exp.Star):
        return resolve_parts(context, [*parts, *path], scope, base)
    return with_path(resolve_name(context, base.this, scope, base), [part.name for part in path])


def _unfold_dots(node: exp.Expr) -> tuple[exp.Expr, list[exp.Expr], list[exp.Expr]]:
    path: list[exp.Expr] = []
    calls: list[exp.Expr] = []
    while isinstance(node, exp.Dot):
        last = node.expression
        if isinstance(last, exp.Func):
            calls.append(last)
        elif isinstance(last, exp.Expr):
            path.append(last)
        node = node.this
    return node, path[::-1], calls


def _case(_: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    items: list[Item] = []
    decides = compose(CONDITIONAL, effect)
    if isinstance(node, exp.Case):
        if node.this is not None and isinstance(node.this, exp.Expr):
            items.append((node.this, decides, locals_))
        for branch in node.args.get("ifs") or ():
            items.append((branch.this, decides, locals_))
            items.append((branch.args["true"], effect, locals_))
        if isinstance(node.args.get("default"), exp.Expr):
            items.append((node.args["default"], effect, locals_))
        return items
    items.append((node.this, decides, locals_))
    items.extend((node.args[key], effect, locals_) for key in ("true", "false") if node.args.get(key))
    return items


def _filter(_: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    return [(node.this, effect, locals_), (node.expression, compose(CONDITIONAL, effect), locals_)]


def _window(walk: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    items: list[Item] = [(node.this, effect, locals_)]
    over = compose(WINDOW, effect)
    seen: set[int] = set()
    spec: exp.Expr | None = node
    while spec is not None and id(spec) not in seen:
        seen.add(id(spec))
        items.extend((part, over, locals_) for part in spec.args.get("partition_by") or ())
        order = spec.args.get("order")
        if isinstance(order, exp.Expr):
            items.append((order, over, locals_))
        alias = spec.args.get("alias")
        base = spec.args.get("this") if spec is not node else None
        named = alias if spec is node else base
        spec = walk.scope.windows.get(named.name.casefold()) if isinstance(named, exp.Expr) else None
    return items


def _lambda(walk: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    if not walk.context.profile.lambdas or isinstance(node.this, exp.Literal):
        inner = _transformed(effect)
        columns = [exp.Column(this=parameter) for parameter in node.args.get("expressions") or ()]
        return [(node.this, inner, locals_), *((column, inner, locals_) for column in columns)]
    names = locals_ | {parameter.name.casefold() for parameter in node.args.get("expressions") or ()}
    return [(node.this, _transformed(effect), names)]


def _comprehension(_: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    """DuckDB's [f(x) FOR x IN list IF ..]."""
    names = locals_ | {node.expression.name.casefold()}
    inner = _transformed(effect)
    items: list[Item] = [(node.this, inner, names), (node.args["iterator"], inner, locals_)]
    if isinstance(node.args.get("condition"), exp.Expr):
        items.append((node.args["condition"], compose(CONDITIONAL, effect), names))
    return items


def _xml_element(_: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    """XMLELEMENT("name", a): the parser keeps its arguments as bare names."""
    return [
        (exp.Column(this=item) if isinstance(item, exp.Identifier) else item, _transformed(effect), locals_)
        for item in node.expressions
    ]


def _value_only(_: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    value = node.args.get("expression")
    return [(value, effect, locals_)] if isinstance(value, exp.Expr) else []


def _anonymous(walk: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    if not isinstance(node, exp.Anonymous):
        return []
    inner = compose(effect_of_call(node), effect)
    naming = _read_dictionary(walk, node, inner)
    return [
        (argument, inner, locals_)
        for index, argument in enumerate(node.expressions)
        if index >= naming and isinstance(argument, exp.Expr) and not (index < 2 and is_unit_argument(node, argument))
    ]


def _read_dictionary(walk: _Walk, call: exp.Anonymous, effect: Effect) -> int:
    """ClickHouse's dictGet('db.dictionary', 'attribute', key): how many arguments name what is read."""
    if Feature.DICTIONARIES not in walk.context.profile.features or not _DICTIONARY.match(call.name):
        return 0
    named, attributes = [*call.expressions, None, None][:2]
    if isinstance(named, exp.Literal) and named.is_string:
        parts = tuple(named.name.split("."))
    elif isinstance(named, exp.Column):
        parts = tuple(part.name for part in named.parts)
    else:
        return 0
    table = str(walk.context.catalog.qualify(TableName(parts)))
    walk.context.sources[table] = None
    listed = attributes.expressions if isinstance(attributes, exp.Tuple) else [attributes]
    names = [item.name for item in listed if isinstance(item, exp.Literal) and item.is_string]
    for name in names:
        merge_into(walk.flow, followed_by(read(table, name), effect, walk.whole))
    return 2 if names else 1


def _exists(walk: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    if not is_query(node.this):
        return [(child, _transformed(effect), locals_) for child in _children(node)]
    result = walk.context.query(node.this, walk.scope.environment, walk.scope)
    walk.context.rows.update(result.rows)
    return []


def _in(walk: _Walk, node: exp.Expr, effect: Effect, locals_: Locals) -> list[Item]:
    inner = _transformed(effect)
    items: list[Item] = []
    for key in ("this", "expressions", "query", "unnest", "field"):
        value = node.args.get(key)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, exp.Table):
                _read_query(walk, exp.select("*").from_(child.copy()), inner)
            elif isinstance(child, exp.Expr):
                items.append((child, inner, locals_))
    return items


def _subquery(walk: _Walk, node: exp.Expr, effect: Effect, _: Locals) -> list[Item]:
    _read_query(walk, node, effect)
    return []


def _read_query(walk: _Walk, node: exp.Expr, effect: Effect) -> None:
    """A query in the place of a value: its columns feed it, its filters count for the rows of the statement."""
    result = walk.context.query(node, walk.scope.environment, walk.scope)
    for output in result.outputs:
        merge_into(walk.flow, followed_by(output.flow, effect, walk.whole))
    walk.context.rows.update(result.rows)


_RULES: dict[type[exp.Expr], Callable[[_Walk, exp.Expr, Effect, Locals], list[Item]]] = {
    exp.Column: _column,
    exp.Dot: _dot,
    exp.Parameter: _parameter,
    exp.Case: _case,
    exp.If: _case,
    exp.Filter: _filter,
    exp.Window: _window,
    exp.Lambda: _lambda,
    exp.Comprehension: _comprehension,
    exp.XMLElement: _xml_element,
    exp.Kwarg: _value_only,
    exp.PropertyEQ: _value_only,
    exp.Anonymous: _anonymous,
    exp.Exists: _exists,
    exp.In: _in,
    exp.Subquery: _subquery,
}
_SKIPPED = frozenset(_LEAVES)
_PASSED = frozenset(_TRANSPARENT)
