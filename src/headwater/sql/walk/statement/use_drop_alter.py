"""USE, DROP, ALTER: they change the meaning of names and carry no data."""

from sqlglot import exp

from headwater.sql.walk.scope.catalog import ColumnInfo, TableInfo
from headwater.sql.walk.scope.catalog_relation import table_name
from headwater.sql.walk.scope.context import StatementContext
from headwater.sql.walk.scope.table_names import TableName, identifier_text, name_of_table
from headwater.sql.walk.statement.target_edges import add_target, target_of

__all__ = ["rename_table", "walk_alter", "walk_drop", "walk_use"]


def walk_use(context: StatementContext, node: exp.Use) -> None:
    """USE [CATALOG | DATABASE | SCHEMA] name."""
    table = node.this
    if not isinstance(table, exp.Table):
        return
    kind = str(node.args["kind"].name).upper() if isinstance(node.args.get("kind"), exp.Expr) else ""
    use(context, kind, name_of_table(table, context.profile).parts)


def use(context: StatementContext, kind: str, parts: tuple[str, ...]) -> None:
    catalog = context.catalog
    if kind in ("WAREHOUSE", "ROLE", "SECONDARY ROLES") or not parts:
        return
    if len(parts) >= 2:
        catalog.default_catalog, catalog.default_db = parts[-2], parts[-1]
    elif kind == "CATALOG" or (kind in ("", "DATABASE") and context.profile.use_names_catalog):
        catalog.default_catalog, catalog.default_db = parts[0], None
    else:
        catalog.default_db = parts[0]


def walk_drop(context: StatementContext, node: exp.Drop) -> None:
    for table in [*(node.args.get("tables") or ()), node.args.get("this"), *(node.args.get("expressions") or ())]:
        if isinstance(table, exp.Table):
            context.catalog.remove(table_name(context, table))


def walk_alter(context: StatementContext, node: exp.Alter) -> None:
    """ALTER TABLE: a rename moves the catalog entry; swapping and exchanging move rows."""
    if not isinstance(node.this, exp.Table):
        return
    _, _, text = target_of(context, node.this)
    for action in node.args.get("actions") or ():
        if isinstance(action, exp.AlterRename) and isinstance(action.this, exp.Table):
            rename_table(context, table_name(context, node.this), name_of_table(action.this, context.profile))
        elif isinstance(action, exp.ColumnDef | exp.Drop | exp.RenameColumn | exp.Schema):
            _alter_columns(context, table_name(context, node.this), action)
        elif isinstance(action, exp.SwapTable) and isinstance(action.this, exp.Table):
            other = str(table_name(context, action.this))
            context.renamed.update({text: other, other: text})
            for name in (text, other):
                add_target(context, name)
                context.sources[name] = None


def _alter_columns(context: StatementContext, name: TableName, action: exp.Expr) -> None:
    """ADD, DROP and RENAME COLUMN change the expansion of a later star."""
    info = context.catalog.find(name)
    if info is None or info.columns is None:
        return
    columns = list(info.columns)
    if isinstance(action, exp.RenameColumn):
        old, new = action.this.name.casefold(), action.args["to"].name
        columns = [ColumnInfo(new, c.type, c.writable) if c.name.casefold() == old else c for c in columns]
    elif isinstance(action, exp.Drop):
        gone = {item.name.casefold() for item in (action.args.get("this"), *action.expressions) if item is not None}
        gone |= {item.name.casefold() for item in action.args.get("tables") or ()}
        columns = [column for column in columns if column.name.casefold() not in gone]
    else:
        added = action.expressions if isinstance(action, exp.Schema) else [action]
        columns.extend(
            ColumnInfo(identifier_text(item.this, context.profile)) for item in added if isinstance(item, exp.ColumnDef)
        )
    context.catalog.add(name, TableInfo(info.name, tuple(columns), info.temporary, info.is_view))


def rename_table(context: StatementContext, old: TableName, new: TableName) -> None:
    info = context.catalog.find(old)
    parts = new.parts if len(new.parts) > 1 else (*old.parts[:-1], *new.parts)
    name = context.catalog.qualify(TableName(parts))
    context.renamed[info.name if info is not None else str(old)] = str(name)
    if info is not None:
        context.catalog.remove(old)
        context.catalog.add(name, TableInfo(str(name), info.columns, info.temporary, info.is_view))
