"""How values get from one column into another. There are few different ways, and answers have thousands of each."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from msgspec import Struct

from headwater.store.shapes import How

__all__ = ["Manner", "manner_of"]


class Manner(Struct, frozen=True, gc=False, eq=False):
    hows: tuple[How, ...]
    """In order, each once."""
    carries: bool
    """Whether values flow, if only masked."""
    bares: bool
    """Whether values flow as they are."""
    shown: dict[str, Any]
    """The members of an edge; to be copied, never changed."""


@lru_cache(maxsize=4096)
def manner_of(hows: tuple[How, ...]) -> Manner:
    """What these, in order, come to.

    >>> manner_of((("DIRECT", "TRANSFORMATION", True),)).bares
    False
    """
    masks = [masking for kind, _, masking in hows if kind == "DIRECT"]
    shown = {
        "transformations": [{"type": kind, "subtype": subtype, "masking": masking} for kind, subtype, masking in hows],
        "masked": all(masking for _, _, masking in hows),
    }
    return Manner(hows, bool(masks), not all(masks), shown)
