"""Positions in the statement where each target column is produced.

By tokens alone, so that it takes no time; a column that is not named in the text has no span.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects.profiles import profile_of
from headwater.sql.parse.tokenize import closing, tokenize, word

__all__ = ["ColumnSpan", "spans_of_columns"]

_LONGEST = 100_000
"""Characters of a statement that is looked at."""
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_OPERANDS = _NAMES | {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.STRING, TokenType.NUMBER, TokenType.END}
_LIST_ENDS = frozenset({"FROM", "INTO", "UNION", "EXCEPT", "INTERSECT", "WHERE", "GROUP", "ORDER", "LIMIT", "HAVING"})
_BEFORE_LIST = frozenset({"DISTINCT", "ALL", "STRAIGHT_JOIN", "STREAM"})
_DEEPEST = 8
"""Stars that are followed into common table expressions."""


class ColumnSpan(NamedTuple):
    """Characters from `start` up to `end`, without that one."""

    start: int
    end: int
    column: str


class _Item(NamedTuple):
    first: int
    last: int
    """Places of its tokens."""
    name: str


def spans_of_columns(sql: str, dialect: str, columns: Collection[str]) -> list[ColumnSpan]:
    """Places in the text where these columns of the target are produced; empty if the text cannot be read.

    >>> text = "INSERT INTO t SELECT id, md5(email) AS hash FROM s"
    >>> [(text[span.start:span.end], span.column) for span in spans_of_columns(text, "spark", ["hash"])]
    [('md5(email) AS hash', 'hash')]
    """
    if len(sql) > _LONGEST or not columns:
        return []
    try:
        tokens = tokenize(sql, profile_of(dialect))
    except Exception:  # noqa: BLE001 - whatever the tokenizer raises is a fault of the text
        return []
    wanted = {column.casefold(): column for column in columns}
    depths = _depths(tokens)
    selects = [position for position, token in enumerate(tokens) if token.token_type == TokenType.SELECT]
    outer = min((depths[position] for position in selects), default=0)
    found: set[ColumnSpan] = set()
    names = _insert_columns(tokens, selects[0]) if selects else []
    for select in selects:
        if depths[select] == outer:
            items = list(_items(tokens, depths, select, 0))
            if not names and len(items) > 0:
                names = [item.name for item in items]  # of a union, the first list names the columns
            for position, item in enumerate(items):
                name = names[position] if len(names) == len(items) else item.name
                if name.casefold() in wanted:
                    start, end = tokens[item.first].start, tokens[item.last].end + 1
                    found.add(ColumnSpan(start, end, wanted[name.casefold()]))
    return sorted(found)


def _depths(tokens: list[Token]) -> list[int]:
    depth, found = 0, []
    for token in tokens:
        if token.token_type == TokenType.R_PAREN:
            depth -= 1
        found.append(depth)
        if token.token_type == TokenType.L_PAREN:
            depth += 1
    return found


def _insert_columns(tokens: list[Token], select: int) -> list[str]:
    """The columns that an INSERT lists: the names in the parentheses that follow its table."""
    position = next((position for position in range(select) if word(tokens, position) == "INSERT"), None)
    while position is not None and position < select:
        if tokens[position].token_type == TokenType.L_PAREN:
            inside = tokens[position + 1 : closing(tokens, position)]
            is_list = all(token.token_type in _NAMES or token.token_type == TokenType.COMMA for token in inside)
            before = word(tokens, position - 1)
            return (
                [token.text for token in inside if token.token_type in _NAMES]
                if is_list and before != "PARTITION"
                else []
            )
        position += 1
    return []


def _items(tokens: list[Token], depths: list[int], select: int, followed: int) -> Iterator[_Item]:
    """The items of a list after SELECT; a star in the place of a common table expression is its list."""
    depth, position = depths[select], select + 1
    while word(tokens, position) in _BEFORE_LIST:
        position += 1
    first = position
    while position <= len(tokens):
        is_over = position == len(tokens) or depths[position] < depth or _ends_list(tokens, depths, position, depth)
        if is_over or (depths[position] == depth and tokens[position].token_type == TokenType.COMMA):
            if position > first:
                yield from _item(tokens, depths, first, position - 1, position, followed)
            first = position + 1
        if is_over:
            return
        position += 1


def _ends_list(tokens: list[Token], depths: list[int], position: int, depth: int) -> bool:
    is_end = word(tokens, position) in _LIST_ENDS or tokens[position].token_type == TokenType.SEMICOLON
    return depths[position] == depth and is_end


def _item(tokens: list[Token], depths: list[int], first: int, last: int, after: int, followed: int) -> Iterator[_Item]:
    if first == last and tokens[first].token_type == TokenType.STAR:
        body = _starred(tokens, after) if word(tokens, after) == "FROM" and followed < _DEEPEST else None
        if body is not None:
            yield from _items(tokens, depths, body, followed + 1)
        return
    yield _Item(first, last, _name(tokens, first, last))


def _starred(tokens: list[Token], source: int) -> int | None:
    """The SELECT of the common table expression that is the only thing after FROM."""
    if source + 1 >= len(tokens) or tokens[source + 1].token_type not in _NAMES:
        return None
    follows = word(tokens, source + 2)
    if source + 2 < len(tokens) and follows not in _LIST_ENDS and follows not in (")", ";"):
        return None
    name = tokens[source + 1].text.casefold()
    for position in range(len(tokens) - 3):
        is_body = (
            tokens[position + 1].token_type == TokenType.ALIAS and tokens[position + 2].token_type == TokenType.L_PAREN
        )
        if is_body and tokens[position].text.casefold() == name and tokens[position + 3].token_type == TokenType.SELECT:
            return position + 3
    return None


def _name(tokens: list[Token], first: int, last: int) -> str:
    """Its alias, or the last part of the name that it is; empty where it has none."""
    end = tokens[last]
    if end.token_type not in _NAMES:
        return str(end.text) if last > first and tokens[last - 1].token_type == TokenType.ALIAS else ""
    if first == last or tokens[last - 1].token_type in (TokenType.ALIAS, TokenType.DOT):
        return str(end.text)
    return str(end.text) if tokens[last - 1].token_type in _OPERANDS else ""
