"""What people decide about the graph. No event says it, so it is no part of the fold; it lies beside the facts."""

from __future__ import annotations

from typing import ClassVar

from headwater.graph.fact import Fact, Id, declare
from headwater.graph.rules import Latest

__all__ = ["LocationDecision"]


@declare
class LocationDecision(Fact, frozen=True, gc=False):
    """Two namespaces are one location, or are not, whatever their addresses say; `one` is the smaller id."""

    table: ClassVar[str] = "location_decision"
    one: Id
    other: Id
    same: Latest[int] = None
    decided_by: Latest[str] = None
