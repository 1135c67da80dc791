"""Metrics that break with a column, a table, or what lies before them, in answers about impact and lineage."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.interpret.interpret import interpret
from headwater.lineage.assets.affected_metrics import MetricFinder
from headwater.lineage.impact.impact import impact
from headwater.lineage.walk.lineage import lineage
from headwater.openlineage.decode import decode_event
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Entry, Tenant
from tests.conftest import entry_of
from tests.graph.catalog.cases import event_of

LAKE = "gravitino://lake/hive"
WIRE = "gravitino://tenant/7/lake/hive"


def table(name: str, columns: list[str], at: int = 1) -> bytes:
    fields = [{"name": column, "type": "long"} for column in columns]
    facets = {"schema": {"fields": fields}, "gravitino": {"columns": [{"name": column} for column in columns]}}
    return event_of(
        {"operation": "create_table", "at": at, "dataset": {"namespace": WIRE, "name": name, "facets": facets}}
    )


def metric(code: str, at: int = 2, operation: str = "register_metric", **values: str) -> bytes:
    told = {"code": code, "name": f"Name of {code}", **values}
    fields = [{"name": key, "type": "STRING", "description": value} for key, value in told.items()]
    dataset = {"namespace": WIRE, "name": f"sales.{code}", "facets": {"schema": {"fields": fields}}}
    return event_of({"operation": operation, "at": at, "dataset": dataset})


def on(table_name: str, **columns: list[str]) -> dict[str, str]:
    """Where a metric takes its columns from."""
    names = {key: json.dumps([{"name": name} for name in found]) for key, found in columns.items()}
    return {"refCatalogName": "hive", "refSchemaName": "sales", "refTableName": table_name, **names}


def spark(source: dict[str, Any], target: dict[str, Any], fields: dict[str, list[str]]) -> bytes:
    lineage_of = {
        name: {"inputFields": [{"namespace": source["namespace"], "name": source["name"], "field": f} for f in froms]}
        for name, froms in fields.items()
    }
    facets = {**target.get("facets", {}), "columnLineage": {"fields": lineage_of}}
    body = {
        "eventTime": "2026-03-01T00:01:00.000Z",
        "eventType": "COMPLETE",
        "producer": "https://github.com/OpenLineage/OpenLineage/tree/1.20.0/integration/spark",
        "run": {"runId": "00000000-0000-4000-8000-000000000009"},
        "job": {"namespace": "spark", "name": "report"},
        "inputs": [source],
        "outputs": [{**target, "facets": facets}],
    }
    return json.dumps(body).encode()


ORDERS = {"namespace": LAKE, "name": "sales.orders"}
STORED = {
    "namespace": "s3://lake",
    "name": "warehouse/report",
    "facets": {"symlinks": {"identifiers": [{"namespace": LAKE, "name": "sales.report", "type": "TABLE"}]}},
}
LOG = [
    table("sales.orders", ["id", "amount", "state"]),
    table("sales.report", ["total"]),
    spark(ORDERS, STORED, {"total": ["amount"]}),
    metric("GMV", metricType="ATOMIC", **on("orders", measureColumns=["amount"], filterColumns=["state"])),
    metric("TOTAL", metricType="ATOMIC", **on("report", measureColumns=["total"])),
    metric("PER_DAY", metricType="DERIVED", parentMetricCodes="TOTAL"),
    metric("OTHER", metricType="ATOMIC", **on("orders", measureColumns=["id"])),
]


@pytest.fixture
def reader(store: SqlStore) -> Reader:
    store.write([entry_of(body) for body in LOG])
    return Reader(store.engine)


@pytest.fixture
def finder(store: SqlStore, reader: Reader) -> MetricFinder:
    return MetricFinder(reader, store.projection)


def told(found: list[dict[str, Any]]) -> dict[str, tuple[int, list[str]]]:
    return {
        metric["code"]: (
            metric["distance"],
            [f"{need['edge']} {need['to'].rpartition('.')[2]}" for need in metric["needs"]],
        )
        for metric in found
    }


def test_dropping_a_column_names_the_metrics_of_its_table_and_of_those_behind_it(
    reader: Reader, finder: MetricFinder
) -> None:
    wanted = {
        "GMV": (1, ["MEASURES orders#amount"]),
        "TOTAL": (2, ["MEASURES report#total"]),
        "PER_DAY": (3, ["DERIVED_FROM TOTAL"]),
    }
    assert told(impact(reader, 1, f"{LAKE}:sales.orders#amount", metrics=finder)["metrics"]) == wanted
    downstream = lineage(reader, 1, f"{LAKE}:sales.orders#amount", metrics=finder, direction="downstream")
    assert told(downstream["metrics"]) == wanted


def test_a_column_that_metrics_filter_by(reader: Reader, finder: MetricFinder) -> None:
    found = impact(reader, 1, f"{LAKE}:sales.orders#state", metrics=finder)
    assert told(found["metrics"]) == {"GMV": (1, ["FILTERS_BY orders#state"])}


def test_a_whole_table_by_each_of_its_names(reader: Reader, finder: MetricFinder) -> None:
    for name in (f"dataset:{LAKE}:sales.report", "dataset:s3://lake:warehouse/report"):
        found = impact(reader, 1, name, metrics=finder)
        assert told(found["metrics"]) == {
            "TOTAL": (1, ["MEASURES report#total"]),
            "PER_DAY": (2, ["DERIVED_FROM TOTAL"]),
        }
    assert set(told(impact(reader, 1, f"dataset:{LAKE}:sales.orders", metrics=finder)["metrics"])) == {
        "GMV",
        "OTHER",
        "TOTAL",
        "PER_DAY",
    }


def test_no_metrics_upstream_of_a_moment_or_without_any(reader: Reader, finder: MetricFinder, store: SqlStore) -> None:
    column = f"{LAKE}:sales.orders#amount"
    assert "metrics" not in lineage(reader, 1, column, metrics=finder, direction="upstream")
    assert impact(reader, 1, column)["metrics"] == []
    store.write([entry_of(metric("GMV", 9, "drop_metric"))])
    assert "GMV" not in told(impact(reader, 1, column, metrics=finder)["metrics"])


def test_of_another_tenant_nothing(store: SqlStore, reader: Reader, finder: MetricFinder) -> None:
    other = Tenant(2, "two", "Two")
    events = [decode_event(body) for body in LOG[:3]]
    store.write([Entry(other, event, interpret(event, other.id), 0) for event in events])
    assert impact(reader, 2, f"{LAKE}:sales.orders#amount", metrics=finder)["metrics"] == []
