"""A rename or drop that arrives after what it concerns: edges that only old names led to go, though no node does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.graph.catalog.cases import event_of
from tests.store.assets.test_projection import expected, stored

TABLE = "gravitino://lake/hive:sales.orders"
METRIC = "metric:gravitino://lake/hive:sales.GMV"


def catalog_event(operation: str, name: str, at: int, facets: dict[str, Any] | None = None) -> bytes:
    namespace = "gravitino" if operation.endswith("_catalog") else "gravitino://tenant/1/lake/hive"
    dataset = {"namespace": namespace, "name": name, "facets": facets or {}}
    return event_of({"operation": operation, "at": at, "dataset": dataset}, tenant=1)


def columns(*names: str, changes: list[dict[str, str]] | None = None) -> dict[str, Any]:
    fields = [{"name": name, "type": "int"} for name in names]
    return {"schema": {"fields": fields}, "gravitino": {"tenantId": 1, "changes": changes or []}}


def values(**given: str) -> dict[str, Any]:
    return {"schema": {"fields": [{"name": key, "type": "STRING", "description": text} for key, text in given.items()]}}


def atomic(column: str) -> dict[str, Any]:
    table = {"refCatalogName": "hive", "refSchemaName": "sales", "refTableName": "orders"}
    return values(code="GMV", metricType="ATOMIC", measureColumns=json.dumps([{"name": column}]), **table)


def spark(name: str, at: int, *, source: str, target: str) -> bytes:
    """A statement that writes a catalog's table into a file."""
    read = {"namespace": "gravitino://lake/hive", "name": source}
    lineage = {"fields": {"out": {"inputFields": [{**read, "field": "id"}]}}}
    body = {
        "eventTime": f"2026-03-01T00:00:{at:02}.500Z",
        "eventType": "COMPLETE",
        "producer": "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark",
        "run": {"runId": "00000000-0000-4000-8000-000000000007"},
        "job": {"namespace": "spark", "name": name, "facets": {"sql": {"query": f"insert into {target}"}}},
        "inputs": [read],
        "outputs": [{"namespace": "s3://lake", "name": target, "facets": {"columnLineage": lineage}}],
    }
    return json.dumps(body).encode()


def take(store: SqlStore, *bodies: bytes) -> set[tuple[str, str, str]]:
    """Take events one by one; gives the edges that are stored, which are those of the facts."""
    for body in bodies:
        store.write([entry_of(body)])
        store.projection.drain(1)
    assert stored(store) == expected(store)
    return {(edge.source, edge.kind, edge.target) for edge in SqlAssetGraph(store.engine).all_edges(1)}


def kinds(edges: set[tuple[str, str, str]]) -> set[str]:
    return {kind for _, kind, _ in edges}


@pytest.mark.parametrize("drop", ["drop_table", "drop_schema", "drop_catalog"])
def test_a_drop_between_two_tables_of_one_name(embedded: SqlStore, drop: str) -> None:
    """The statement and the metric spoke of the table that was dropped; the one of that name is another."""
    written = spark("copy", 5, source="sales.orders", target="out")
    before = take(
        embedded,
        catalog_event("create_table", "sales.orders", 50, columns("id")),
        written,
        catalog_event("register_metric", "sales.GMV", 51, atomic("id")),
    )
    assert {"INPUT_OF", "DERIVES_FROM", "MEASURES"} <= kinds(before)
    name = {"drop_table": "sales.orders", "drop_schema": "sales", "drop_catalog": "hive"}[drop]
    after = take(embedded, catalog_event(drop, name, 30))
    assert not {"INPUT_OF", "DERIVES_FROM"} & kinds(after)
    assert (METRIC, "MEASURES", f"{TABLE}#id") in after


def test_a_metric_of_the_table_before_the_drop(embedded: SqlStore) -> None:
    register = catalog_event("register_metric", "sales.GMV", 5, atomic("id"))
    assert "MEASURES" in kinds(
        take(embedded, catalog_event("create_table", "sales.orders", 50, columns("id")), register)
    )
    assert "MEASURES" not in kinds(take(embedded, catalog_event("drop_table", "sales.orders", 30)))


def test_a_rename_and_a_table_of_the_old_name(embedded: SqlStore) -> None:
    """What read the old name before the rename read the table that has the new one."""
    moved = columns("id", changes=[{"type": "RENAME_TABLE", "newName": "bills"}])
    edges = take(
        embedded,
        catalog_event("load_table", "sales.bills", 40, columns("id")),
        catalog_event("create_table", "sales.orders", 50, columns("id")),
        spark("copy", 5, source="sales.orders", target="out"),
        catalog_event("alter_table", "sales.orders", 30, moved),
    )
    read = {source for source, kind, _ in edges if kind == "INPUT_OF"}
    assert read == {"gravitino://lake/hive:sales.bills"}


def test_a_dropped_catalog_with_a_table_of_engines(embedded: SqlStore) -> None:
    """Catalog and schema of a table that only an engine speaks of stay, whatever their names."""
    for number in range(8):  # sets of texts have another order in each process
        namespace = f"gravitino://lake/c{number}"
        body = json.loads(spark("copy", 40, source="sales.seen", target=f"out{number}"))
        body["inputs"][0]["namespace"] = namespace
        facets = {"schema": {"fields": []}}
        dataset = {"namespace": f"gravitino://tenant/1/lake/c{number}", "name": "sales", "facets": facets}
        made = event_of({"operation": "create_schema", "at": 1, "dataset": dataset}, tenant=1)
        gone = catalog_event("drop_catalog", f"c{number}", 30)
        edges = take(embedded, made, json.dumps(body).encode(), gone)
        assert ("tenant", "OWNS_CATALOG", namespace) in edges
        assert (namespace, "HAS_SCHEMA", f"{namespace}/sales") in edges


def derived(code: str, parents: str) -> dict[str, Any]:
    return values(code=code, metricType="COMPOSITE", parentMetricCodes=parents, calculationFormula="a/b")


def test_a_code_that_was_dropped_means_no_other_metric(embedded: SqlStore) -> None:
    elsewhere = catalog_event("register_metric", "ops.GMV", 1, values(code="GMV", metricType="ATOMIC"))
    base = catalog_event("register_metric", "sales.GMV", 2, values(code="GMV", metricType="ATOMIC"))
    ratio = catalog_event("register_metric", "sales.RATIO", 3, derived("RATIO", "GMV"))
    edges = take(embedded, elsewhere, ratio, base)
    assert ("metric:gravitino://lake/hive:sales.RATIO", "COMPUTED_FROM", METRIC) in edges
    assert "COMPUTED_FROM" not in kinds(take(embedded, catalog_event("drop_metric", "sales.GMV", 4)))
    again = catalog_event("register_metric", "sales.GMV", 5, values(code="GMV", metricType="ATOMIC"))
    assert "COMPUTED_FROM" not in kinds(take(embedded, again)), "another metric of the same code"
    assert "COMPUTED_FROM" in kinds(
        take(embedded, catalog_event("alter_metric", "sales.RATIO", 6, derived("RATIO", "GMV")))
    )


def test_a_code_of_another_schema(embedded: SqlStore) -> None:
    elsewhere = catalog_event("register_metric", "ops.GMV", 1, values(code="GMV", metricType="ATOMIC"))
    edges = take(embedded, elsewhere, catalog_event("register_metric", "sales.RATIO", 3, derived("RATIO", "GMV")))
    assert "COMPUTED_FROM" in kinds(edges)


def test_a_location_leads_to_the_table_of_its_catalog(embedded: SqlStore) -> None:
    """Also when the table comes later, is renamed, and is dropped."""
    body = json.loads(spark("copy", 5, source="sales.orders", target="out"))
    facet = {"identifiers": [{"namespace": "hive://x", "name": "sales.orders", "type": "TABLE"}]}
    body["job"]["namespace"] = "gravitino://lake/hive"
    body["inputs"] = [{"namespace": "s3://lake", "name": "files/orders", "facets": {"symlinks": facet}}]
    place, bills = "s3://lake:files/orders", TABLE.replace("orders", "bills")
    assert (place, "SYMLINK", TABLE) in take(embedded, json.dumps(body).encode()), "as the engine names it"
    edges = take(embedded, catalog_event("create_table", "sales.orders", 2, columns("id")))
    assert {(place, "SYMLINK", TABLE), (TABLE, "SYMLINK", place)} <= edges
    moved = columns("id", changes=[{"type": "RENAME_TABLE", "newName": "bills"}])
    edges = take(embedded, catalog_event("alter_table", "sales.orders", 30, moved))
    assert {(place, "SYMLINK", bills), (bills, "SYMLINK", place)} <= edges
    assert not any(TABLE in edge for edge in edges)
    assert "SYMLINK" not in {
        kind for end, kind, _ in take(embedded, catalog_event("drop_table", "sales.bills", 40)) if end == bills
    }
    again = take(embedded, catalog_event("create_table", "sales.orders", 50, columns("id")))
    assert (place, "SYMLINK", TABLE) in again


def test_a_schema_of_metrics_alone_is_dropped(embedded: SqlStore) -> None:
    register = catalog_event("register_metric", "ops.GMV", 1, values(code="GMV", metricType="ATOMIC"))
    assert "HAS_METRIC" in kinds(take(embedded, register))
    gone = catalog_event("drop_schema", "ops", 2)
    assert "HAS_METRIC" not in kinds(take(embedded, gone, catalog_event("create_tag", "pii", 3, values(name="pii"))))
