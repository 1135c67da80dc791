"""Statements that the parser keeps as text: lineage from their tokens."""

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.parse.tokenize import word
from headwater.sql.walk.scope.catalog import FunctionInfo
from headwater.sql.walk.scope.context import StatementContext
from headwater.sql.walk.scope.table_names import TableName
from headwater.sql.walk.statement.copy_load import copy_between
from headwater.sql.walk.statement.target_edges import add_target
from headwater.sql.walk.statement.use_drop_alter import rename_table, use

__all__ = ["walk_command"]


def walk_command(context: StatementContext, tokens: list[Token]) -> str:
    """Walk a command that the parser keeps as text; gives its kind."""
    first, second = word(tokens, 0), word(tokens, 1)
    if first in ("EXPORT", "IMPORT"):
        _export_or_import(context, tokens, exporting=first == "EXPORT")
        return first
    if first == "RENAME" and second == "TABLE":
        old, position = _name_at(context, tokens, 2)
        if word(tokens, position) == "TO":
            rename_table(context, context.catalog.qualify(old), _name_at(context, tokens, position + 1)[0])
        return "RENAME TABLE"
    if first == "USE":
        kind = second if second in ("CATALOG", "DATABASE", "SCHEMA", "WAREHOUSE", "ROLE", "MODULES") else ""
        if kind != "MODULES":
            use(context, kind, _name_at(context, tokens, 2 if kind else 1)[0].parts)
        return "USE"
    if first in ("CREATE", "ALTER", "DROP"):
        return _definition(context, tokens, first)
    if first == "BULK" and second == "INSERT":
        name = context.catalog.qualify(_name_at(context, tokens, 2)[0])
        path = next((token.text for token in tokens if token.token_type == TokenType.STRING), "")
        copy_between(context, path, str(name), [])
        return "BULK INSERT"
    if first == "LOAD" and second == "DATA":
        _load_infile(context, tokens)
        return "LOAD"
    return first


def _definition(context: StatementContext, tokens: list[Token], first: str) -> str:
    position = 1
    while word(tokens, position) in ("OR", "REPLACE", "TEMPORARY", "TEMP", "SYSTEM", "AGGREGATE", "TABLE"):
        if word(tokens, position) == "TABLE":
            break
        position += 1
    kind = word(tokens, position)
    position += 1
    while word(tokens, position) in ("IF", "NOT", "EXISTS"):
        position += 1
    if kind == "FUNCTION" and first == "CREATE":
        name, _ = _name_at(context, tokens, position)
        context.catalog.add_function(FunctionInfo(str(name)))
    if kind == "TABLE" and first == "ALTER":
        name, position = _name_at(context, tokens, position)
        if word(tokens, position) == "EXCHANGE":
            _exchange(context, tokens, str(context.catalog.qualify(name)), position)
        elif word(tokens, position) == "APPEND" and word(tokens, position + 1) == "FROM":
            source = context.catalog.qualify(_name_at(context, tokens, position + 2)[0])
            copy_between(context, str(source), str(context.catalog.qualify(name)), [])
        elif word(tokens, position) == "RENAME" and word(tokens, position + 1) == "TO":
            rename_table(context, context.catalog.qualify(name), _name_at(context, tokens, position + 2)[0])
    if first == "CREATE" and _has_query(tokens):
        message = f"{first} {kind} is not understood: what its query reads is not told"
        context.report("unknown-statement", message, None)
    return f"{first} {kind}".strip()


def _has_query(tokens: list[Token]) -> bool:
    """Whether it is made AS SELECT .. or AS WITH ..; functions and procedures are not."""
    if any(word(tokens, position) in ("FUNCTION", "MACRO", "PROCEDURE") for position in range(1, min(6, len(tokens)))):
        return False
    return any(
        word(tokens, position) == "AS" and word(tokens, position + 1) in ("SELECT", "WITH")
        for position in range(1, len(tokens) - 1)
    )


def _exchange(context: StatementContext, tokens: list[Token], text: str, position: int) -> None:
    """ALTER TABLE t EXCHANGE PARTITION (..) WITH TABLE s: the rows of s become a partition of t."""
    while position < len(tokens) and not (word(tokens, position) == "WITH" and word(tokens, position + 1) == "TABLE"):
        position += 1
    if position < len(tokens):
        other, _ = _name_at(context, tokens, position + 2)
        add_target(context, text)
        context.sources[str(context.catalog.qualify(other))] = None


def _name_at(context: StatementContext, tokens: list[Token], position: int) -> tuple[TableName, int]:
    """A dotted name in the tokens, and the place behind it."""
    parts: list[str] = []
    while position < len(tokens):
        token = tokens[position]
        quoted = token.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
        parts.append(token.text if quoted else context.profile.fold(token.text))
        position += 1
        if position >= len(tokens) or tokens[position].token_type != TokenType.DOT:
            break
        position += 1
    return TableName(tuple(parts)), position


def _load_infile(context: StatementContext, tokens: list[Token]) -> None:
    """MySQL's LOAD DATA INFILE 'place' INTO TABLE t."""
    path = next((token.text for token in tokens if token.token_type == TokenType.STRING), "")
    for position in range(len(tokens) - 2):
        if word(tokens, position) == "INTO" and word(tokens, position + 1) == "TABLE":
            name, _ = _name_at(context, tokens, position + 2)
            qualified = context.catalog.qualify(name)
            info = context.catalog.find(qualified)
            columns = [column.name for column in info.columns] if info is not None and info.columns else []
            copy_between(context, path, info.name if info is not None else str(qualified), columns)
            return


def _export_or_import(context: StatementContext, tokens: list[Token], *, exporting: bool) -> None:
    """Hive's EXPORT TABLE t [PARTITION (..)] TO 'path' and IMPORT [EXTERNAL] TABLE t FROM 'path'."""
    position = 1
    while word(tokens, position) in ("EXTERNAL", "TABLE", "INTO"):
        position += 1
    if position >= len(tokens) or tokens[position].token_type == TokenType.STRING:
        return
    name, position = _name_at(context, tokens, position)
    qualified = context.catalog.qualify(name)
    info = context.catalog.find(qualified)
    table = info.name if info is not None else str(qualified)
    columns = [column.name for column in info.columns] if info is not None and info.columns else []
    partitions: list[str] = []
    if word(tokens, position) == "PARTITION":
        while position < len(tokens) and word(tokens, position) != ")":
            if tokens[position].token_type == TokenType.EQ:
                partitions.append(context.profile.fold(tokens[position - 1].text))
            position += 1
    files = [at + 1 for at in range(position, len(tokens) - 1) if word(tokens, at) == "FILE"]
    start = files[0] if files else position
    path = next((token.text for token in tokens[start:] if token.token_type == TokenType.STRING), "")
    if exporting:
        copy_between(context, table, path, columns, tuple(partitions))
    else:
        copy_between(context, path, table, columns)
