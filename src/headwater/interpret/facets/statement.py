"""SQL text of an event: identity, and effect on its target.

Comments and literals are seen as such, so that `-- drop old` drops nothing. Lineage out of SQL is `headwater.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from headwater.graph.facts import OutputType
from headwater.openlineage.naming import clean

__all__ = ["normalise_sql", "output_type_of", "tidy_sql"]

_COMMENT = r"""--[^\n]*|\#(?=[\s!-])[^\n]*|/\*(?!\+).*?(?:\*/|\Z)"""
_LITERAL = r"""\'(?:[^'\\]|''|\\.)*(?:'|\Z)|"(?:[^"\\]|""|\\.)*(?:"|\Z)|`[^`]*(?:`|\Z)
      |\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z)"""
_MARKS = re.compile(r"[-#/'\"`$]")
"""Characters that begin every comment and every literal."""
_TOKENS = re.compile(
    rf"""(?P<comment>{_COMMENT})
      |(?P<literal>{_LITERAL})
      |(?P<space>\s+)
      |(?P<other>[^\s'"`/$\#-]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_BLANKS = re.compile(rf"(?P<literal>{_LITERAL})|(?P<blank>(?:{_COMMENT}|\s+)+)", re.VERBOSE | re.DOTALL)
_PLAIN = re.compile(r"\s*(\w+)\s+(\w+)")

_VERBS = {
    "INSERT": OutputType.APPEND,
    "COPY": OutputType.APPEND,
    "LOAD": OutputType.APPEND,
    "REPLACE": OutputType.OVERWRITE,
    "CREATE": OutputType.CREATE,
    "ALTER": OutputType.ALTER,
    "DROP": OutputType.DROP,
    "TRUNCATE": OutputType.TRUNCATE,
    "DELETE": OutputType.DELETE,
    "UPDATE": OutputType.UPDATE,
    "MERGE": OutputType.MERGE,
}


def tidy_sql(text: str) -> str:
    """The text as a person would want to read it."""
    if "\n" in text:
        text = dedent(text.expandtabs(4) if "\t" in text else text)
    elif "\t" in text:
        text = text.expandtabs(4)
    return clean(text.strip())


def normalise_sql(text: str) -> str:
    r"""The text by which two statements are the same: without comments, with single blanks, without a last semicolon.

    >>> normalise_sql("SELECT  a -- the key\nFROM t ;")
    'SELECT a FROM t'
    """
    joined = _BLANKS.sub(_blank, text) if _MARKS.search(text) else " ".join(text.split())
    return clean(joined.strip().rstrip(";").rstrip())


def output_type_of(text: str) -> OutputType | None:
    r"""Type of output of a statement, by its leading verb; None if it writes no table.

    >>> output_type_of("-- drop old\nINSERT OVERWRITE TABLE t SELECT 'delete '")
    <OutputType.OVERWRITE: 16>
    """
    plain = _PLAIN.match(text)
    if plain is not None and plain[1].upper() == "INSERT":  # as most of them are; the rest is read with care
        return OutputType.OVERWRITE if plain[2].upper() == "OVERWRITE" else OutputType.APPEND
    words: list[str] = []
    for word in _words(text):
        words = [] if word == ";" else [*words[:1], *words[-1:], word]
        if word == "SELECT":  # from here on nothing leads: `WITH ... SELECT ... FOR UPDATE`
            words = ["SELECT", "SELECT"]
        if word in _VERBS and _leads(words):
            return _refine(_VERBS[word], text)
    return None


def _words(text: str) -> Iterator[str]:
    """Words and semicolons outside of comments, literals and parentheses, in upper case."""
    depth = 0
    for token in _TOKENS.finditer(text):
        if token.lastgroup != "other":
            continue
        for piece in re.findall(r"\w+|[();]", token.group()):
            if piece in "()":
                depth += 1 if piece == "(" else -1
            elif depth <= 0:
                yield piece.upper()


def _refine(found: OutputType, text: str) -> OutputType:
    """INSERT OVERWRITE is no append."""
    if found is OutputType.APPEND:
        words = _words(text)
        if any(word == "INSERT" for word in words) and next(words, None) == "OVERWRITE":
            return OutputType.OVERWRITE
    return found


def _leads(words: list[str]) -> bool:
    """The verb starts its statement, or follows the common table expressions that do."""
    return len(words) == 1 or words[0] == "WITH" or (words[0] in ("EXPLAIN", "BEGIN") and len(words) == 2)


def _blank(match: re.Match[str]) -> str:
    return match.group() if match.lastgroup == "literal" else " "
