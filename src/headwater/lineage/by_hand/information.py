"""Information about charts, dashboards and jobs, from people and events."""

from __future__ import annotations

from typing import Any

import msgspec

from headwater.graph.annotations.notes import INFORMATION
from headwater.graph.facts import Evidence, Shape, ShapeDataset
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.make import Information
from headwater.lineage.entities.annotations import described_of
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["information_facet", "information_of"]


def information_of(reader: Reader, tenant: int, end: End) -> Information:
    """All information about these things; nothing for a thing that does not exist."""
    aliases = Aliases(reader, tenant)
    aliases.learn([end.id])
    ids = aliases.group(end.id)
    told = described_of(tenant, Lookup(reader.engine), {b"": ids}).get(b"")
    facet = information_facet(reader, tenant, ids)
    properties = facet.get("properties")
    return Information(
        title=_text(facet, "title"),
        url=_text(facet, "url"),
        tool=_text(facet, "tool"),
        description=(told.description if told is not None else None) or "",
        owners=tuple(told.owners) if told is not None else (),
        properties={str(name): str(value) for name, value in properties.items()}
        if isinstance(properties, dict)
        else {},
    )


def information_facet(reader: Reader, tenant: int, ids: frozenset[bytes]) -> dict[str, Any]:
    """The newest of the facets that describe a chart or dashboard."""
    parts = [(part.shape, part.facets) for part in reader.facts(tenant, ShapeDataset, dataset=ids)]
    parts += [(shape.shape, shape.facets) for shape in reader.facts(tenant, Shape, job=ids)]
    told = {shape: found for shape, facets in parts if (found := _facet(facets)) is not None}
    evidence = reader.facts(tenant, Evidence, shape=set(told))
    newest = max(evidence, key=lambda item: item.last or b"", default=None)
    return told[newest.shape] if newest is not None else {}


def _facet(facets: bytes | None) -> dict[str, Any] | None:
    found = msgspec.json.decode(facets).get(INFORMATION) if facets else None
    return found if isinstance(found, dict) else None


def _text(facet: dict[str, Any], name: str) -> str:
    value = facet.get(name)
    return value if isinstance(value, str) else ""
