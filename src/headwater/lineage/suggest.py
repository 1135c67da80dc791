"""Names that come close to one that nothing has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from headwater.store.read import Name, Reader

__all__ = ["closest", "suggest"]

_PIECE = 4
_CANDIDATES = 200
_SHOWN = 5


def closest(text: str, names: Iterable[str]) -> list[str]:
    """The few names that look most like this text, whatever its case."""
    spelled = {name.lower(): name for name in sorted(names, reverse=True)}
    return [spelled[name] for name in difflib.get_close_matches(text.lower(), spelled, n=_SHOWN, cutoff=0.6)]


def suggest(reader: Reader, tenant: int, text: str) -> list[str]:
    """Node ids whose names look like this text.

    Candidates share a few letters in a row with it, so that one wrong or missing letter does no harm; no more than a
    few hundred are compared.
    """
    wanted = text.rpartition(":")[2].lower()
    candidates: dict[bytes, Name] = {}
    for piece in _pieces(wanted):
        for name in reader.search_names(tenant, piece, limit=_CANDIDATES // 4):
            candidates[name.id] = name
        if len(candidates) >= _CANDIDATES:
            break
    ranked = sorted(candidates.values(), key=lambda name: (-_likeness(wanted, name.name.lower()), name.node_id))
    return [name.node_id for name in ranked[:_SHOWN] if _likeness(wanted, name.name.lower()) >= 0.6]


def _pieces(text: str) -> list[str]:
    """Words of the text, longest first, then their beginnings, middles and ends.

    >>> _pieces("shop.ordrs")
    ['ordrs', 'shop', 'ordr', 'drs']
    """
    words = sorted({word for word in re.split(r"[^\w]+", text) if len(word) > 2}, key=lambda word: (-len(word), word))
    pieces = list(words)
    for word in words:
        pieces += [word[start : start + _PIECE] for start in range(0, len(word), _PIECE - 2)]
    return [piece for piece in dict.fromkeys(pieces) if len(piece) > 2][:12]


def _likeness(text: str, name: str) -> float:
    """Against the whole name, and against its last part, which is what people remember."""
    ends = {name, re.split(r"[./]", name)[-1]}
    return max(difflib.SequenceMatcher(None, text, end).ratio() for end in ends)
