"""Transformation of a column edge (type, subtype, masking), interned because answers repeat a few."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from msgspec import Struct

from headwater.graph.assets.column_kinds import How

__all__ = ["ColumnTransformation", "in_order", "shown_how", "transformation_of"]


class ColumnTransformation(Struct, frozen=True, gc=False, eq=False):
    hows: tuple[How, ...]
    """In order, each once."""
    carries: bool
    """Whether values flow, if only masked."""
    may_be_unmasked: bool
    """Whether values flow as they are, for all that is known."""
    is_unmasked: bool
    """Whether values certainly flow as they are."""
    shown: dict[str, Any]
    """The members of an edge; to be copied, never changed."""


def in_order(hows: Iterable[How]) -> tuple[How, ...]:
    """Each kind once, in an order that does not depend on where they come from.

    Of expressions, which may differ with each run, one stands for all.
    """
    kinds: dict[tuple[str, ...], How] = {}
    for how in hows:
        kind = how.type, how.subtype, str(how.masking), how.stated
        known = kinds.get(kind)
        if known is None or not known.expression or "" < how.expression < known.expression:
            kinds[kind] = how
    return tuple(kinds[kind] for kind in sorted(kinds))


@lru_cache(maxsize=4096)
def transformation_of(hows: tuple[How, ...]) -> ColumnTransformation:
    """Combined transformation of several in a row.

    >>> transformation_of((How("DIRECT", "TRANSFORMATION", True),)).is_unmasked
    False
    >>> transformation_of((How("DIRECT", "UNKNOWN", None),)).shown["masked"] is None
    True
    """
    masks = [how.masking for how in hows if how.type == "DIRECT"]
    shown: dict[str, Any] = {
        "transformations": [shown_how(how) for how in hows],
        "masked": _masked(masks or [how.masking for how in hows]),
    }
    return ColumnTransformation(
        hows, bool(masks), any(not mask for mask in masks), any(mask is False for mask in masks), shown
    )


def _masked(masks: list[bool | None]) -> bool | None:
    """True if every way masks, False if one does not, None if that is not known of one."""
    return False if False in masks else None if None in masks else True


def shown_how(how: How) -> dict[str, Any]:
    """One way as answers show it: the producer's own subtype and the expression where there are any."""
    shown: dict[str, Any] = {"type": how.type, "subtype": how.subtype, "masking": how.masking}
    if how.stated:
        shown["stated"] = how.stated
    if how.expression:
        shown["expression"] = how.expression
    return shown
