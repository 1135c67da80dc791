"""Kinds of column edges, in the graph's own terms."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

__all__ = ["UNKNOWN", "How", "how_of"]

UNKNOWN = "UNKNOWN"
_KINDS = {
    "DIRECT": frozenset({"IDENTITY", "TRANSFORMATION", "AGGREGATION"}),
    "INDIRECT": frozenset({"JOIN", "GROUP_BY", "FILTER", "SORT", "WINDOW", "CONDITIONAL"}),
}
_CONDITIONS = frozenset({"CONDITION", "CONDITIONS", "CASE", "IF", "CASE_WHEN"})
"""Producers' names for CONDITIONAL."""


class How(NamedTuple):
    """One way in which a column gets into another."""

    type: str
    """DIRECT: values get there. INDIRECT: they decide over rows or values."""
    subtype: str
    masking: bool | None
    """None if the transformation is unknown: the values may be masked."""
    stated: str = ""
    """The producer's own subtype, where that is none of ours."""
    expression: str = ""

    @property
    def is_untold(self) -> bool:
        """Whether no event states the transformation."""
        return self.masking is None and not self.stated


@lru_cache(maxsize=16_384)
def how_of(kind: str, subtype: str, masking: bool, expression: str, *, whole_row: bool) -> How:
    """A stored edge, in our words. An edge of every row of a dataset is never DIRECT.

    >>> how_of("DIRECT", "SQUEEZE", False, "", whole_row=False)
    How(type='DIRECT', subtype='UNKNOWN', masking=None, stated='SQUEEZE', expression='')
    >>> how_of("DIRECT", "UNKNOWN", False, "", whole_row=False).masking is None
    True
    >>> how_of("DIRECT", "AGGREGATION", False, "", whole_row=True)[:2]
    ('INDIRECT', 'UNKNOWN')
    """
    shown = "INDIRECT" if whole_row or kind == "INDIRECT" else "DIRECT"
    if subtype in _KINDS[shown]:
        return How(shown, subtype, masking, "", expression)
    if shown == "INDIRECT" and subtype in _CONDITIONS:
        return How(shown, "CONDITIONAL", masking, subtype, expression)
    is_stated = masking or shown == "INDIRECT"
    stated = "" if subtype in ("", UNKNOWN) else subtype
    return How(shown, UNKNOWN, masking if is_stated else None, stated, expression)
