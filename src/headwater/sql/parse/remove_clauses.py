"""Removes clauses without lineage that the parser does not know, before parsing."""

from collections.abc import Callable

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects.differences import Feature
from headwater.sql.dialects.profiles import Profile
from headwater.sql.parse.tokenize import closing, word

__all__ = ["first_row_only", "prepared"]

_ISOLATION = frozenset({"UR", "CS", "RS", "RR"})


def prepared(tokens: list[Token], profile: Profile) -> list[Token]:
    """The same statement without clauses that the parser does not know."""
    for rule in _RULES:
        tokens = rule(tokens, profile)
    return tokens


def first_row_only(tokens: list[Token]) -> list[Token]:
    """A long INSERT .. VALUES (..), (..): every row fills the same columns, so the first one is enough."""
    if word(tokens, 0) not in ("INSERT", "REPLACE"):
        return tokens
    for position in range(min(len(tokens), 5000)):
        if word(tokens, position) in ("VALUES", "VALUE") and word(tokens, position + 1) == "(":
            return tokens[: closing(tokens, position + 1) + 1]
    return tokens


def _without_partition_guard(tokens: list[Token], _: Profile) -> list[Token]:
    """INSERT OVERWRITE t PARTITION (..) IF NOT EXISTS."""
    if word(tokens, 0) not in ("INSERT", "WITH", "FROM"):
        return tokens
    direct = word(tokens, 0) == "INSERT"
    for position in range(len(tokens) - 2):
        kind = tokens[position + 2].token_type
        if direct and kind == TokenType.SELECT:
            break
        if kind != TokenType.EXISTS:
            continue
        if word(tokens, position) == "IF" and word(tokens, position + 1) == "NOT":
            return [*tokens[:position], *tokens[position + 3 :]]
    return tokens


def _without_tags(tokens: list[Token], profile: Profile) -> list[Token]:
    """Snowflake's [WITH] TAG (..) and its policies on views and tables."""
    if Feature.TAGS not in profile.features or word(tokens, 0) != "CREATE":
        return tokens
    for position in range(len(tokens) - 1):
        if word(tokens, position) == "TAG" and word(tokens, position + 1) == "(":
            start = position - 1 if word(tokens, position - 1) == "WITH" else position
            return [*tokens[:start], *tokens[closing(tokens, position + 1) + 1 :]]
        if word(tokens, position) in ("AS", "SELECT"):
            break
    return tokens


def _replace_as_insert(tokens: list[Token], profile: Profile) -> list[Token]:
    """MySQL's and SQLite's REPLACE INTO is an INSERT, and so is Impala's UPSERT."""
    if word(tokens, 0) == "UPSERT":
        return [_in_place_of(tokens[0], TokenType.INSERT, "INSERT"), *tokens[1:]]
    if word(tokens, 0) == "REPLACE" and Feature.REPLACE_INTO in profile.features:
        return [_in_place_of(tokens[0], TokenType.INSERT, "INSERT"), *tokens[1:]]
    return tokens


def _without_view_options(tokens: list[Token], _: Profile) -> list[Token]:
    """WITH CHECK OPTION, WITH READ ONLY and WITH NO SCHEMA BINDING behind a view."""
    if word(tokens, 0) != "CREATE":
        return tokens
    last = tuple(word(tokens, position) for position in range(len(tokens) - 2, len(tokens)))
    if last not in {("CHECK", "OPTION"), ("READ", "ONLY")}:
        return tokens
    position = len(tokens) - 3
    while position > 0 and word(tokens, position) in ("CASCADED", "LOCAL"):
        position -= 1
    return tokens[:position] if word(tokens, position) == "WITH" else tokens


def _without_directory_format(tokens: list[Token], _: Profile) -> list[Token]:
    """INSERT OVERWRITE DIRECTORY '..' USING format OPTIONS (..)."""
    for position in range(min(len(tokens) - 2, 8)):
        if word(tokens, position) == "DIRECTORY" and word(tokens, position + 2) == "USING":
            end = position + 4
            if word(tokens, end) == "OPTIONS" and word(tokens, end + 1) == "(":
                end = closing(tokens, end + 1) + 1
            return [*tokens[: position + 2], *tokens[end:]]
    return tokens


def _replace_table_as_create(tokens: list[Token], _: Profile) -> list[Token]:
    """REPLACE TABLE t AS .. makes t anew."""
    if word(tokens, 0) == "REPLACE" and word(tokens, 1) in ("TABLE", "VIEW"):
        return [_in_place_of(tokens[0], TokenType.CREATE, "CREATE"), *tokens[1:]]
    return tokens


def _table_as_query(tokens: list[Token], _: Profile) -> list[Token]:
    """CREATE .. AS TABLE t is short for AS SELECT * FROM t."""
    if word(tokens, 0) != "CREATE":
        return tokens
    for position in range(2, len(tokens) - 2):
        if tokens[position].token_type == TokenType.ALIAS and tokens[position + 1].token_type == TokenType.TABLE:
            here = tokens[position + 1]
            query = [
                _in_place_of(here, TokenType.SELECT, "SELECT"),
                _in_place_of(here, TokenType.STAR, "*"),
                _in_place_of(here, TokenType.FROM, "FROM"),
            ]
            return [*tokens[: position + 1], *query, *tokens[position + 2 :]]
    return tokens


def _bulk_rowset(tokens: list[Token], profile: Profile) -> list[Token]:
    """T-SQL's OPENROWSET(BULK 'file', ..)."""
    if Feature.BATCHES not in profile.features:
        return tokens
    for position in range(len(tokens) - 2):
        if word(tokens, position) == "OPENROWSET" and word(tokens, position + 2) == "BULK":
            return [*tokens[: position + 2], *tokens[position + 3 :]]
    return tokens


def _named_identifier(tokens: list[Token], _: Profile) -> list[Token]:
    """IDENTIFIER('db.t') and IDENTIFIER(t) stand for the name; with a variable it could be any, and stays."""
    if not any(token.text in ("IDENTIFIER", "identifier", "Identifier") for token in tokens):
        return tokens
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        named = _literal_name(tokens, position)
        if named is None:
            result.append(tokens[position])
            position += 1
        else:
            result.extend(named)
            position = closing(tokens, position + 1) + 1
    return result


def _literal_name(tokens: list[Token], position: int) -> list[Token] | None:
    if word(tokens, position) != "IDENTIFIER" or word(tokens, position + 1) != "(":
        return None
    inner = tokens[position + 2 : closing(tokens, position + 1)]
    if len(inner) == 1 and inner[0].token_type == TokenType.STRING:
        named: list[Token] = []
        for part in inner[0].text.split("."):
            if named:
                named.append(_in_place_of(inner[0], TokenType.DOT, "."))
            kind = TokenType.IDENTIFIER if part.startswith('"') else TokenType.VAR
            named.append(_in_place_of(inner[0], kind, part.strip('"`')))
        return named
    names = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.DOT)
    return inner if inner and all(token.token_type in names for token in inner) else None


def _insert_in_format(tokens: list[Token], profile: Profile) -> list[Token]:
    """ClickHouse's INSERT INTO t FORMAT CSV: the rows come from outside."""
    if (
        Feature.FORMAT_INSERT not in profile.features
        or word(tokens, 0) != "INSERT"
        or word(tokens, len(tokens) - 2) != "FORMAT"
    ):
        return tokens
    if any(token.token_type in (TokenType.SELECT, TokenType.VALUES) for token in tokens):
        return tokens
    last = tokens[-1]
    return [
        *tokens[:-2],
        _in_place_of(last, TokenType.DEFAULT, "DEFAULT"),
        _in_place_of(last, TokenType.VALUES, "VALUES"),
    ]


def _in_place_of(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)


def _without_words(tokens: list[Token], _: Profile) -> list[Token]:
    """DEEP CLONE, MERGE WITH SCHEMA EVOLUTION, WITH LABEL, and DB2's isolation levels."""
    if word(tokens, 0) == "MERGE" and word(tokens, 1) == "WITH":
        return [tokens[0], *tokens[4:]]
    if word(tokens, 0) == "INSERT":
        for position in range(2, min(len(tokens) - 2, 12)):
            if word(tokens, position) == "WITH" and word(tokens, position + 1) == "LABEL":
                return [*tokens[:position], *tokens[position + 3 :]]
    if len(tokens) > 4 and word(tokens, len(tokens) - 2) == "WITH" and word(tokens, len(tokens) - 1) in _ISOLATION:
        return tokens[:-2]
    if word(tokens, 0) == "CREATE":
        for position in range(2, min(len(tokens) - 1, 20)):
            if word(tokens, position) == "DEEP" and word(tokens, position + 1) == "CLONE":
                return [*tokens[:position], *tokens[position + 1 :]]
    return tokens


def _alias_before_set(tokens: list[Token], profile: Profile) -> list[Token]:
    """UPDATE t FROM u SET .. (Teradata), UPDATE (query) SET ..: without an alias the parser takes SET for one."""
    if word(tokens, 0) not in ("UPDATE", "UPD"):
        return tokens
    for position in range(3, len(tokens)):
        if tokens[position].token_type == TokenType.SET:
            name = tokens[position - 1]
            if word(tokens, position - 1) == ")" and word(tokens, 1) == "(":
                alias = [_in_place_of(name, TokenType.ALIAS, "AS"), _in_place_of(name, TokenType.VAR, "updated")]
                return [*tokens[:position], *alias, *tokens[position:]]
            if Feature.PHRASES not in profile.features:
                break
            if word(tokens, position - 2) in ("FROM", ",", "."):
                return [*tokens[:position], _in_place_of(name, TokenType.ALIAS, "AS"), name, *tokens[position:]]
            break
    return tokens


def _without_phrases(tokens: list[Token], profile: Profile) -> list[Token]:
    """Teradata's (TITLE '..'), (FORMAT '..') behind a column."""
    if Feature.PHRASES not in profile.features:
        return tokens
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        if word(tokens, position) == "(" and word(tokens, position + 1) == "NAMED":
            result.extend([_in_place_of(tokens[position], TokenType.ALIAS, "AS"), tokens[position + 2]])
            position = closing(tokens, position) + 1
            continue
        if word(tokens, position) == "(" and word(tokens, position + 1) in (
            "TITLE",
            "FORMAT",
            "UPPERCASE",
            "CASESPECIFIC",
        ):
            position = closing(tokens, position) + 1
            continue
        result.append(tokens[position])
        position += 1
    return result


_RULES: tuple[Callable[[list[Token], Profile], list[Token]], ...] = (
    _without_partition_guard,
    _without_tags,
    _without_view_options,
    _without_directory_format,
    _without_phrases,
    _alias_before_set,
    _without_words,
    _replace_table_as_create,
    _table_as_query,
    _replace_as_insert,
    _bulk_rowset,
    _named_identifier,
    _insert_in_format,
)
