"""Clauses that carry no lineage and that the parser does not know: taken out before it reads the tokens."""

from collections.abc import Callable

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects import Profile
from headwater.sql.tokens import closing, word

__all__ = ["first_row_only", "prepared"]


def prepared(tokens: list[Token], profile: Profile) -> list[Token]:
    """The same statement without what would stop the parser."""
    for rule in _RULES:
        tokens = rule(tokens, profile)
    return tokens


def first_row_only(tokens: list[Token]) -> list[Token]:
    """A long INSERT .. VALUES (..), (..): every row fills the same columns, so one tells as much as all."""
    if word(tokens, 0) not in ("INSERT", "REPLACE"):
        return tokens
    for place in range(min(len(tokens), 5000)):
        if word(tokens, place) in ("VALUES", "VALUE") and word(tokens, place + 1) == "(":
            return tokens[: closing(tokens, place + 1) + 1]
    return tokens


def _without_partition_guard(tokens: list[Token], _: Profile) -> list[Token]:
    """INSERT OVERWRITE t PARTITION (..) IF NOT EXISTS."""
    if word(tokens, 0) not in ("INSERT", "WITH", "FROM"):
        return tokens
    for place in range(len(tokens) - 2):
        if tokens[place + 2].token_type != TokenType.EXISTS:
            continue
        if word(tokens, place) == "IF" and word(tokens, place + 1) == "NOT":
            return [*tokens[:place], *tokens[place + 3 :]]
    return tokens


def _without_tags(tokens: list[Token], profile: Profile) -> list[Token]:
    """Snowflake's [WITH] TAG (..) and its policies on views and tables."""
    if profile.name != "snowflake" or word(tokens, 0) != "CREATE":
        return tokens
    for place in range(len(tokens) - 1):
        if word(tokens, place) == "TAG" and word(tokens, place + 1) == "(":
            start = place - 1 if word(tokens, place - 1) == "WITH" else place
            return [*tokens[:start], *tokens[closing(tokens, place + 1) + 1 :]]
        if word(tokens, place) in ("AS", "SELECT"):
            break
    return tokens


def _replace_as_insert(tokens: list[Token], profile: Profile) -> list[Token]:
    """MySQL's and SQLite's REPLACE INTO is an INSERT."""
    if word(tokens, 0) == "REPLACE" and profile.name in (
        "mysql",
        "mariadb",
        "sqlite",
        "singlestore",
        "doris",
        "starrocks",
    ):
        first = tokens[0]
        return [Token(TokenType.INSERT, "INSERT", first.line, first.col, first.start, first.end), *tokens[1:]]
    return tokens


def _without_view_options(tokens: list[Token], _: Profile) -> list[Token]:
    """WITH CHECK OPTION, WITH READ ONLY and WITH NO SCHEMA BINDING behind a view."""
    if word(tokens, 0) != "CREATE":
        return tokens
    last = tuple(word(tokens, place) for place in range(len(tokens) - 2, len(tokens)))
    if last not in {("CHECK", "OPTION"), ("READ", "ONLY")}:
        return tokens
    place = len(tokens) - 3
    while place > 0 and word(tokens, place) in ("CASCADED", "LOCAL"):
        place -= 1
    return tokens[:place] if word(tokens, place) == "WITH" else tokens


def _without_directory_format(tokens: list[Token], _: Profile) -> list[Token]:
    """INSERT OVERWRITE DIRECTORY '..' USING format OPTIONS (..)."""
    for place in range(min(len(tokens) - 2, 8)):
        if word(tokens, place) == "DIRECTORY" and word(tokens, place + 2) == "USING":
            end = place + 4
            if word(tokens, end) == "OPTIONS" and word(tokens, end + 1) == "(":
                end = closing(tokens, end + 1) + 1
            return [*tokens[: place + 2], *tokens[end:]]
    return tokens


def _without_phrases(tokens: list[Token], profile: Profile) -> list[Token]:
    """Teradata's (TITLE '..'), (FORMAT '..') behind a column."""
    if profile.name != "teradata":
        return tokens
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        if word(tokens, place) == "(" and word(tokens, place + 1) in ("TITLE", "FORMAT", "UPPERCASE", "CASESPECIFIC"):
            place = closing(tokens, place) + 1
            continue
        result.append(tokens[place])
        place += 1
    return result


_RULES: tuple[Callable[[list[Token], Profile], list[Token]], ...] = (
    _without_partition_guard,
    _without_tags,
    _without_view_options,
    _without_directory_format,
    _without_phrases,
    _replace_as_insert,
)
