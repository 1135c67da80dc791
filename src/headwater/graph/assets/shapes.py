"""Shapes about the tables of the asset graph: the shapes of each table, and their first times."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from headwater.graph.assets.names import AssetNames
from headwater.graph.facts import SchemaVersion, Shape, ShapeDataset, ShapeEdge

__all__ = ["Shapes", "engine_of"]

_THINGS = {"CHART": "Chart", "DASHBOARD": "Dashboard"}
_ENGINES = ("gravitino", "spark", "flink", "hive", "airflow", "dbt", "trino", "starrocks")


class Shapes:
    """The shapes of a tenant, with the purpose of each."""

    def __init__(self, read: Callable[[type[Any]], Iterable[Any]], names: AssetNames) -> None:
        self.headers: dict[bytes, Shape] = {shape.shape: shape for shape in read(Shape)}
        self.parts: list[ShapeDataset] = list(read(ShapeDataset))
        self.edges: list[ShapeEdge] = list(read(ShapeEdge))
        self.fields: dict[bytes, list[dict[str, Any]]] = {
            schema.schema: [field for field in json.loads(schema.fields) if field.get("name")]
            for schema in read(SchemaVersion)
            if schema.fields
        }
        self._since = names.since
        self._of_table: dict[str, list[tuple[int, bytes, ShapeDataset]]] = defaultdict(list)
        for part in self.parts:
            table = names.own(part.dataset)
            if table is not None:
                self._of_table[table].append((self.since(part.shape), part.shape, part))

    def since(self, shape: bytes) -> int:
        """When a shape was first stated."""
        return self._since.get(shape, 0)

    def newest(self, table: str) -> int | None:
        """When a new property of a table was last stated."""
        return max((since for since, *_ in self._of_table.get(table, ())), default=None)

    def kind_of(self, table: str) -> str | None:
        """Chart or Dashboard by the newest shape with a type; None for any other."""
        for _, _, part in self._newest_first(table):
            said = _facet(part, "datasetType", "datasetType")
            if said is not None:
                return _THINGS.get(said.upper())
        return None

    def values_of_thing(self, thing: str) -> dict[str, Any]:
        """Information about a chart or dashboard, by the newest shape that has it."""
        values: dict[str, Any] = {}
        for _, _, part in self._newest_first(thing):
            told = {member: _facet(part, "headwater_information", member) for member in ("title", "url", "tool")}
            told["description"] = _facet(part, "documentation", "description")
            values = {**{name: text for name, text in told.items() if text}, **values}
        return {"name": values.pop("title", None), **values}

    def _newest_first(self, table: str) -> list[tuple[int, bytes, ShapeDataset]]:
        return sorted(self._of_table.get(table, ()), key=lambda item: item[:2], reverse=True)

    def values_of(self, table: str) -> dict[str, Any]:
        """The producer and the description of a table that no catalog speaks of: by the newest shape that has one."""
        values: dict[str, Any] = {}
        for _, shape, part in self._newest_first(table):
            header = self.headers.get(shape)
            if "producer" not in values and header is not None and header.producer:
                values["producer"] = engine_of(header.producer)
            if "description" not in values and (text := _facet(part, "documentation", "description")):
                values["description"] = text
        return values


def engine_of(producer: str | None) -> str:
    """The engine that a producer's address names.

    >>> engine_of("https://github.com/OpenLineage/OpenLineage/tree/1.20.0/integration/spark"), engine_of("http://x")
    ('spark', 'unknown')
    """
    text = (producer or "").lower()
    return next((name for name in _ENGINES if name in text), "unknown")


def _facet(part: ShapeDataset, name: str, member: str) -> str | None:
    if not part.facets or name.encode() not in part.facets:
        return None
    facet = msgspec.json.decode(part.facets).get(name)
    text = facet.get(member) if isinstance(facet, dict) else None
    return text if isinstance(text, str) and text else None
