"""An engine's tables meet those of the catalog, through names that change."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import read_events
from tests.graph.catalog.cases import assets, edges_of, nodes_of

EVENTS = [body for body in read_events("written/gravitino.ndjson") if b"lake90" in body]
TABLE = "gravitino://lake90/hive90:sales.purchases"
RAW = "hdfs://nn:8020:/raw/orders"


@pytest.mark.parametrize("order", [1, -1])
def test_lineage_goes_along_with_the_new_names(order: int) -> None:
    found = assets(EVENTS[::order])
    assert ["DERIVES_FROM", f"{TABLE}#total", f"{RAW}#price"] in edges_of(found)
    assert [node for node in nodes_of(found) if "sales.orders" in node[1]] == [["Table", "hive://m:9083:sales.orders"]]


def engine(job: str, name: str, facets: dict[str, Any]) -> bytes:
    body = json.loads(EVENTS[1])
    body["job"]["namespace"] = job
    body["outputs"][0] = {**body["outputs"][0], "name": name, "facets": facets}
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    ("job", "facets", "catalog"),
    [
        (
            "gravitino://lake90/hive90",
            {"symlinks": {"identifiers": [{"namespace": "hive://m", "name": "a.b"}]}},
            "hive90",
        ),
        ("gravitino://lake90/hive90", {"symlinks": {"identifiers": [{"namespace": "x", "name": "ice.a.b"}]}}, "ice"),
        (
            "gravitino://lake90/hive90",
            {"symlinks": {"identifiers": [{"namespace": "x", "name": "hive90.a.b"}]}},
            "hive90",
        ),
        (
            "spark",
            {
                "symlinks": {"identifiers": [{"namespace": "x", "name": "a.b", "type": "TABLE"}]},
                "catalog": {
                    "framework": "gravitino",
                    "name": "ice",
                    "metadataUri": "http://g:8090/api/metalakes/lake90",
                },
            },
            "ice",
        ),
    ],
)
def test_the_table_of_the_catalog(job: str, facets: dict[str, Any], catalog: str) -> None:
    nodes = nodes_of(assets([engine(job, "/w/a.db/b", facets)]))
    assert ["Table", f"gravitino://lake90/{catalog}:a.b"] in nodes


@pytest.mark.parametrize(("job", "name"), [("spark", "a.b"), ("gravitino://lake90/hive90", "/w/a.db/b")])
def test_no_table_of_a_catalog(job: str, name: str) -> None:
    assert not [node for node in nodes_of(assets([engine(job, name, {})])) if "gravitino" in node[1]]
