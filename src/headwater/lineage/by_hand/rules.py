"""Which edges may be made by hand: the one rule table, for every way in which they are made."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

__all__ = ["RULES", "EdgeRule", "EndType", "allowed_downstream", "allowed_upstream", "is_allowed", "type_of_dataset"]


class EndType(StrEnum):
    """Type of an end of an edge."""

    DATASET = "dataset"
    CHART = "chart"
    DASHBOARD = "dashboard"
    JOB = "job"
    COLUMN = "column"


class EdgeRule(Struct, frozen=True):
    downstream: EndType
    upstream: tuple[EndType, ...]
    """Types that may feed it."""


_DATASET, _CHART, _DASHBOARD, _JOB, _COLUMN = EndType
RULES = (
    EdgeRule(_DATASET, (_DATASET, _JOB)),
    EdgeRule(_CHART, (_DATASET, _CHART)),
    EdgeRule(_DASHBOARD, (_DATASET, _CHART)),
    EdgeRule(_JOB, (_DATASET, _JOB)),
    EdgeRule(_COLUMN, (_COLUMN,)),
)
_UPSTREAM = {rule.downstream: rule.upstream for rule in RULES}


def is_allowed(upstream: EndType, downstream: EndType) -> bool:
    """Whether the rule table allows data to flow from one type to the other.

    >>> is_allowed(EndType.CHART, EndType.DASHBOARD), is_allowed(EndType.DASHBOARD, EndType.CHART)
    (True, False)
    """
    return upstream in _UPSTREAM[downstream]


def allowed_upstream(downstream: EndType) -> tuple[EndType, ...]:
    """Types that may feed it."""
    return _UPSTREAM[downstream]


def allowed_downstream(upstream: EndType) -> tuple[EndType, ...]:
    """Types that it may feed."""
    return tuple(rule.downstream for rule in RULES if upstream in rule.upstream)


def type_of_dataset(dataset_type: str | None) -> EndType:
    """Charts and dashboards are datasets with that `datasetType`."""
    word = (dataset_type or "").lower()
    return _DASHBOARD if "dashboard" in word else _CHART if "chart" in word else _DATASET
