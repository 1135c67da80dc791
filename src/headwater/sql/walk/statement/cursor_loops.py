"""Cursors and loops over queries: the record that a loop runs through is a row of the query."""

from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.parse.statement_start import next_semicolon
from headwater.sql.parse.tokenize import closing, word

__all__ = ["Loop", "cursor_at", "loop_at"]

_QUERY = ("SELECT", "WITH")


class Loop(NamedTuple):
    """What a name stands for: the tokens of a query, or the cursor that has one; `end` is the place behind it."""

    name: str
    query: list[Token]
    cursor: str
    end: int


def loop_at(tokens: list[Token], place: int) -> Loop | None:
    """FOR r IN (SELECT ..) LOOP, FOR r IN SELECT .. LOOP, FOR r IN c LOOP."""
    if word(tokens, place) != "FOR" or word(tokens, place + 2) != "IN":
        return None
    name = tokens[place + 1].text.casefold()
    start = place + 3
    if word(tokens, start) == "(" and word(tokens, start + 1) in _QUERY:
        end = closing(tokens, start)
        return Loop(name, tokens[start + 1 : end], "", end + 1)
    end = start
    while end < len(tokens) and word(tokens, end) not in ("LOOP", "DO"):
        end += 1
    if word(tokens, start) in _QUERY:
        return Loop(name, tokens[start:end], "", end)
    if start < len(tokens) and word(tokens, start + 1) in ("LOOP", "DO", "("):
        return Loop(name, [], tokens[start].text.casefold(), end)
    return None


def cursor_at(tokens: list[Token], place: int) -> Loop | None:
    """CURSOR c IS SELECT .., c CURSOR FOR SELECT .., DECLARE c CURSOR FOR SELECT ..."""
    if word(tokens, place) != "CURSOR":
        return None
    end = next_semicolon(tokens, place)
    start = next((at for at in range(place + 1, min(end, place + 30)) if word(tokens, at) in _QUERY), None)
    if start is None:
        return None
    named_behind = place + 1 < len(tokens) and word(tokens, place + 1) not in ("FOR", "SCROLL", "NO", "IS", "WITH")
    name = tokens[place + 1 if named_behind else place - 1]
    if name.token_type not in (TokenType.VAR, TokenType.IDENTIFIER):
        return None
    return Loop(name.text.casefold(), tokens[start:end], "", end)
