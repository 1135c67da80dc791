"""Calls of models for nodes: missing results are requested, and stored before anything else is tried."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from headwater.models.tenant_models import Model, TenantModels
from headwater.models.texts.node_texts import NodeText, NodeTexts, StatementText, decode_summary, encode_summary
from headwater.models.texts.texts import hash_of, statement_text
from headwater.store.assets.graph import StoredNode
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.models.results import Results
from headwater.store.write.log import Tenant

__all__ = ["ModelWork"]


class ModelWork:
    """Shared by handlers of tasks and the job `enrich`."""

    def __init__(
        self, models: TenantModels, results: Results, graph: SqlAssetGraph, catch_up: Callable[[int], object]
    ) -> None:
        """`catch_up` brings the asset graph of a tenant up to date."""
        self.models, self.results, self.graph, self.catch_up = models, results, graph, catch_up
        self.texts = NodeTexts(graph, results)

    def nodes(self, tenant: int, keys: Collection[bytes]) -> dict[bytes, StoredNode]:
        return self.graph.by_key(tenant, keys)

    def embed(self, tenant: Tenant, model: Model, wanted: Sequence[NodeText]) -> dict[bytes, bytes]:
        """New vectors by the hashes of their texts; known ones are not requested again."""
        texts = {item.hash: item.text for item in wanted}
        known = self.results.known(tenant.id, "EMBEDDING", model.fingerprint, texts)
        asked = sorted(texts.keys() - known)
        if not asked:
            return {}
        vectors = self.models.embed(tenant, model.configuration, [texts[content] for content in asked])
        return {content: vector for content, vector in zip(asked, vectors, strict=True) if vector is not None}

    def summarize(self, tenant: Tenant, model: Model, wanted: Sequence[StatementText]) -> dict[bytes, bytes]:
        """New summaries by the hashes of their texts."""
        texts = {item.hash: item.statement for item in wanted}
        known = self.results.known(tenant.id, "SUMMARY", model.fingerprint, texts)
        asked = sorted(texts.keys() - known)
        if not asked:
            return {}
        found = self.models.summarize(tenant, model.configuration, [texts[content] for content in asked])
        return {
            content: encode_summary(summary)
            for content, summary in zip(asked, found, strict=True)
            if summary is not None
        }

    def attach_known(self, tenant: int, model: Model, texts: Sequence[NodeText | StatementText]) -> set[bytes]:
        """Let nodes have the results that are there for their texts; gives the hashes of those texts."""
        known = self.results.known(tenant, model.kind, model.fingerprint, {item.hash for item in texts})
        wanted = {item.node: item for item in texts if item.hash in known}
        named = self.results.names(tenant, model.kind, model.fingerprint, wanted)
        new = {node: item for node, item in wanted.items() if named.get(node) != item.hash}
        self.results.name_texts(tenant, model.kind, model.fingerprint, {node: new[node].hash for node in new})
        self.results.note_for_server(tenant, [item.id for item in new.values()])
        return known

    def embedded_hash(self, summary: bytes) -> bytes:
        """Hash of the text to embed for a statement with this summary."""
        told = decode_summary(summary)
        return hash_of(statement_text(told.summary, told.tags))
