"""A CREATE that the parser gives up on: its clauses are many, its name, columns and query are what counts."""

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.tokens import closing, word

__all__ = ["essential_create"]

_KINDS = frozenset({"TABLE", "VIEW"})
_QUERY_STARTS = frozenset({"SELECT", "WITH", "(", "FROM", "VALUES", "TABLE"})


def essential_create(tokens: list[Token]) -> list[Token] | None:
    """CREATE [TEMPORARY] TABLE|VIEW name (columns) AS query, without all that stands between."""
    if word(tokens, 0) not in ("CREATE", "REPLACE"):
        return None
    kind = next((place for place in range(1, min(12, len(tokens))) if word(tokens, place) in _KINDS), None)
    if kind is None:
        return None
    place = kind + 1
    while word(tokens, place) in ("IF", "NOT", "EXISTS"):
        place += 1
    start = place
    place += 1
    while place + 1 < len(tokens) and tokens[place].token_type == TokenType.DOT:
        place += 2
    name = tokens[start:place]
    columns: list[Token] = []
    if word(tokens, place) == "(" and word(tokens, place + 1) not in ("SELECT", "WITH", "("):
        end = closing(tokens, place)
        columns = tokens[place : end + 1]
        place = end + 1
    temporary = [token for token in tokens[1:kind] if token.token_type == TokenType.TEMPORARY]
    temporary += [token for token in tokens[1:kind] if word([token], 0) == "VOLATILE"]
    head = [tokens[0], *temporary, tokens[kind], *name, *columns]
    query = _query_start(tokens, place)
    if query is None:
        return head if columns else None
    return [*head, *tokens[query:]]


def _query_start(tokens: list[Token], place: int) -> int | None:
    """The AS in front of the query, outside of all parentheses."""
    depth = 0
    for here in range(place, len(tokens)):
        text = word(tokens, here)
        if text == "(":
            depth += 1
        elif text == ")":
            depth -= 1
        elif depth == 0 and text == "AS" and word(tokens, here + 1) in _QUERY_STARTS:
            return here
    return None
