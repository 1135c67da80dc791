"""Transformations of a value between two columns, in OpenLineage's terms."""

from functools import lru_cache
from typing import Literal, NamedTuple

__all__ = [
    "AGGREGATION",
    "CONDITIONAL",
    "FILTER",
    "GROUP_BY",
    "IDENTITY",
    "JOIN",
    "SORT",
    "TRANSFORMATION",
    "WINDOW",
    "Effect",
    "compose",
    "masked",
]

Kind = Literal["DIRECT", "INDIRECT"]


class Effect(NamedTuple):
    """One OpenLineage transformation: `type`, `subtype` and whether the value is made unreadable."""

    type: Kind
    subtype: str
    masking: bool = False


IDENTITY = Effect("DIRECT", "IDENTITY")
TRANSFORMATION = Effect("DIRECT", "TRANSFORMATION")
AGGREGATION = Effect("DIRECT", "AGGREGATION")
JOIN = Effect("INDIRECT", "JOIN")
FILTER = Effect("INDIRECT", "FILTER")
GROUP_BY = Effect("INDIRECT", "GROUP_BY")
SORT = Effect("INDIRECT", "SORT")
WINDOW = Effect("INDIRECT", "WINDOW")
CONDITIONAL = Effect("INDIRECT", "CONDITIONAL")

_OVER_ROWS = frozenset({"JOIN", "FILTER", "GROUP_BY", "SORT"})
_STRENGTH = {"IDENTITY": 0, "TRANSFORMATION": 1, "AGGREGATION": 2}


@lru_cache(maxsize=512)
def compose(inner: Effect, outer: Effect) -> Effect:
    """Follow `inner` by `outer`: the stronger direct effect wins, an indirect one cannot become direct again.

    >>> compose(AGGREGATION, IDENTITY).subtype
    'AGGREGATION'
    >>> compose(TRANSFORMATION, WINDOW).type
    'INDIRECT'
    """
    masking = inner.masking or outer.masking
    if outer.type == "INDIRECT" and (inner.type == "DIRECT" or inner.subtype not in _OVER_ROWS):
        return Effect("INDIRECT", outer.subtype, masking)
    if inner.type == "INDIRECT":
        return Effect("INDIRECT", inner.subtype, masking)
    stronger = inner if _STRENGTH[inner.subtype] >= _STRENGTH[outer.subtype] else outer
    return Effect("DIRECT", stronger.subtype, masking)


@lru_cache(maxsize=64)
def masked(effect: Effect) -> Effect:
    return Effect(effect.type, effect.subtype, masking=True)
