"""Text of a script with strings and comments blanked, at the same positions."""

import re

__all__ = ["blank_literals", "template_place"]

_QUOTED = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|\$(\w*)\$.*?(?:\$\1\$|\Z)|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"", re.DOTALL
)
_MARKS = ("{{", "{%", "${")
_MARK = re.compile(r"\{\{|\{%|\$\{")


def blank_literals(sql: str, *, keep_double: bool = False) -> str:
    """Comments and strings as blanks of the same length, so that each place stays where it is.

    >>> blank_literals("SELECT 'a' -- b")
    'SELECT         '
    """

    def blank(match: re.Match[str]) -> str:
        text = match.group()
        if keep_double and text.startswith('"'):
            return text
        return "".join(character if character == "\n" else " " for character in text)

    return _QUOTED.sub(blank, sql)


def template_place(sql: str, *, double_quotes_names: bool) -> tuple[str, int, int] | None:
    """The first mark of a template that stands for part of the statement, with its line and column.

    One inside a string or a comment changes no lineage.

    >>> template_place("SELECT a FROM ${db}.t WHERE d = '{{ ds }}'", double_quotes_names=True)
    ('${', 1, 15)
    """
    if not any(mark in sql for mark in _MARKS):
        return None
    match = _MARK.search(blank_literals(sql, keep_double=double_quotes_names))
    if match is None:
        return None
    before = sql[: match.start()]
    return match.group(), before.count("\n") + 1, match.start() - before.rfind("\n")
