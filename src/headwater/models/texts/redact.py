"""SQL without its literals and comments, for text that leaves this machine."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from headwater.errors import HeadwaterError
from headwater.sql.dialects.guess_dialect import guess_dialect
from headwater.sql.dialects.profiles import DIALECTS, profile_of
from headwater.sql.parse.tokenize import tokenize

__all__ = ["NotReadable", "dialect_of", "redact"]

_LONGEST = 200_000
_LONGEST_GUESS = 20_000
_NUMBERS = frozenset({TokenType.NUMBER, TokenType.BIT_STRING, TokenType.HEX_STRING})
_STRINGS = frozenset(
    {
        TokenType.STRING,
        TokenType.BYTE_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.UNICODE_STRING,
    }
)


class NotReadable(HeadwaterError):
    """SQL that cannot be split into tokens: its literals are unknown, so it is not sent."""

    code = "not_readable"


def dialect_of(sql: str, dialect: str | None, engine: str | None) -> str:
    """The dialect of a statement: as it is stored, after its engine, or guessed."""
    for name in (dialect, engine):
        if name and name.casefold() in DIALECTS:
            return name.casefold()
    return guess_dialect(sql).dialect if len(sql) <= _LONGEST_GUESS else "ansi"


def redact(sql: str, dialect: str, *, is_sure: bool = True) -> str:
    """The statement with `?` for every literal, without comments. `is_sure`: the dialect is known, not guessed.

    Where the dialect is not known, names in double quotes may be strings, and go too.

    >>> redact("SELECT a /* of Eve */ FROM t WHERE b = 'x' AND c > 42 -- 7", "postgres")
    "SELECT a FROM t WHERE b = '?' AND c > 0"
    """
    if len(sql) > _LONGEST:
        raise NotReadable(f"The statement has {len(sql)} characters; {_LONGEST} are the most.")
    try:
        tokens = tokenize(sql, profile_of(dialect))
    except Exception:  # noqa: BLE001 - whatever the tokenizer raises is a fault of the text
        raise NotReadable("The statement cannot be split into tokens.") from None
    parts: list[str] = []
    end, is_number = -1, False
    for token in tokens:
        if token.start <= end:  # of 5L the tokenizer makes 5::BIGINT, all at the same place
            continue
        if end >= 0 and token.start > end + 1:
            parts.append(" ")  # blanks, or a comment
        goes_on, end = is_number and token.start == end + 1, token.end
        written = sql[token.start : token.end + 1]
        is_number = token.token_type in _NUMBERS or (token.token_type == TokenType.VAR and written[0].isdigit())
        if goes_on and token.token_type == TokenType.VAR:  # the rest of a number that another dialect writes so
            is_number = True
        elif is_number:
            parts.append("0")
        elif token.token_type in _STRINGS:
            parts.append("'?'")
        elif written.startswith('"') and not is_sure:
            parts.append('"?"')
        else:
            parts.append(written)
    return "".join(parts)
