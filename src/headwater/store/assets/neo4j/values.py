"""Properties as Neo4j can hold them: no maps, and no lists of lists."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["from_neo4j", "properties_of", "to_neo4j"]

_JSON = ("properties", "transformations", "unresolvedColumns")
"""Written as JSON text."""
_TIMES = ("createdAt", "updatedAt")
_OF_LABEL: dict[str, tuple[str, ...]] = {
    "Catalog": ("name", "metalake", "catalogType", "provider", "description", "properties"),
    "Schema": ("name", "description", "properties"),
    "Table": (
        "name",
        "producer",
        "description",
        "properties",
        "partitions",
        "distribution",
        "sortOrders",
        "indexes",
        "creator",
        "createTime",
        "lastModifier",
        "lastModifiedTime",
        "reference",
    ),
    "Column": ("name", "dataType", "description", "nullable", "autoIncrement", "defaultValue"),
    "SQL": ("content", "dialect", "engine", "jobNamespace", "jobName", "executionCount"),
    "WordRoot": ("code", "name", "dataType", "description"),
    "Modifier": ("code", "name", "modifierType", "description"),
    "Unit": ("code", "name", "symbol", "description"),
    "ValueDomain": ("code", "name", "domainType", "domainLevel", "items", "dataType", "description"),
    "Tag": ("name", "description", "properties"),
    "Chart": ("name", "description", "tool", "url"),
    "Dashboard": ("name", "description", "tool", "url"),
}
_METRIC = ("code", "name", "description", "unit", "aggregationLogic", "calculationFormula", "unresolvedColumns")
_OF_LABEL |= dict.fromkeys(("AtomicMetric", "DerivedMetric", "CompositeMetric"), _METRIC)
_ADDED = ("embedding", "embeddingUpdatedAt", "embeddingProvider", "summary", "summaryGeneratedAt", "tenantId", "id")
"""Properties of nodes that others write, and the key."""


def properties_of(label: str) -> tuple[str, ...]:
    """Names of the properties that nodes of a label can have."""
    return (*_OF_LABEL[label], *_TIMES)


def to_neo4j(properties: Mapping[str, Any]) -> dict[str, Any]:
    """As Neo4j can hold them."""
    known: dict[str, Any] = {}
    for key, value in properties.items():
        is_plain = isinstance(value, (str, bool, int, float)) and key not in _JSON
        known[key] = value if is_plain or value is None else json.dumps(value, separators=(",", ":"), sort_keys=True)
    return known


def from_neo4j(properties: Mapping[str, Any], label: str | None = None) -> dict[str, Any]:
    """Properties as they were written, without those of others."""
    kept = {*_OF_LABEL[label], *_TIMES} if label is not None else None
    return {
        key: json.loads(value) if key in _JSON and isinstance(value, str) else value
        for key, value in properties.items()
        if (key in kept if kept is not None else key not in _ADDED)
    }
