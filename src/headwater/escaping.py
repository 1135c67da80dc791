"""Escaping of foreign text for terminals, logs, spreadsheets and pictures."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["csv_cell", "dot_text", "json_text", "mermaid_text", "printable"]

_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f"  # C0, which move the cursor and colour the screen
    "\x80-\x9f"  # C1, the same in one character
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # show text in another order than it is in
    "\u2028\u2029"  # line ends that are none to most
    "\ufff9-\ufffb\U000e0000-\U000e007f"  # not to be seen at all
    "\ud800-\udfff"  # half of a character
    "]"
)
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_MERMAID = str.maketrans({mark: f"#{ord(mark)};" for mark in '#"&<>`|'})


def printable(text: str, keep: str = "") -> str:
    r"""Text without control characters: they are shown as escapes, but for those to `keep`.

    >>> printable("a\x1b[31m\n\u202eb")
    'a\\x1b[31m\\n\\u202eb'
    >>> printable("two\nlines", keep="\n")
    'two\nlines'
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def json_text(text: str) -> str:
    r"""JSON that is as safe to print; it means exactly the same.

    >>> json_text('{"a": "\x9b"}')
    '{"a": "\\u009b"}'
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else _units(found[0]), text)


def csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: text that begins like one gets an apostrophe in front.

    >>> csv_cell("=1+1"), csv_cell(-1), csv_cell("a=b")
    ("'=1+1", -1, 'a=b')
    """
    if not isinstance(value, str):
        return value
    text = printable(value, keep="\n\t\r")
    return f"'{text}" if text.lstrip(" \n").startswith(_FORMULA) else text


def mermaid_text(text: str) -> str:
    """Text between the quotes of Mermaid, which reads HTML there.

    >>> mermaid_text('<b>"x"')
    '#60;b#62;#34;x#34;'
    """
    return printable(text).translate(_MERMAID)


def dot_text(text: str) -> str:
    r"""Between the quotes of Graphviz, which knows escapes and HTML's entities; so are its pictures in SVG.

    >>> dot_text('a"\\N&lt;')
    'a\\"\\\\N&amp;lt;'
    """
    return printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


def _escape(character: str) -> str:
    code = ord(character)
    short = _SHORT.get(character)
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def _units(character: str) -> str:
    """As JSON escapes it."""
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + ((code - 0x10000) >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
