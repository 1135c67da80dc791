"""While a metalake is read as a whole, `graph check` and `repair` leave the assets as they were before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from headwater.openlineage.times import format_time
from headwater.pipeline.gravitino.events import EventMaker
from headwater.store.assets.compare import compare_with_facts, repair
from headwater.store.assets.follow import AssetStore
from headwater.store.assets.neo4j.server import GraphServer
from headwater.store.assets.pending import note_all_assets
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.pipeline.gravitino.test_sync import columns, live

pytestmark = pytest.mark.xdist_group("neo4j")
MAKER = EventMaker(1, "default", "lake", format_time(10_000_000))
BEFORE = live("create_table", "sales.before", 1_000_000, columns("a"))
DURING = [
    live("create_table", "sales.during", 12_000_000, columns("a")),
    live("drop_table", "sales.before", 13_000_000),
]


def take(assets: AssetStore, store: SqlStore, *bodies: bytes) -> None:
    store.write([entry_of(body) for body in bodies])
    assets.follow([1])


def tables(assets: AssetStore) -> set[str]:
    return {node.id.rpartition(".")[2] for node in assets.graph.all_nodes(1) if node.label == "Table"}


@pytest.fixture(params=["tables", "neo4j"])
def assets(request: pytest.FixtureRequest, embedded: SqlStore) -> Iterator[AssetStore]:
    url = request.getfixturevalue("graph_server").url if request.param == "neo4j" else ""
    opened = AssetStore(embedded, url)
    opened.open()
    yield opened
    opened.close()


def test_repair_and_replay_while_it_is_read(assets: AssetStore, embedded: SqlStore) -> None:
    take(assets, embedded, BEFORE)
    take(assets, embedded, MAKER.started(), *DURING)
    assert tables(assets) == {"before"}
    found = compare_with_facts(embedded.engine, 1, assets.graph)
    assert found.held
    assert found.is_none, found
    repair(embedded.engine, 1, assets)
    assert tables(assets) == {"before"}
    note_all_assets(embedded.engine, 1, clear=True)  # as a replay does
    assets.follow([1])
    assert tables(assets) == {"before"}, "until it is ready"
    take(assets, embedded, MAKER.ready())
    assert tables(assets) == {"during"}
    found = compare_with_facts(embedded.engine, 1, assets.graph)
    assert not found.held
    assert found.is_none, found


def test_a_graph_server_is_mended_meanwhile(embedded: SqlStore, graph_server: GraphServer) -> None:
    assets = AssetStore(embedded, graph_server.url)
    assets.open()
    take(assets, embedded, BEFORE)
    take(assets, embedded, MAKER.started())
    graph_server.write(lambda run: run.run("MATCH (n:Table) DETACH DELETE n").consume())
    assert compare_with_facts(embedded.engine, 1, assets.graph).missing
    repair(embedded.engine, 1, assets)
    assert tables(assets) == {"before"}
    assets.close()


def test_what_is_wrong_in_the_tables_goes(embedded: SqlStore) -> None:
    """A rebuild removes what does not follow from the log."""
    assets = AssetStore(embedded)
    take(assets, embedded, BEFORE)
    with embedded.engine.connect() as connection:
        connection.exec_driver_sql("UPDATE asset_node SET id = 'stray', node = x'00' WHERE label = 'Table'")
        connection.commit()
    assert not compare_with_facts(embedded.engine, 1, SqlAssetGraph(embedded.engine)).is_none
    repair(embedded.engine, 1, assets)
    assert tables(assets) == {"before"}
    assert compare_with_facts(embedded.engine, 1, SqlAssetGraph(embedded.engine)).is_none
