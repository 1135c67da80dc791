"""One parsed statement, or why it could not be parsed."""

import re
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token

__all__ = ["Parsed", "column_of", "failed", "reason_of"]


class Parsed(NamedTuple):
    """One statement: its tree, or why there is none."""

    node: exp.Expr | None
    tokens: list[Token]
    error: str = ""
    line: int = 1
    column: int = 1
    routine: "tuple[Parsed, ...] | None" = None
    kind: str = ""
    notice: str = ""
    """Why a statement without an error was not followed."""
    records: tuple[tuple[str, exp.Expr], ...] = ()
    """The loops around it: the name of a record, and the query whose rows it takes."""
    variables: frozenset[str] = frozenset()
    """Names that the script or the routine declares: they are no columns."""


def column_of(token: Token) -> int:
    return max(token.col - (token.end - token.start), 1)


def failed(tokens: list[Token], error: ParseError) -> Parsed:
    details = error.errors[0] if error.errors else {}
    message = _readable(str(details.get("description") or error).splitlines()[0])
    line, column = details.get("line"), details.get("col")
    width = len(str(details.get("highlight") or "")) or 1
    return Parsed(
        None,
        tokens,
        message,
        int(line) if line is not None else tokens[0].line,
        max(int(column) - width + 1, 1) if column is not None else 1,
    )


def _readable(message: str) -> str:
    """The parser's own words name its classes; a person wants to know that something is missing."""
    missing = re.match(r"Required keyword: '(\w+)' missing for <class '[\w.]*?(\w+)'>", message)
    if missing:
        return f"incomplete {missing[2]}: its {missing[1]!r} is missing"
    return re.sub(r"<Token token_type: [^,]*, text: (.*?), line: .*?>", r"\1", message)


def reason_of(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "the statement is nested too deeply"
    return (str(error).splitlines() or [type(error).__name__])[0] or type(error).__name__
