"""Nodes of a tenant whose meaning is near to a text. The question is embedded by the tenant's own model."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Collection
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from headwater.bounded_cache import BoundedCache
from headwater.errors import HeadwaterError
from headwater.models.configuration import ModelConfiguration
from headwater.models.credentials import CredentialRefused
from headwater.models.errors import ModelFailed, ModelMissing, ModelRefused, WrongAnswer
from headwater.models.providers.local.embedder import INSTALL
from headwater.models.search.vectors import Space, unpack
from headwater.models.tenant_models import Model, TenantModels
from headwater.models.texts.node_texts import decode_summary
from headwater.store.assets.graph import StoredNode
from headwater.store.assets.neo4j.graph import Neo4jAssetGraph
from headwater.store.assets.neo4j.server import GraphUnavailable
from headwater.store.assets.rows import key_of
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.models.results import Results
from headwater.store.write.log import Tenant

if TYPE_CHECKING:
    from headwater.models.search.vector_index import VectorIndex

__all__ = ["LONGEST_QUESTION", "SemanticHit", "SemanticSearch"]

LONGEST_QUESTION = 500
"""Characters of a question that are embedded."""
_REMEMBERED = 1_000
_MOST_SECONDS = 5
"""That somebody waits for a model before words answer alone."""
_FAILED_SECONDS, _LONGEST_FAILED = 10.0, 60.0
"""Seconds after a failure in which the model is not called again, so that typing is not delayed."""


class SemanticHit(Struct, frozen=True):
    node: StoredNode
    score: float
    """The cosine of question and node, or 1 / (1 + the square of their distance)."""


class _Failure(NamedTuple):
    error: HeadwaterError
    until: float


class SemanticSearch:
    """Safe to use from many threads."""

    def __init__(
        self, models: TenantModels, results: Results, graph: SqlAssetGraph, server: Neo4jAssetGraph | None = None
    ) -> None:
        """`server`: the graph server, whose index answers as long as it does."""
        self._models, self._results, self._graph, self._server = models, results, graph, server
        self._index: VectorIndex | None = None
        self._making = Lock()
        self._questions: BoundedCache[bytes] = BoundedCache(_REMEMBERED)
        self._failures: BoundedCache[_Failure] = BoundedCache(_REMEMBERED)

    def is_configured(self, tenant: int) -> bool:
        return self._models.find(tenant, "EMBEDDING") is not None

    def nearest(self, tenant: Tenant, question: str, count: int, labels: Collection[str] = ()) -> list[SemanticHit]:
        """The nearest nodes, the best first. Raises why there is no answer: a subclass of `HeadwaterError`."""
        model = self._models.find(tenant.id, "EMBEDDING")
        if model is None:
            raise ModelMissing(
                f"The tenant {tenant.code} has no embedding model.",
                hint="Configure one: headwater model set embedding --provider local.",
            )
        vector = self._embedded(tenant, model, " ".join(question.split())[:LONGEST_QUESTION])
        configuration = model.configuration
        space = Space(model.fingerprint, configuration.dimension, configuration.similarity)
        if self._server is not None:
            with suppress(GraphUnavailable):
                return self._on_server(self._server, tenant.id, space, vector, count, labels)
        near = self._vectors().nearest(tenant.id, space, vector, count, labels)
        nodes = self._graph.by_key(tenant.id, {one.node for one in near})
        return [SemanticHit(nodes[one.node], one.score) for one in near if one.node in nodes]

    def summaries(self, tenant: int, statements: Collection[str]) -> dict[str, str]:
        """Summaries of these statements by the active model, by their ids."""
        model = self._models.find(tenant, "SUMMARY") if statements else None
        if model is None:
            return {}
        keys = {key_of(one): one for one in statements}
        told = self._results.of_nodes(tenant, "SUMMARY", model.fingerprint, keys)
        return {keys[key]: decode_summary(result.value).summary for key, (_, result) in told.items()}

    def _on_server(
        self,
        server: Neo4jAssetGraph,
        tenant: int,
        space: Space,
        vector: bytes,
        count: int,
        labels: Collection[str],
    ) -> list[SemanticHit]:
        near = server.nearest(tenant, (space.dimension, space.similarity), unpack(vector), count, labels)
        nodes = {node.id: node for node in self._graph.get(tenant, {node_id for node_id, _ in near})}
        is_cosine = space.similarity == "cosine"  # of which Neo4j gives (1 + cosine) / 2
        return [
            SemanticHit(nodes[node_id], 2 * score - 1 if is_cosine else score)
            for node_id, score in near
            if node_id in nodes
        ]

    def _embedded(self, tenant: Tenant, model: Model, question: str) -> bytes:
        key = (tenant.id, model.fingerprint, question)
        known = self._questions.get(key)
        if known is None:
            known = self._asked(tenant, model.configuration, question)
            self._questions.put(key, known)
        return known

    def _asked(self, tenant: Tenant, configuration: ModelConfiguration, question: str) -> bytes:
        key = (tenant.id, configuration)
        failure = self._failures.get(key)
        if failure is not None and time.monotonic() < failure.until:
            raise failure.error.with_traceback(None)
        seconds = min(configuration.seconds, _MOST_SECONDS)
        try:
            (vector,) = self._models.embed(tenant, msgspec.structs.replace(configuration, seconds=seconds), [question])
        except (ModelFailed, ModelRefused, WrongAnswer, CredentialRefused) as error:
            wait = (error.seconds if isinstance(error, ModelRefused) else None) or _FAILED_SECONDS
            self._failures.put(key, _Failure(error, time.monotonic() + min(wait, _LONGEST_FAILED)))
            raise
        if vector is None:
            raise WrongAnswer("The model answered nothing for this question.")
        return vector

    def _vectors(self) -> VectorIndex:
        with self._making:
            if self._index is None:
                if importlib.util.find_spec("numpy") is None:
                    raise ModelRefused("Comparing vectors needs numpy.", "not_installed", hint=INSTALL)
                from headwater.models.search.vector_index import VectorIndex  # noqa: PLC0415 - numpy comes with an extra

                self._index = VectorIndex(self._models.configurations, self._results)
            return self._index
