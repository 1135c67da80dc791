"""Text to the numbers of word pieces, as the uncased BERT models count them.

>>> pieces = WordPiece({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "order": 3, "##s": 4, ".": 5})
>>> pieces.encode("Orders.", 16)
[1, 3, 4, 5, 2]
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

__all__ = ["WordPiece"]

_LONGEST_WORD = 100
_IDEOGRAPHS = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2FA1F), (0xF900, 0xFAFF))


class WordPiece:
    """The vocabulary of one model."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._unknown = vocabulary["[UNK]"]
        self._first, self._last = vocabulary["[CLS]"], vocabulary["[SEP]"]
        self._pieces = lru_cache(maxsize=50_000)(self._split)

    def encode(self, text: str, longest: int) -> list[int]:
        """The pieces of a text between the marks of its beginning and end; a long text is cut."""
        found = [self._first]
        for word in _words(text):
            found += self._pieces(word)
            if len(found) >= longest:
                break
        return [*found[: longest - 1], self._last]

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest piece that the vocabulary has, again and again; a word that has another rest is unknown."""
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start:
                piece = word[start:end] if start == 0 else f"##{word[start:end]}"
                if piece in self._vocabulary:
                    found.append(self._vocabulary[piece])
                    break
                end -= 1
            if end == start:
                return (self._unknown,)
            start = end
        return tuple(found)


def _words(text: str) -> list[str]:
    """Words and single marks, in lower case and without accents."""
    spaced = []
    for character in unicodedata.normalize("NFD", _clean(text).lower()):
        if unicodedata.category(character) == "Mn":
            continue
        spaced.append(f" {character} " if _is_alone(character) else character)
    return "".join(spaced).split()


def _clean(text: str) -> str:
    return "".join(
        " " if character.isspace() else character
        for character in text
        if character.isspace() or (character not in "\0�" and not unicodedata.category(character).startswith("C"))
    )


def _is_alone(character: str) -> bool:
    """Whether a character is a word of its own: punctuation, and ideographs."""
    code = ord(character)
    if code < 128:
        return 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return unicodedata.category(character).startswith("P") or any(low <= code <= high for low, high in _IDEOGRAPHS)
