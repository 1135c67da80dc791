"""Names that contain the search text or are similar to it, for searches without a match of whole words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator

from headwater.graph.facts import NodeKind
from headwater.store.read.reader import Name, Reader

__all__ = ["near_names"]

_KINDS = (NodeKind.DATASET, NodeKind.JOB)
_LOOKED_AT = 200
"""Names that are looked at for each beginning and end of a word."""
_SHORTEST, _LONGEST = 3, 100
"""Letters of a word: of shorter ones everything is similar, and comparing takes the square of them."""
_SIMILAR = 0.75
_WORD = re.compile(r"[^\W_]+")


def near_names(
    reader: Reader, tenant: int, text: str, words: list[str], without: Collection[bytes], limit: int
) -> list[Name]:
    """Datasets and jobs whose name contains the text; if there are none, whose names have similar words."""
    if not _SHORTEST <= len(text.strip()) <= _LONGEST:
        return []
    found = _shown(reader.search_names(tenant, text.strip(), limit=limit + len(without)), without)
    return (found or _similar(reader, tenant, words, without))[:limit]


def _similar(reader: Reader, tenant: int, words: list[str], without: Collection[bytes]) -> list[Name]:
    longest = max(words, key=len)
    if len(longest) < _SHORTEST:
        return []
    size = max(_SHORTEST, len(longest) // 2)
    candidates: dict[bytes, Name] = {}
    for piece in {longest[:size], longest[-size:], longest[:_SHORTEST], longest[-_SHORTEST:]}:
        found = reader.search_names(tenant, piece, limit=_LOOKED_AT)
        candidates.update((name.id, name) for name in _shown(found, without))
    rated = ((_likeness(name, words), name) for name in candidates.values())
    close = [(likeness, name) for likeness, name in rated if likeness >= _SIMILAR]
    return [name for _, name in sorted(close, key=lambda it: (-it[0], len(it[1].name), it[1].node_id))]


def _likeness(name: Name, words: list[str]) -> float:
    """Of the word that is least like any word of the name."""
    own = list(_words_of(name.name))
    return min(max((_ratio(word, other) for other in own), default=0.0) for word in words)


def _words_of(name: str) -> Iterator[str]:
    yield from (word[:_LONGEST] for word in _WORD.findall(name[:2000].lower()))


def _ratio(word: str, other: str) -> float:
    matcher = difflib.SequenceMatcher(None, word[:_LONGEST], other)
    return matcher.ratio() if matcher.real_quick_ratio() >= _SIMILAR and matcher.quick_ratio() >= _SIMILAR else 0.0


def _shown(found: list[Name], without: Collection[bytes]) -> list[Name]:
    return [name for name in found if name.kind in _KINDS and name.id not in without]
