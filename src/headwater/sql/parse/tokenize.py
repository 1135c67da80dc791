"""From text to the tokens of single statements."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects.differences import Feature
from headwater.sql.dialects.profiles import Profile, profile_of
from headwater.sql.parse.fast_tokenizer import tokenizer_class

__all__ = ["Piece", "closing", "pieces_of", "tokenize", "unreadable", "word"]

_BLOCK_ENDS = frozenset({"IF", "LOOP", "WHILE", "REPEAT", "FOR"})
_ROUTINES = frozenset({"PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE"})
_BEFORE_ROUTINE = frozenset(
    {"OR", "REPLACE", "ALTER", "TEMP", "TEMPORARY", "EDITIONABLE", "SECURE", "AGGREGATE", "SYSTEM"}
)
_NO_BLOCK = frozenset({"TRANSACTION", "TRAN", "WORK", "STATEMENT", ";"})


class Piece(NamedTuple):
    """The tokens of one statement; `error` is set if they could not be read."""

    tokens: list[Token]
    error: str = ""
    line: int = 1
    column: int = 1
    routine: bool = False


def word(tokens: list[Token], position: int) -> str:
    """The upper-case text of a token that is not quoted, or an empty one."""
    if 0 <= position < len(tokens):
        token = tokens[position]
        if token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER):
            return str(token.text).upper()
    return ""


def closing(tokens: list[Token], opening: int) -> int:
    """The place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for position in range(opening, len(tokens)):
        kind = tokens[position].token_type
        if kind == TokenType.L_PAREN:
            depth += 1
        elif kind == TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return position
    return len(tokens) - 1


def tokenize(sql: str, profile: Profile) -> list[Token]:
    if Feature.UNLOAD in profile.features and sql.lstrip()[:6].upper() == "UNLOAD":
        profile = profile_of("trino")
    return tokenizer_class(profile.dialect.tokenizer_class)(dialect=profile.dialect).tokenize(sql)


def pieces_of(sql: str, profile: Profile) -> Iterator[Piece]:
    """Split a script at its semicolons; the body of a routine stays in one piece."""
    try:
        tokens = tokenize(sql, profile)
    except Exception as error:  # noqa: BLE001 - whatever the tokenizer raises is a fault of the text
        yield from _pieces_of_text(sql, profile, unreadable(error))
        return
    yield from _split(tokens, profile)


def unreadable(error: Exception) -> str:
    """The tokenizer's message, without the text that it repeats."""
    cause = error.__cause__ or error
    if isinstance(cause, IndexError):
        return "a quote or a comment is not closed"
    return f"unreadable text: {(str(cause).splitlines() or [type(cause).__name__])[0][:120]}"


def _pieces_of_text(sql: str, profile: Profile, reason: str) -> Iterator[Piece]:
    """A character that no token can start with: find the statement that has it, and keep the others."""
    parts = sql.split(";")
    line = 1
    for part in parts:
        if part.strip():
            if len(parts) == 1:
                yield Piece([], reason, line)
            else:
                try:
                    tokens = tokenize("\n" * (line - 1) + part, profile)
                except Exception as error:  # noqa: BLE001 - as above, for one statement
                    yield Piece([], unreadable(error), line)
                else:
                    yield from _split(tokens, profile)
        line += part.count("\n")


def _split(tokens: list[Token], profile: Profile) -> Iterator[Piece]:
    start = 0
    batches = Feature.BATCHES in profile.features
    while start < len(tokens):
        if tokens[start].token_type == TokenType.SEMICOLON:
            start += 1
            continue
        end, routine = _end_of_statement(tokens, start, batches=batches)
        if end > start:
            yield Piece(tokens[start:end], routine=routine)
        start = max(end, start + 1)
        if batches and word(tokens, end) == "GO":
            start = end + 1


def _end_of_statement(tokens: list[Token], start: int, *, batches: bool) -> tuple[int, bool]:
    routine = _is_routine(tokens, start)
    if not routine and not batches:
        for position in range(start, len(tokens)):
            if tokens[position].token_type == TokenType.SEMICOLON:
                return position, False
        return len(tokens), False
    depth = 0
    opened = False
    position = start
    while position < len(tokens):
        kind = tokens[position].token_type
        text = word(tokens, position)
        if kind == TokenType.SEMICOLON and (
            depth <= 0 and (opened or not routine or not _body_follows(tokens, position))
        ):
            return position, routine
        if batches and text == "GO" and _alone_on_line(tokens, position):
            return position, routine
        if routine:
            if text in ("BEGIN", "CASE") and word(tokens, position + 1) not in _NO_BLOCK:
                depth += 1
                opened = True
            elif text == "END" and word(tokens, position + 1) not in _BLOCK_ENDS:
                depth -= 1
                if word(tokens, position + 1) == "CASE":
                    position += 1
        position += 1
    return len(tokens), routine


def _is_routine(tokens: list[Token], start: int) -> bool:
    if word(tokens, start) not in ("CREATE", "ALTER", "REPLACE"):
        return False
    position = start + 1
    while word(tokens, position) in _BEFORE_ROUTINE:
        position += 1
    return word(tokens, position) in _ROUTINES


def _body_follows(tokens: list[Token], position: int) -> bool:
    """A semicolon before the BEGIN of a routine: declarations, if a BEGIN comes before the next CREATE."""
    for later in range(position + 1, min(position + 400, len(tokens))):
        text = word(tokens, later)
        if text == "BEGIN":
            return True
        if text in ("CREATE", "GO"):
            return False
    return False


def _alone_on_line(tokens: list[Token], position: int) -> bool:
    line = tokens[position].line
    before = position == 0 or tokens[position - 1].line != line
    after = position + 1 >= len(tokens) or tokens[position + 1].line != line
    return before and after
