"""Answers about assets, for the reference."""

from __future__ import annotations

from typing import Any

__all__ = ["ASSET", "ASSETS", "ASSET_TREE", "ASSET_WALK"]

_CATALOG = {"id": "gravitino://lake/hive", "kind": "Catalog", "name": "hive"}
_SCHEMA = {"id": "gravitino://lake/hive/sales", "kind": "Schema", "name": "sales"}
_TABLE = {"id": "gravitino://lake/hive:sales.orders", "kind": "Table", "name": "orders"}
_COLUMN = {"id": "gravitino://lake/hive:sales.orders#amount", "kind": "Column", "name": "amount"}
_METRIC = {"id": "metric:gravitino://lake/hive:sales.GMV", "kind": "AtomicMetric", "name": "Gross value"}
ASSETS: dict[str, Any] = {"items": [_COLUMN, _METRIC], "next": None, "totals": {"Column": 1, "AtomicMetric": 1}}
ASSET: dict[str, Any] = {
    **_COLUMN,
    "attributes": {"dataType": "decimal(10,2)", "nullable": True, "createdAt": "2026-03-01T00:00:01.123Z"},
    "edges": [
        {"edge": "HAS_COLUMN", "direction": "in", "to": _TABLE, "attributes": {}},
        {"edge": "MEASURES", "direction": "in", "to": _METRIC, "attributes": {}},
    ],
    "truncated": False,
}
ASSET_TREE: dict[str, Any] = {
    "root": {
        **_CATALOG,
        "children": [{**_SCHEMA, "children": [{**_TABLE, "children": [], "hidden": -1}], "hidden": 0}],
        "hidden": 0,
    },
    "truncated": False,
}
ASSET_WALK: dict[str, Any] = {
    "start": _COLUMN,
    "direction": "downstream",
    "items": [{**_METRIC, "depth": 1}],
    "edges": [[_METRIC["id"], "MEASURES", _COLUMN["id"]]],
    "truncated": False,
}
