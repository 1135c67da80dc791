"""Clauses that carry no lineage and that the parser does not know: taken out before it reads the tokens."""

from collections.abc import Callable

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects import Profile
from headwater.sql.tokens import word

__all__ = ["prepared"]


def prepared(tokens: list[Token], profile: Profile) -> list[Token]:
    """The same statement without what would stop the parser."""
    for rule in _RULES:
        tokens = rule(tokens, profile)
    return tokens


def _closing(tokens: list[Token], opening: int) -> int:
    """The place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(tokens)):
        kind = tokens[place].token_type
        if kind == TokenType.L_PAREN:
            depth += 1
        elif kind == TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return place
    return len(tokens) - 1


def _without_partition_guard(tokens: list[Token], _: Profile) -> list[Token]:
    """INSERT OVERWRITE t PARTITION (..) IF NOT EXISTS."""
    if word(tokens, 0) not in ("INSERT", "WITH", "FROM"):
        return tokens
    for place in range(len(tokens) - 2):
        if word(tokens, place) == "IF" and word(tokens, place + 1) == "NOT" and word(tokens, place + 2) == "EXISTS":
            return [*tokens[:place], *tokens[place + 3 :]]
    return tokens


def _without_tags(tokens: list[Token], profile: Profile) -> list[Token]:
    """Snowflake's [WITH] TAG (..) and its policies on views and tables."""
    if profile.name != "snowflake" or word(tokens, 0) != "CREATE":
        return tokens
    for place in range(len(tokens) - 1):
        if word(tokens, place) == "TAG" and word(tokens, place + 1) == "(":
            start = place - 1 if word(tokens, place - 1) == "WITH" else place
            return [*tokens[:start], *tokens[_closing(tokens, place + 1) + 1 :]]
        if word(tokens, place) in ("AS", "SELECT"):
            break
    return tokens


def _without_phrases(tokens: list[Token], profile: Profile) -> list[Token]:
    """Teradata's (TITLE '..'), (FORMAT '..') behind a column."""
    if profile.name != "teradata":
        return tokens
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        if word(tokens, place) == "(" and word(tokens, place + 1) in ("TITLE", "FORMAT", "UPPERCASE", "CASESPECIFIC"):
            place = _closing(tokens, place) + 1
            continue
        result.append(tokens[place])
        place += 1
    return result


_RULES: tuple[Callable[[list[Token], Profile], list[Token]], ...] = (
    _without_partition_guard,
    _without_tags,
    _without_phrases,
)
