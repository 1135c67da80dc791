"""What models computed, on a Neo4j server: at nodes that are there, in an index, and only of the model in force."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headwater.models.administration import ModelAdministration
from headwater.models.enrich import Enrichment
from headwater.models.search.semantic_search import SemanticSearch
from headwater.models.wiring import make_work
from headwater.store.assets.neo4j.graph import Neo4jAssetGraph
from headwater.store.assets.outbox import GraphOutbox
from headwater.store.sql_store import SqlStore
from tests.models.conftest import A, B, event, fill, openai, settings
from tests.models.server import ModelServer

pytestmark = pytest.mark.xdist_group("neo4j")


def properties(graph: Neo4jAssetGraph, tenant: int, node: str) -> dict[str, Any]:
    statement = "MATCH (n:Knowledge {tenantId: $tenant, id: $id}) RETURN properties(n) AS p, labels(n) AS labels"
    rows = graph.server.read(statement, tenant=tenant, id=node)
    return {**rows[0]["p"], "labels": set(rows[0]["labels"])} if rows else {}


def test_results_follow(embedded: SqlStore, neo4j_graph: Neo4jAssetGraph, tmp_path: Path) -> None:
    outbox = GraphOutbox(embedded.engine, embedded.engines["writer"], neo4j_graph)
    outbox.open()
    many = [event(f"job{n}", f"shop.public.payments_{n}", description="paid", second=n) for n in range(30)]
    fill(embedded, A, event("pay", "shop.public.payments", description="Money that was paid."))
    fill(embedded, B, *many)
    work = make_work(settings(tmp_path), embedded)
    admin = ModelAdministration(work)
    node = "pg://db:shop.public.payments"
    with ModelServer() as server:
        admin.set(A, "EMBEDDING", openai(server, tmp_path))
        admin.set(B, "EMBEDDING", openai(server, tmp_path, credential=""))
        for tenant in (A, B):
            Enrichment(work, tenant).run()
            outbox.drain(tenant.id)
        told = properties(neo4j_graph, A.id, node)
        assert len(told["embedding"]) == 8
        assert told["embeddingProvider"] == "openai/m"
        assert "Vector_8_cosine" in told["labels"]
        neo4j_graph.server.migrate()  # waits for indexes

        # A has few nodes beside B's: the index is of both, and A gets as many as it wants all the same.
        on_server = SemanticSearch(work.models, work.results, work.graph, neo4j_graph)
        in_process = SemanticSearch(work.models, work.results, work.graph)
        for labels in ((), ("Column",)):
            for question in ("table payments", "column customerId"):
                found = on_server.nearest(A, question, 5, labels)
                expected = in_process.nearest(A, question, 5, labels)
                assert [one.score for one in found] == pytest.approx([one.score for one in expected], abs=1e-4)
                assert {one.node.id for one in found} == {one.node.id for one in expected}
                assert len(found) == (5 if not labels else 2)

        # Another model: the old vectors stay until the new ones are complete, and nothing of them after.
        admin.set(A, "EMBEDDING", openai(server, tmp_path, model="new"))
        outbox.drain(A.id)
        assert properties(neo4j_graph, A.id, node)["embeddingProvider"] == "openai/m"
        Enrichment(work, A).run()
        outbox.drain(A.id)
        assert properties(neo4j_graph, A.id, node)["embeddingProvider"] == "openai/new"

        # A result never makes a node, and takes nothing of what the graph is compared by.
        work.results.note_for_server(A.id, ["pg://db:nowhere"])
        outbox.drain(A.id)
        assert properties(neo4j_graph, A.id, "pg://db:nowhere") == {}
        admin.remove(A, "EMBEDDING")
        outbox.drain(A.id)
        told = properties(neo4j_graph, A.id, node)
        assert "embedding" not in told
        assert "Vector_8_cosine" not in told["labels"]
        assert properties(neo4j_graph, B.id, "pg://db:shop.public.payments_1")["embedding"]
