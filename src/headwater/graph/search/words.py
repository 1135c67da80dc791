"""Text to search words: identifiers are split, case is ignored.

>>> words_of("stage.customerOrders_v2")
('stage', 'customerorders', 'customer', 'orders', 'v2')
>>> terms_of("customerOrders dai")
['customer', 'orders', 'dai']
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["LONGEST_WORD", "terms_of", "words_of"]

LONGEST_WORD = 64
"""Characters of a word that count: as many as the token of a posting has."""

_SHORT = 128
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IDEOGRAPHS = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+)")
"""Written without blanks between words, so any two neighbours count as one."""


def words_of(text: str) -> tuple[str, ...]:
    """All words of a text, each once, in their order; of an identifier with humps the whole and its parts."""
    return _remembered(text) if len(text) <= _SHORT else _words(text)


def terms_of(text: str) -> list[str]:
    """Words of a search text, each once, the last one last."""
    found: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text)):
        for piece in _IDEOGRAPHS.split(word):
            if _IDEOGRAPHS.fullmatch(piece):
                found += _pairs(piece)
            elif piece:
                found += [_fold(part) for part in _HUMP.split(piece)]
    last = dict.fromkeys(reversed(found))
    return list(reversed(last))


def _words(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", text)):
        for piece in _IDEOGRAPHS.split(word):
            if _IDEOGRAPHS.fullmatch(piece):
                found.update(dict.fromkeys(_pairs(piece)))
            elif piece:
                parts = _HUMP.split(piece)
                found.update(dict.fromkeys(_fold(part) for part in ([piece, *parts] if len(parts) > 1 else parts)))
    return tuple(found)


_remembered = lru_cache(maxsize=65_536)(_words)
"""Names of columns repeat from table to table."""


def _pairs(text: str) -> list[str]:
    return [text[index : index + 2] for index in range(len(text) - 1)] or [text]


def _fold(word: str) -> str:
    return word.casefold()[:LONGEST_WORD]
