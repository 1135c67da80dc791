"""Results of the active models, as properties of nodes of the asset graph, beside the facts."""

from __future__ import annotations

import json
import struct
from collections.abc import Collection
from typing import Any, NamedTuple

import sqlalchemy as sa

from headwater.openlineage.times import format_time
from headwater.store.models.configurations import Configurations, Kind
from headwater.store.models.results import Results

__all__ = ["Attached", "AttachedResults", "vector_spaces"]

_ORIGIN = "model"
"""Of tags that a model made: they count for nothing but search."""


class Attached(NamedTuple):
    properties: dict[str, Any]
    dimension: int
    """Of its vector; 0 if it has none."""
    similarity: str


class AttachedResults:
    """Reads; of one tenant at a time."""

    def __init__(self, engine: sa.Engine) -> None:
        self._configurations, self._results = Configurations(engine, engine), Results(engine, engine)

    def of_nodes(self, tenant: int, nodes: Collection[bytes]) -> dict[bytes, Attached]:
        """By the keys of nodes in the tables; a node without a result is left out."""
        found: dict[bytes, dict[str, Any]] = {}
        dimension, similarity = 0, ""
        for model in self._configurations.read(tenant) if nodes else ():
            if model.place != "active":
                continue
            told = json.loads(model.configuration)
            if model.kind == "EMBEDDING":
                dimension, similarity = told["dimension"], told["similarity"]
            provider = f"{told['provider']}/{told['model']}"
            for node, (_, result) in self._results.of_nodes(tenant, model.kind, model.fingerprint, nodes).items():
                properties = found.setdefault(node, {})
                properties |= _properties(model.kind, provider, result.created_at, result.value)
        return {
            node: Attached(properties, dimension if "embedding" in properties else 0, similarity)
            for node, properties in found.items()
        }


def vector_spaces(engine: sa.Engine) -> list[tuple[int, str]]:
    """Dimension and similarity of the embeddings of all tenants, of models in force and of those that are to follow."""
    configurations = Configurations(engine, engine)
    found = set()
    for tenant in configurations.tenants():
        for model in configurations.read(tenant):
            if model.kind == "EMBEDDING":
                told = json.loads(model.configuration)
                found.add((told["dimension"], told["similarity"]))
    return sorted(found)


def _properties(kind: Kind, provider: str, created_at: int, value: bytes) -> dict[str, Any]:
    time = format_time(created_at)
    if kind == "EMBEDDING":
        vector = list(struct.unpack(f"<{len(value) // 4}f", value))
        return {"embedding": vector, "embeddingUpdatedAt": time, "embeddingProvider": provider}
    told = json.loads(value)
    return {
        "summary": told["summary"],
        "tags": told["tags"],
        "tagsOrigin": _ORIGIN,
        "summaryGeneratedAt": time,
    }
