"""The asset graph as questions and the projection see it: one port, and an adapter for each place that it can be in."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Protocol

from msgspec import Struct

__all__ = ["AssetGraph", "Cursor", "StoredEdge", "StoredNode"]

Cursor = tuple[str, str]
"""Behind which node a page begins: its name in lower case, and its id."""


class StoredNode(Struct, frozen=True):
    id: str
    label: str
    properties: dict[str, Any]


class StoredEdge(Struct, frozen=True):
    source: str
    kind: str
    target: str
    properties: dict[str, Any]


class AssetGraph(Protocol):
    """Reads the asset graph of one tenant at a time. Edges are given only if both ends exist."""

    def get(self, tenant: int, ids: Collection[str]) -> list[StoredNode]:
        """Nodes with these ids; ids without a node are left out."""

    def edges(
        self,
        tenant: int,
        ids: Collection[str],
        *,
        incoming: bool,
        kinds: Collection[str] = (),
        limit: int = 10_000,
        bare: bool = False,
    ) -> list[StoredEdge]:
        """Edges that begin (or, `incoming`, end) at these nodes, of these kinds or of any; `bare` has no properties."""

    def page(
        self, tenant: int, *, label: str | None, text: str | None, after: Cursor | None, limit: int
    ) -> list[tuple[Cursor, StoredNode]]:
        """Nodes by name, perhaps of one label, perhaps only those whose name or id contains a text."""

    def named(self, tenant: int, name: str, *, limit: int) -> list[StoredNode]:
        """Nodes with this name or code, or whose id ends with it behind a colon, a slash or a dot; in any case."""

    def counts(self, tenant: int) -> dict[str, int]:
        """How many nodes there are of each label."""

    def all_nodes(self, tenant: int) -> Iterator[StoredNode]:
        """Every node but the root."""

    def all_edges(self, tenant: int) -> Iterator[StoredEdge]:
        """Every edge."""
