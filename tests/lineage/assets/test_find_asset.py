"""An asset is found by its id, name, code or path, however many others have that in their names."""

from __future__ import annotations

import pytest

from headwater.lineage.assets.questions import find_asset, show_asset
from headwater.lineage.errors import NodeNotFound
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.store.assets.test_late_changes import atomic, catalog_event, columns

TABLE = "gravitino://lake/hive:sales.orders"


@pytest.fixture
def graph(store: SqlStore) -> SqlAssetGraph:
    many = [f"a_orders_{number}" for number in range(20)]
    events = [
        catalog_event("create_table", "sales.orders", 1, columns("id", *many)),
        catalog_event("create_table", "sales.Orders", 2, columns("id")),
        catalog_event("create_table", "ops.items", 3, columns("id")),
        catalog_event("register_metric", "sales.GMV", 4, atomic("id")),
    ]
    store.write([entry_of(event) for event in events])
    store.projection.drain(1)
    return SqlAssetGraph(store.engine)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (TABLE, TABLE),
        ("orders", TABLE),
        ("sales.orders", TABLE),
        ("sales.orders#id", f"{TABLE}#id"),
        ("ITEMS", "gravitino://lake/hive:ops.items"),
        ("GMV", "metric:gravitino://lake/hive:sales.GMV"),
        ("hive", "gravitino://lake/hive"),
        ("rs_7", f"{TABLE}#a_orders_7"),
    ],
)
def test_found(graph: SqlAssetGraph, name: str, wanted: str) -> None:
    assert find_asset(graph, 1, name).id == wanted
    assert show_asset(graph, 1, name).id == wanted


@pytest.mark.parametrize("name", ["id", "rs_", "none", "%"])
def test_several_or_none(graph: SqlAssetGraph, name: str) -> None:
    with pytest.raises(NodeNotFound):
        find_asset(graph, 1, name)
