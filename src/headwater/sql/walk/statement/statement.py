"""Walk of one statement, by its kind."""

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from headwater.sql.dialects.differences import Feature
from headwater.sql.walk.scope.context import StatementContext
from headwater.sql.walk.scope.relation import Output
from headwater.sql.walk.statement.command import walk_command
from headwater.sql.walk.statement.copy_load import walk_copy, walk_export, walk_load
from headwater.sql.walk.statement.create import walk_cache, walk_create
from headwater.sql.walk.statement.insert import walk_multiple_inserts
from headwater.sql.walk.statement.target_edges import add_target, target_of, write_outputs
from headwater.sql.walk.statement.update_delete_merge import walk_change
from headwater.sql.walk.statement.use_drop_alter import walk_alter, walk_drop, walk_use

__all__ = ["walk_statement"]


def walk_statement(
    context: StatementContext, node: exp.Expr, tokens: list[Token], *, see_through: bool
) -> tuple[str, bool]:
    """Walk any statement; gives its kind and whether its target is temporary."""
    if isinstance(node, exp.Insert | exp.Update | exp.Delete | exp.Merge):
        walk_change(context, node, {})
        return type(node).__name__.upper(), _writes_temporary(context)
    if isinstance(node, exp.MultitableInserts):
        walk_multiple_inserts(context, node, {})
        return "INSERT", False
    if isinstance(node, exp.Create):
        temporary = walk_create(context, node, see_through=see_through)
        return f"CREATE {node.args.get('kind') or ''}".strip(), temporary
    if isinstance(node, exp.LockingStatement) and isinstance(node.expression, exp.Expr):
        return walk_statement(context, node.expression, tokens, see_through=see_through)
    if isinstance(node, exp.Query | exp.Subquery | exp.Values | exp.Pivot):
        return _walk_select(context, node)
    if isinstance(node, exp.Cache):
        walk_cache(context, node)
        return "CACHE TABLE", True
    if isinstance(node, exp.Use):
        walk_use(context, node)
    elif isinstance(node, exp.Drop):
        walk_drop(context, node)
    elif isinstance(node, exp.Alter):
        walk_alter(context, node)
    elif isinstance(node, exp.Copy):
        walk_copy(context, node)
    elif isinstance(node, exp.LoadData):
        walk_load(context, node)
    elif isinstance(node, exp.Export):
        walk_export(context, node)
    elif isinstance(node, exp.Command):
        return walk_command(context, tokens) or "COMMAND", False
    return type(node).__name__.upper(), False


def _writes_temporary(context: StatementContext) -> bool:
    known = [context.catalog.find_text(target) for target in context.targets]
    return bool(known) and all(info is not None and info.temporary for info in known)


def _walk_select(context: StatementContext, node: exp.Expr) -> tuple[str, bool]:
    """A bare query; SELECT .. INTO makes a table of it."""
    into = _into(node)
    if into is not None and _is_variable(context):
        into = None
    result = context.query(node, {}, None)
    pairs = [(output.name, output) for output in result.outputs]
    if into is None:
        _swap_partitions(context, node)
        write_outputs(context, None, _first_of_each_name(context, pairs, node), result.rows)
        return "SELECT", False
    name, _, text = target_of(context, into.this)
    temporary = bool(into.args.get("temporary")) or text.rpartition(".")[2].startswith("#")
    add_target(context, text)
    write_outputs(context, text, pairs, result.rows)
    context.remember(name, text, [pair[1] for pair in pairs], temporary=temporary)
    return "SELECT INTO", temporary


def _first_of_each_name(
    context: StatementContext, pairs: list[tuple[str, Output]], node: exp.Expr
) -> list[tuple[str, Output]]:
    """Columns of a result are known by name; of two with one name the first counts, with a diagnostic."""
    first: dict[str, tuple[str, Output]] = {}
    for name, output in pairs:
        key = name if output.rest is None else f"{name} {len(first)}"
        if key in first:
            context.report("duplicate-column", f"the result has more than one column {name}: the first counts", node)
        else:
            first[key] = (name, output)
    return list(first.values())


def _is_variable(context: StatementContext) -> bool:
    """SELECT .. INTO fills a variable: always in Oracle and MySQL, and in the routines of all but T-SQL."""
    features = context.profile.features
    return Feature.INTO_VARIABLE in features or (context.in_routine and Feature.INTO_TABLE not in features)


def _into(node: exp.Expr) -> exp.Expr | None:
    while isinstance(node, exp.SetOperation | exp.Subquery | exp.Paren):
        node = node.this
    into = node.args.get("into")
    return into if isinstance(into, exp.Into) and isinstance(into.this, exp.Expr) else None


def _swap_partitions(context: StatementContext, node: exp.Expr) -> None:
    """Vertica moves rows between tables by a function."""
    if Feature.PARTITION_FUNCTIONS not in context.profile.features or not isinstance(node, exp.Select):
        return
    for call in node.expressions:
        if isinstance(call, exp.Anonymous) and call.name.casefold() in (
            "swap_partitions_between_tables",
            "move_partitions_to_table",
            "copy_partitions_to_table",
        ):
            names = [argument.name for argument in call.expressions if isinstance(argument, exp.Literal)]
            if len(names) >= 4:
                context.sources[names[0]] = None
                add_target(context, names[3])
