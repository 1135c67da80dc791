"""Table names: their parts as written, as stored and as compared."""

from typing import NamedTuple

from sqlglot import exp

from headwater.sql.dialects.differences import Feature
from headwater.sql.dialects.profiles import Profile

__all__ = ["TableName", "identifier_text", "name_of_table", "parts_of_text"]


class TableName(NamedTuple):
    """The parts of a table name, outermost first, in the spelling of the dialect."""

    parts: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(part.casefold() for part in self.parts if part)

    def __str__(self) -> str:
        return ".".join(self.parts)


def identifier_text(node: exp.Expr, profile: Profile) -> str:
    """The stored spelling of an identifier: quoted as written, otherwise folded as the dialect folds."""
    args = node.args
    if type(node) is exp.Identifier:
        text: str = args["this"]
        if args.get("quoted"):
            return text
        text = profile.fold(text)
        if len(args) > 2:
            if args.get("temporary"):
                return "#" + text
            if args.get("global_"):
                return "##" + text
        return text
    if isinstance(node, exp.Parameter):
        return ("$" if Feature.STAGED_COLUMNS in profile.features else "@") + node.name
    return node.name


def name_of_table(table: exp.Table, profile: Profile) -> TableName:
    parts: list[str] = []
    for key in ("catalog", "db", "this"):
        node = table.args.get(key)
        if isinstance(node, exp.Dot):
            parts.extend(identifier_text(part, profile) if part else "" for part in _dot_parts(node))
        elif isinstance(node, exp.Expr):
            parts.append(identifier_text(node, profile))
        elif node == "":
            parts.append("")
    if len(parts) > 1 and parts[-1] and not table.args.get("this"):
        parts.append("")
    return TableName(tuple(parts))


def _dot_parts(node: exp.Expr) -> list[exp.Expr | None]:
    """The names in a dotted expression; None where nothing stands between two dots."""
    parts: list[exp.Expr | None] = []
    inner: object = node
    while isinstance(inner, exp.Dot):
        last = inner.args.get("expression")
        parts.append(last if isinstance(last, exp.Expr) else None)
        inner = inner.args.get("this")
    parts.append(inner if isinstance(inner, exp.Expr) else None)
    return parts[::-1]


def parts_of_text(name: str) -> tuple[str, ...]:
    """Split a dotted name, leaving dots inside quotes alone.

    >>> parts_of_text('a."b.c".`d`')
    ('a', 'b.c', 'd')
    """
    parts: list[str] = []
    current: list[str] = []
    closing = ""
    for character in name:
        if closing:
            if character == closing:
                closing = ""
            else:
                current.append(character)
        elif character in '"`[':
            closing = "]" if character == "[" else character
        elif character == ".":
            parts.append("".join(current))
            current = []
        else:
            current.append(character)
    parts.append("".join(current))
    return tuple(parts)
