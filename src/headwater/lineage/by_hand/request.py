"""A request to change edges: edges to add, remove, hide and show again, all or nothing."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

__all__ = ["MOST_EDGES", "EdgeAsk", "EdgeTransformation", "EdgesAsk"]

MOST_EDGES = 1000
"""Edges in one request."""
_End = Annotated[str, Meta(min_length=1, max_length=8192)]


class EdgeTransformation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Transformation of a column edge."""

    type: Literal["DIRECT", "INDIRECT"] = "DIRECT"
    subtype: Annotated[str, Meta(max_length=100)] = ""
    """For example IDENTITY, TRANSFORMATION, AGGREGATION, FILTER, JOIN."""
    description: Annotated[str, Meta(max_length=1000)] = ""
    masking: bool = False


class EdgeAsk(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: _End
    """Where data comes from: the upstream end, by any of its names."""
    target: _End
    """Where it goes: the downstream end."""
    note: Annotated[str, Meta(max_length=1000)] = ""
    transformation: EdgeTransformation | None = None
    """Of an edge between columns."""
    properties: Annotated[dict[str, Annotated[str, Meta(max_length=1000)]], Meta(max_length=50)] = {}
    reason: Annotated[str, Meta(max_length=1000)] = ""
    """Of this edge alone, where a request has edges for different reasons."""
    by: Annotated[str, Meta(max_length=200)] = ""
    """Author of this edge alone, where a request has edges of several people."""


_Edges = Annotated[list[EdgeAsk], Meta(max_length=MOST_EDGES)]


class EdgesAsk(Struct, frozen=True, kw_only=True):
    add: _Edges = []
    remove: _Edges = []
    hide: _Edges = []
    """Wrong edges, of any origin."""
    show: _Edges = []
    """Hidden ones that are right after all."""
    create: bool = False
    """Make ends that do not exist."""

    def listed(self) -> list[tuple[str, str, EdgeAsk]]:
        """Every edge with its operation and its place in the request."""
        kinds = {"add": self.add, "remove": self.remove, "hide": self.hide, "show": self.show}
        return [(kind, f"$.{kind}[{index}]", edge) for kind, edges in kinds.items() for index, edge in enumerate(edges)]
