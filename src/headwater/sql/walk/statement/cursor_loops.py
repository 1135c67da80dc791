"""Cursors and loops: the loop record is a row of the query."""

from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.parse.statement_start import next_semicolon
from headwater.sql.parse.tokenize import closing, word

__all__ = ["Loop", "cursor_at", "loop_at"]

_QUERY = ("SELECT", "WITH")


class Loop(NamedTuple):
    """A name of a loop: the tokens of its query, or the cursor with one; `end` is the position after it."""

    name: str
    query: list[Token]
    cursor: str
    end: int


def loop_at(tokens: list[Token], index: int) -> Loop | None:
    """FOR r IN (SELECT ..) LOOP, FOR r IN SELECT .. LOOP, FOR r IN c LOOP."""
    if word(tokens, index) != "FOR" or word(tokens, index + 2) != "IN":
        return None
    name = tokens[index + 1].text.casefold()
    start = index + 3
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


def cursor_at(tokens: list[Token], index: int) -> Loop | None:
    """CURSOR c IS SELECT .., c CURSOR FOR SELECT .., DECLARE c CURSOR FOR SELECT ..."""
    if word(tokens, index) != "CURSOR":
        return None
    end = next_semicolon(tokens, index)
    start = next((at for at in range(index + 1, min(end, index + 30)) if word(tokens, at) in _QUERY), None)
    if start is None:
        return None
    named_behind = index + 1 < len(tokens) and word(tokens, index + 1) not in ("FOR", "SCROLL", "NO", "IS", "WITH")
    name = tokens[index + 1 if named_behind else index - 1]
    if name.token_type not in (TokenType.VAR, TokenType.IDENTIFIER):
        return None
    return Loop(name.text.casefold(), tokens[start:end], "", end)
