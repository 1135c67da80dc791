"""Texts of nodes as they are now, read from the tables of the asset graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from headwater.models.providers.outline import Summary
from headwater.models.providers.provider import StatementToSummarize
from headwater.models.tenant_models import Model
from headwater.models.texts.redact import NotReadable, dialect_of, redact
from headwater.models.texts.texts import EMBEDDED, LONGEST_SQL, hash_of, statement_text, text_of_node
from headwater.store.assets.graph import StoredNode
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.models.results import Results

__all__ = ["NodeText", "NodeTexts", "StatementText", "decode_summary", "encode_summary"]

_UP = ("HAS_COLUMN", "HAS_TABLE", "HAS_SCHEMA", "HAS_METRIC")
_LEVELS = 3
_MOST_EDGES = 100_000
_FORMULA = "calculationFormula"


class NodeText(Struct, frozen=True):
    """Text of a node to embed."""

    node: bytes
    id: str
    label: str
    text: str
    hash: bytes


class StatementText(Struct, frozen=True):
    """Text of a statement to summarise."""

    node: bytes
    id: str
    statement: StatementToSummarize
    hash: bytes


def encode_summary(summary: Summary) -> bytes:
    return msgspec.json.encode(summary)


def decode_summary(stored: bytes) -> Summary:
    return msgspec.json.decode(stored, type=Summary)


class NodeTexts:
    def __init__(self, graph: SqlAssetGraph, results: Results) -> None:
        self._graph, self._results = graph, results

    def to_embed(
        self, tenant: int, nodes: Mapping[bytes, StoredNode], model: Model, summaries: Model | None
    ) -> list[NodeText]:
        """Texts of these nodes to embed by a model; of statements only those with a summary."""
        found = []
        is_redacted = model.configuration.provider != "local" and model.configuration.redact
        others = {key: node for key, node in nodes.items() if node.label in EMBEDDED and node.label != "SQL"}
        parents, tags = self._parents(tenant, others), self._tags(tenant, others)
        for key, node in others.items():
            properties = _without_literals(node.properties) if is_redacted else node.properties
            text = text_of_node(node.label, properties, tags=tags.get(node.id, ()), parents=parents.get(node.id, ()))
            found.append(NodeText(key, node.id, node.label, text, hash_of(text)))
        statements = {key: node for key, node in nodes.items() if node.label == "SQL"}
        if summaries is not None and statements:
            told = self._results.of_nodes(tenant, "SUMMARY", summaries.fingerprint, statements)
            for key, (_, result) in told.items():
                summary = decode_summary(result.value)
                text = statement_text(summary.summary, summary.tags)
                found.append(NodeText(key, statements[key].id, "SQL", text, hash_of(text)))
        return found

    def to_summarize(self, nodes: Mapping[bytes, StoredNode], model: Model) -> list[StatementText]:
        """Texts of these statements to summarise: redacted for a foreign endpoint, else unchanged."""
        found = []
        for key, node in nodes.items():
            content = str(node.properties.get("content") or "")
            if node.label != "SQL" or not content.strip():
                continue
            told, engine = node.properties.get("dialect"), node.properties.get("engine")
            dialect = dialect_of(content, told, engine)
            if model.configuration.provider != "outline":
                if model.configuration.redact:
                    try:
                        content = redact(content, dialect, is_sure=dialect in (told, engine))
                    except NotReadable:
                        continue
                content = content[:LONGEST_SQL]
            found.append(
                StatementText(key, node.id, StatementToSummarize(content, dialect), hash_of(f"{dialect}\n{content}"))
            )
        return found

    def _parents(self, tenant: int, nodes: Mapping[bytes, StoredNode]) -> dict[str, list[str]]:
        """Names of the parents of each node, the nearest first."""
        above: dict[str, str] = {}
        level: Collection[str] = {node.id for node in nodes.values()}
        for _ in range(_LEVELS):
            if not level:
                break
            edges = self._graph.edges(tenant, level, incoming=True, kinds=_UP, limit=_MOST_EDGES)
            for edge in sorted(edges, key=lambda edge: edge.source):
                above.setdefault(edge.target, edge.source)
            level = {above[node] for node in level if node in above} - above.keys()
        names = {
            node.id: str(node.properties.get("name") or node.id)
            for node in self._graph.get(tenant, set(above.values()))
        }
        found: dict[str, list[str]] = defaultdict(list)
        for node in nodes.values():
            place = above.get(node.id)
            while place is not None and len(found[node.id]) < _LEVELS:
                found[node.id].append(names.get(place, place))
                place = above.get(place)
        return found

    def _tags(self, tenant: int, nodes: Mapping[bytes, StoredNode]) -> dict[str, list[str]]:
        ids = {node.id for node in nodes.values()}
        edges = self._graph.edges(tenant, ids, incoming=False, kinds=("HAS_TAG",), limit=_MOST_EDGES)
        names = {
            node.id: str(node.properties.get("name") or node.id)
            for node in self._graph.get(tenant, {edge.target for edge in edges})
        }
        found: dict[str, list[str]] = defaultdict(list)
        for edge in edges:
            if edge.target in names:
                found[edge.source].append(names[edge.target])
        return found


def _without_literals(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same, but for literals and comments of a metric's formula; one that cannot be read is left out."""
    formula = properties.get(_FORMULA)
    if not formula:
        return properties
    try:
        return {**properties, _FORMULA: redact(str(formula), "ansi", is_sure=False)}
    except NotReadable:
        return {name: value for name, value in properties.items() if name != _FORMULA}
