"""Suggestions for an unknown name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from headwater.graph.facts import NodeKind
from headwater.store.read.reader import Reader

__all__ = ["suggest"]

_MOST = 3
_LOOKED_AT = 200
_SHORTEST = 3
_LONGEST = 300
"""Characters: comparing takes the square of them."""


def suggest(reader: Reader, tenant: int, text: str, kind: NodeKind | None = None) -> list[str]:
    """Ids of nodes with a similar name, perhaps of one kind only, the most similar first.

    A misspelt name mostly still has its beginning or its end, so names are looked up by those; if that finds nothing,
    by shorter beginnings.
    """
    *before, last = re.split(r"[./:]", text.strip().lower())
    if len(last) < _SHORTEST or len(text) > _LONGEST:
        return []
    size = max(_SHORTEST, len(last) // 2)
    pieces = {last[:size], last[-size:], last[:_SHORTEST]}
    further = {last[:2], last[-2:], *(piece for piece in before[-2:] if len(piece) >= _SHORTEST)}
    return _closest(reader, tenant, text, last, kind, pieces) or _closest(reader, tenant, text, last, kind, further)


def _closest(
    reader: Reader, tenant: int, text: str, last: str, kind: NodeKind | None, pieces: Collection[str]
) -> list[str]:
    """Of the names that have one of these pieces in them."""
    found: dict[str, list[str]] = {}
    for piece in pieces:
        for name in reader.search_names(tenant, piece, limit=_LOOKED_AT, kind=kind):
            for form in {name.name.lower(), re.split(r"[./]", name.name)[-1].lower()}:
                found.setdefault(form, []).append(name.node_id)
    close = difflib.get_close_matches(text.strip().lower(), list(found), n=_MOST, cutoff=0.6)
    close += difflib.get_close_matches(last, list(found), n=_MOST, cutoff=0.7)
    return list(dict.fromkeys(node for form in close for node in sorted(set(found[form]))))[:_MOST]
