"""The asset graph of a few events, written out in full."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.graph.assets.assets import assets_of, path_of
from headwater.graph.fold import fold
from headwater.interpret.facets.statement import normalise_sql
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.identity import digest
from tests.lineage.walk.test_lineage import column, event, of_columns

LAKE, SHOP, HIVE = "s3://lake", "postgres://db:5432", "hive://metastore:9083"
TEXT = "INSERT INTO shop.public.orders SELECT id FROM raw"
SQL = f"sql:{digest('sql', normalise_sql(TEXT)).hex()}"
ORDERS, RAW, TABLE = f"{SHOP}:shop.public.orders", f"{LAKE}:raw/orders", f"{HIVE}:sales.raw"


def assets(*bodies: bytes) -> dict[Any, dict[str, Any]]:
    """By what each says of itself; none may come in two versions."""
    graph = fold(fact for body in bodies for fact in interpret(decode_event(body), 1).facts())
    found: dict[Any, dict[str, Any]] = {}
    for asset in assets_of(lambda kind: graph.get(kind, {}).values()):
        key = (asset["asset"], asset["id"]) if "asset" in asset else (asset["edge"], asset["from"], asset["to"])
        assert found.setdefault(key, asset) == asset
    return found


def run(number: int, kind: str = "COMPLETE") -> bytes:
    said = of_columns(
        order_id=[
            {**column("raw/orders", "id"), "namespace": LAKE},
            column("shop.public.named", "key", kind="INDIRECT"),
        ],
    )
    schema = {"schema": {"fields": [{"name": "order_id", "type": "int"}, {"name": "note", "type": "text"}]}}
    aliases = {"symlinks": {"identifiers": [{"namespace": HIVE, "name": "sales.raw", "type": "TABLE"}]}}
    body = json.loads(
        event(
            "load",
            {"raw/orders": {"namespace": LAKE, **aliases}},
            {"shop.public.orders": {"namespace": SHOP, **schema, **said}},
            number,
            job_facets={"sql": {"query": TEXT}},
        )
    )
    return json.dumps({**body, "eventType": kind}).encode()


def test_all_of_it() -> None:
    found = assets(run(1), run(2), run(3, "FAIL"), run(4, "START"), event("other", {"plain": {}}, {}, 5))
    nodes = {key: asset for key, asset in found.items() if "asset" in asset}
    assert nodes[("SQL", SQL)] == {
        "asset": "SQL",
        "id": SQL,
        "content": TEXT,
        "engine": "unknown",
        "jobNamespace": "etl",
        "jobName": "load",
        "executionCount": 2,
        "createdAt": "2026-02-01T00:00:01.000Z",
        "updatedAt": "2026-02-01T00:00:01.000Z",
    }
    note, unnamed = nodes[("Column", f"{ORDERS}#note")], nodes[("Column", f"{RAW}#id")]
    assert (note["dataType"], note["createdAt"]) == ("text", "2026-02-01T00:00:01.000Z")
    assert "dataType" not in unnamed
    assert "createdAt" in nodes[("Table", ORDERS)]
    assert {key: asset.get("name") for key, asset in nodes.items() if key[0] != "SQL"} == {
        ("Tenant", "tenant"): None,
        ("Catalog", LAKE): LAKE,
        ("Catalog", HIVE): HIVE,
        ("Catalog", SHOP): SHOP,
        ("Catalog", f"{SHOP}/shop"): f"{SHOP}/shop",
        ("Schema", f"{SHOP}/shop/public"): "public",
        ("Schema", f"{HIVE}/sales"): "sales",
        ("Table", RAW): "raw/orders",
        ("Table", ORDERS): "orders",
        ("Table", TABLE): "raw",
        ("Table", f"{SHOP}:shop.public.named"): "named",
        ("Table", f"{SHOP}:plain"): "plain",
        ("Column", f"{ORDERS}#order_id"): "order_id",
        ("Column", f"{ORDERS}#note"): "note",
        ("Column", f"{RAW}#id"): "id",
        ("Column", f"{SHOP}:shop.public.named#key"): "key",
    }
    assert {key for key in nodes if nodes[key].get("reference")} == {("Table", f"{SHOP}:shop.public.named")}
    edges = set(found) - set(nodes)
    assert {key for key in edges if key[0] == "OWNS_CATALOG"} == {
        ("OWNS_CATALOG", "tenant", key[1]) for key in nodes if key[0] == "Catalog"
    }
    assert {key for key in edges if key[0] not in ("OWNS_CATALOG", "HAS_COLUMN", "DERIVES_FROM")} == {
        ("OWNS_SQL", "tenant", SQL),
        ("HAS_SCHEMA", f"{SHOP}/shop", f"{SHOP}/shop/public"),
        ("HAS_SCHEMA", HIVE, f"{HIVE}/sales"),
        ("HAS_TABLE", LAKE, RAW),
        ("HAS_TABLE", SHOP, f"{SHOP}:plain"),
        ("HAS_TABLE", f"{SHOP}/shop/public", ORDERS),
        ("HAS_TABLE", f"{SHOP}/shop/public", f"{SHOP}:shop.public.named"),
        ("HAS_TABLE", f"{HIVE}/sales", TABLE),
        ("INPUT_OF", RAW, SQL),
        ("OUTPUT_TO", SQL, ORDERS),
        ("SYMLINK", TABLE, RAW),
        ("SYMLINK", RAW, TABLE),
    }
    assert {key for key in edges if key[0] == "HAS_COLUMN"} == {
        ("HAS_COLUMN", key[1].partition("#")[0], key[1]) for key in nodes if key[0] == "Column"
    }
    assert [found[key] for key in sorted(edges) if key[0] == "DERIVES_FROM"] == [
        {
            "edge": "DERIVES_FROM",
            "from": f"{ORDERS}#order_id",
            "to": f"{RAW}#id",
            "transformations": [("DIRECT", "IDENTITY")],
        }
    ]


def test_nothing_of_nothing() -> None:
    assert assets() == {}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plain", ("x", None, "plain")),
        ("a.b", ("x", "a", "b")),
        ("a.b.c", ("x/a", "b", "c")),
        ("a.b.c.d", ("x/a/b", "c", "d")),
        ("a/b.c", ("x", None, "a/b.c")),
    ],
)
def test_path_of(name: str, expected: tuple[str, str | None, str]) -> None:
    assert path_of("x", name) == expected
