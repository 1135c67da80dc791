"""Tables and views of the catalog as relations."""

from sqlglot import exp

from headwater.sql.walk.expression.column_flow import Rows, read
from headwater.sql.walk.query.lateral import alias_of
from headwater.sql.walk.scope.catalog import ColumnInfo, TableInfo
from headwater.sql.walk.scope.context import StatementContext
from headwater.sql.walk.scope.relation import Output, Relation, open_table
from headwater.sql.walk.scope.table_names import TableName, name_of_table

__all__ = ["relation_of_info", "stored_relation", "table_name"]

_FILE_FORMATS = frozenset({"parquet", "json", "csv", "orc", "avro", "delta", "text", "binaryfile", "iceberg", "dfs"})


def table_name(context: StatementContext, table: exp.Table) -> TableName:
    """The qualified name that a table reference stands for."""
    name = name_of_table(table, context.profile)
    parts = name.parts
    if len(parts) == 2 and parts[0].casefold() in _FILE_FORMATS and "/" in parts[1]:
        return TableName(parts[1:])
    if parts and parts[0].startswith(("@", "#")):
        return TableName((str(name),))
    if len(parts) == 1 and ("/" in parts[0] or "://" in parts[0]):
        return name
    return context.catalog.qualify(name)


def stored_relation(context: StatementContext, table: exp.Table, rows: Rows) -> Relation:
    """A table that is read."""
    name = table_name(context, table)
    alias, columns = alias_of(context, table)
    info = context.catalog.find(name)
    relation = relation_of_info(context, name, info, rows)
    last = name.parts[-1].casefold() if name.parts else ""
    named = Relation(
        relation.outputs,
        alias=alias or last,
        parts=name.key,
        base=relation.base,
        table=relation.table,
    )
    return named.renamed_to("", columns) if columns else named


def relation_of_info(context: StatementContext, name: TableName, info: TableInfo | None, rows: Rows) -> Relation:
    """Relation of a table by its catalog entry; notes that it is read."""
    if info is not None and info.outputs is not None:
        for source in info.sources:
            context.sources[source] = None
        rows.update(info.rows or {})
        return Relation(info.outputs)
    text = str(name)
    if (info is not None and info.name.count(".") > text.count(".")) or (
        info is not None and info.name.casefold() == text.casefold()
    ):
        text = info.name
    context.sources[text] = None
    if info is None or info.columns is None:
        return open_table(text, "", name.key)
    return Relation(tuple(_output(text, column) for column in info.columns), table=text)


def _output(table: str, column: ColumnInfo) -> Output:
    if column.output is not None:
        return column.output
    return Output(column.name, read(table, column.name), nested=True)
