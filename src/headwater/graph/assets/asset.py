"""One node or edge of the asset graph, and its owner.

The owner is the part of the graph that is computed at once: a table with its columns and their derivations, a catalog
or schema, a statement, or all metrics, terms and tags of a tenant together.
"""

from __future__ import annotations

from typing import Any

from headwater.openlineage.times import format_time

__all__ = ["SEMANTIC", "TENANT", "Asset", "Owned", "edge", "node", "times_of"]

Asset = dict[str, Any]
Owned = tuple[str, Asset]
"""The owner of an asset, and the asset."""
TENANT = "tenant"
"""The id of the root. There is one in each tenant's graph."""
SEMANTIC = "semantic"
"""Owner of metrics, terms and tags, and of their edges."""


def node(label: str, node_id: str, name: str | None, **properties: Any) -> Asset:
    """A node; unknown properties are left out."""
    known = {key: value for key, value in properties.items() if value is not None}
    return {"asset": label, "id": node_id, **({"name": name} if name is not None else {}), **known}


def edge(label: str, source: str, target: str, **properties: Any) -> Asset:
    return {"edge": label, "from": source, "to": target, **properties}


def times_of(first: int | None, last: int | None) -> dict[str, str]:
    """The times that every node carries."""
    found = {"createdAt": first, "updatedAt": last}
    return {key: format_time(value) for key, value in found.items() if value is not None}
