"""What every adapter of the asset graph does, on the tables of the SQL store and on a real Neo4j server."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from headwater.graph.assets.asset import TENANT
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.assets.graph import AssetGraph, StoredEdge, StoredNode
from headwater.store.assets.neo4j.graph import Neo4jAssetGraph
from headwater.store.assets.neo4j.server import GraphServer
from headwater.store.assets.outbox import GraphOutbox
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Entry, Tenant
from tests.conftest import read_events
from tests.graph.catalog.cases import CASES, event_of
from tests.store.assets.test_by_hand import CHART, TABLE, edges, thing

pytestmark = pytest.mark.xdist_group("neo4j")
A, B = Tenant(1, "default", "Default"), Tenant(2, "b", "B")
BODIES = [*read_events("written/gravitino.ndjson"), *[event_of(e) for _, _, case in CASES for e in case["events"]]]
BODIES += read_events("written/spark.ndjson")
Fill = Callable[..., AssetGraph]


@pytest.fixture(params=["tables", "neo4j"])
def fill(request: pytest.FixtureRequest, embedded: SqlStore) -> Fill:
    """Take events for a tenant and give the graph."""
    outbox: GraphOutbox | None = None
    if request.param == "neo4j":
        outbox = GraphOutbox(embedded.engine, embedded.engine, request.getfixturevalue("neo4j_graph"))
        outbox.open()
    graph: AssetGraph = outbox.graph if outbox is not None else SqlAssetGraph(embedded.engine)

    def take(bodies: list[bytes], tenant: Tenant = A) -> AssetGraph:
        for start in range(0, len(bodies), 50):
            events = [decode_event(body) for body in bodies[start : start + 50]]
            embedded.write([Entry(tenant, event, interpret(event, tenant.id), 0) for event in events])
            embedded.projection.drain(tenant.id)
            if outbox is not None:
                outbox.drain(tenant.id)
        return graph

    return take


def whole(graph: AssetGraph, tenant: int = 1) -> tuple[list[StoredNode], list[StoredEdge]]:
    nodes = sorted(graph.all_nodes(tenant), key=lambda node: node.id)
    return nodes, sorted(graph.all_edges(tenant), key=lambda edge: (edge.source, edge.kind, edge.target))


@pytest.mark.parametrize("seed", [1, 2])
def test_any_order_gives_the_graph_of_the_tables(fill: Fill, embedded: SqlStore, seed: int) -> None:
    bodies = [*BODIES, *random.Random(seed).sample(BODIES, 40)]
    random.Random(seed).shuffle(bodies)
    nodes, edges = whole(fill(bodies))
    wanted = whole(SqlAssetGraph(embedded.engine))
    assert nodes == wanted[0]
    assert edges == wanted[1]
    assert len(nodes) > 200
    assert {edge.kind for edge in edges} >= {"OWNS_CATALOG", "HAS_COLUMN", "DERIVES_FROM", "MEASURES", "HAS_TAG"}


def test_nothing_of_another_tenant(fill: Fill) -> None:
    fill(BODIES[:60])
    graph = fill(BODIES[:20], B)
    before = whole(graph, 1)
    mine, _ = whole(graph, 2)
    assert mine
    assert len(mine) < len(before[0])
    fill(BODIES[60:100], B)
    assert whole(graph, 1) == before
    ids = [node.id for node in before[0]]
    assert {node.id for node in graph.get(3, ids)} == set()
    for incoming in (True, False):
        assert graph.edges(3, [*ids, TENANT], incoming=incoming) == []
    assert graph.page(3, label=None, text=None, after=None, limit=9) == []
    assert graph.counts(3) == {}


def test_reading(fill: Fill) -> None:
    graph = fill(BODIES)
    counts = graph.counts(1)
    nodes, edges = whole(graph)
    assert sum(counts.values()) == len(nodes)
    pages, after = [], None
    while page := graph.page(1, label="Table", text=None, after=after, limit=7):
        pages += page
        after = page[-1][0]
    assert [cursor for cursor, _ in pages] == sorted(cursor for cursor, _ in pages)
    assert len(pages) == counts["Table"]
    found = graph.page(1, label=None, text="GMV_d", after=None, limit=100)
    assert found
    assert all("gmv_d" in node.id.lower() for _, node in found)
    table = next(edge.source for edge in edges if edge.kind == "HAS_COLUMN")
    columns = graph.edges(1, [table], incoming=False, kinds=["HAS_COLUMN"])
    assert {edge.target for edge in columns} == {
        edge.target for edge in edges if edge.source == table and edge.kind == "HAS_COLUMN"
    }
    (above,) = graph.edges(1, [columns[0].target], incoming=True, kinds=["HAS_COLUMN"])
    assert above.source == table
    owned = graph.edges(1, [TENANT], incoming=False, kinds=["OWNS_CATALOG"])
    assert len(owned) == counts["Catalog"]
    assert len(graph.edges(1, [TENANT], incoming=False, limit=3)) <= 4


def test_by_name(fill: Fill) -> None:
    graph = fill(BODIES[:60])
    table = next(node for node in graph.all_nodes(1) if node.label == "Table" and node.id.startswith("gravitino"))
    whole_name = table.id.rpartition(":")[2]
    assert table.id in {node.id for node in graph.named(1, table.properties["name"].upper(), limit=100)}
    called_so = {node.id for node in graph.all_nodes(1) if node.id.endswith((f":{whole_name}", f".{whole_name}"))}
    assert {node.id for node in graph.named(1, whole_name, limit=100)} == called_so
    assert len(graph.named(1, "id", limit=2)) <= 2
    assert graph.named(1, "%", limit=10) == graph.named(1, "", limit=10) == []
    assert graph.named(2, whole_name, limit=10) == []


def test_a_metric_changes_its_kind(fill: Fill) -> None:
    case = next(case for name, _, case in CASES if name == "register_metric" and len(case["events"]) >= 1)
    body = event_of(case["events"][-1])
    graph = fill([body])
    later = body.replace(b"00:00:", b"01:00:", 1).replace(b"ATOMIC", b"COMPOSITE")
    assert later != body
    fill([later])
    counts = graph.counts(1)
    assert counts.get("AtomicMetric", 0) == 0
    assert counts["CompositeMetric"] == 1


def test_a_table_turns_out_to_be_a_chart(fill: Fill, embedded: SqlStore) -> None:
    graph = fill([edges(3, (TABLE, CHART), value={"by": "ann"})])
    assert graph.counts(1)["Table"] == 2
    graph = fill([thing(2, "chart.revenue", title="Revenue")])
    assert graph.counts(1) == {"Catalog": 1, "Schema": 1, "Table": 1, "Chart": 1}
    assert whole(graph) == whole(SqlAssetGraph(embedded.engine))
    (above,) = graph.edges(1, [CHART], incoming=True, kinds=["INPUT_OF"], bare=True)
    assert (above.source, above.properties) == (TABLE, {})


def test_constraints_and_indexes(graph_server: GraphServer) -> None:
    graph_server.migrate()  # again
    names = {row["name"] for row in graph_server.read("SHOW CONSTRAINTS YIELD name RETURN name")}
    kinds = "catalog schema table column sql atomic_metric derived_metric composite_metric wordroot modifier unit"
    wanted = {f"{kind}_tenant_id_uk" for kind in [*kinds.split(), "valuedomain", "tag"]}
    assert {"tenant_id_uk", "tenant_code_uk", *wanted} <= names
    graph_server.ensure_vector_space(1024, "cosine")
    graph_server.ensure_vector_space(384, "euclidean")
    indexes = {row["name"]: row["type"] for row in graph_server.read("SHOW INDEXES YIELD name, type RETURN name, type")}
    assert indexes["knowledge_text"] == indexes["sql_text"] == "FULLTEXT"
    assert indexes["vector_1024_cosine"] == indexes["vector_384_euclidean"] == "VECTOR"
    with pytest.raises(ValueError, match="vector space"):
        graph_server.ensure_vector_space(9999, "cosine")


def test_constraints_of_an_id_without_its_tenant_go(graph_server: GraphServer) -> None:
    """As earlier programs made them: a second tenant with the same tables could not be written."""
    with graph_server._session() as session:
        session.run("DROP CONSTRAINT unit_tenant_id_uk").consume()
        session.run("CREATE CONSTRAINT unit_old FOR (n:Unit) REQUIRE (n.tenantId, n.id) IS UNIQUE").consume()
        session.run("CREATE CONSTRAINT tag_id FOR (n:Tag) REQUIRE n.id IS UNIQUE").consume()
        session.run("CREATE CONSTRAINT of_others FOR (n:Person) REQUIRE n.id IS UNIQUE").consume()
    graph_server.migrate()
    names = {row["name"] for row in graph_server.read("SHOW CONSTRAINTS YIELD name RETURN name")}
    assert {"unit_tenant_id_uk", "tag_tenant_id_uk", "of_others"} <= names
    assert not {"unit_old", "tag_id"} & names
    with graph_server._session() as session:
        session.run("DROP CONSTRAINT of_others").consume()


def test_what_others_added_stays(fill: Fill, request: pytest.FixtureRequest) -> None:
    graph = fill(BODIES[:30])
    if not isinstance(graph, Neo4jAssetGraph):
        pytest.skip("the tables hold what follows from the facts alone")
    graph.server.write(lambda run: run.run("MATCH (n:Knowledge) SET n.embedding = [1.0, 2.0]").consume())
    before = whole(graph)
    fill(BODIES)
    kept = graph.server.read("MATCH (n:Knowledge) WHERE n.embedding IS NOT NULL RETURN count(n) AS count")
    assert kept[0]["count"] > 0
    assert all("embedding" not in node.properties for node in before[0])
