"""Events of a catalog, of an engine that uses its tables, and edits by hand, in any order: the stored graph is right.

Spark reads and writes the tables by their locations; tables are renamed, dropped and made again meanwhile.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from headwater.store.sql_store import SqlStore
from tests.store.assets.test_by_hand import CHART, DASHBOARD, TABLE, edges, thing
from tests.store.assets.test_late_changes import atomic, catalog_event, columns, derived
from tests.store.assets.test_projection import check

DAILY = TABLE.replace("orders", "daily")


def moved(*changes: dict[str, str]) -> dict[str, Any]:
    return columns("id", "total", changes=list(changes))


def spark(job: str, at: int, *, by_location: bool) -> bytes:
    """Reads orders and writes the daily sums."""

    def dataset(table: str, **facets: Any) -> dict[str, Any]:
        if not by_location:
            return {"namespace": "gravitino://lake/hive", "name": f"sales.{table}", "facets": facets}
        names = {"identifiers": [{"namespace": "hive://x", "name": f"sales.{table}", "type": "TABLE"}]}
        return {"namespace": "s3://wh", "name": f"files/{table}", "facets": {"symlinks": names, **facets}}

    read = dataset("orders")
    lineage = {"fields": {"gmv": {"inputFields": [{**read, "field": "amount"}]}}}
    body = {
        "eventTime": f"2026-03-01T00:00:{at:02}.500Z",
        "eventType": "COMPLETE",
        "producer": "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark",
        "run": {"runId": f"00000000-0000-4000-8000-0000000007{at:02}"},
        "job": {"namespace": "gravitino://lake/hive", "name": job, "facets": {"sql": {"query": f"-- {job}"}}},
        "inputs": [read],
        "outputs": [dataset("daily", columnLineage=lineage)],
    }
    return json.dumps(body).encode()


def by_hand(at: int, *ends: tuple[str, str], kind: str = "edge") -> bytes:
    body = json.loads(edges(0, *ends, kind=kind, value={"by": "ann"}))
    return json.dumps({**body, "eventTime": f"2026-03-01T00:00:{at:02}.700Z"}).encode()


EVENTS = [
    catalog_event("create_catalog", "hive", 1),
    catalog_event("create_table", "sales.orders", 3, columns("id", "amount")),
    catalog_event("create_table", "sales.daily", 4, columns("day", "gmv")),
    catalog_event("register_metric", "sales.GMV", 5, atomic("amount")),
    catalog_event("register_metric", "sales.RATIO", 6, derived("RATIO", "GMV")),
    catalog_event(
        "alter_table",
        "sales.orders",
        30,
        moved(
            {"type": "RENAME_COLUMN", "oldColumnName": "amount", "newColumnName": "total"},
            {"type": "RENAME_TABLE", "newName": "bills"},
        ),
    ),
    catalog_event("create_table", "sales.orders", 35, columns("id", "amount")),
    catalog_event("drop_table", "sales.daily", 40),
    catalog_event("create_table", "sales.daily", 45, columns("gmv")),
    catalog_event("drop_schema", "sales", 50),
    catalog_event("create_table", "sales.orders", 52, columns("id", "amount")),
    catalog_event("drop_catalog", "hive", 58),
    *(spark(f"job{at % 3}", at, by_location=bool(at % 2)) for at in (2, 13, 24, 37, 46, 53)),
    by_hand(8, (TABLE, CHART), (CHART, DASHBOARD), (f"{TABLE}#amount", "s3://x:y#z")),
    by_hand(20, (f"{TABLE}#amount", f"{DAILY}#gmv"), kind="edge_hidden"),
    thing(2, "chart.revenue"),
    thing(4, "dashboard.sales", title="Sales"),
]


@pytest.mark.parametrize("seed", range(4))
def test_any_order(embedded: SqlStore, seed: int) -> None:
    chance = random.Random(seed)
    events = [*EVENTS, *chance.sample(EVENTS, 4)]
    if seed % 2:  # so that something is left in the end
        events = [event for event in events if b"drop_catalog" not in event and b"drop_schema" not in event]
    chance.shuffle(events)
    check(embedded, [[event] for event in events])
