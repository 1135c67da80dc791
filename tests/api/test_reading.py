"""Enough reading to see that it worked."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import headwater
from headwater.api.home import ROUTES
from tests.conftest import read_events
from tests.server import Server

ORDERS = "postgres://shop:5432"


def event(job: str, inputs: list[str], outputs: list[str], second: int = 0, **parts) -> bytes:
    body = {
        "eventTime": f"2026-02-01T00:00:{second:02d}Z",
        "eventType": "COMPLETE",
        "run": {"runId": f"0190c0de-0000-7000-8000-0000000000{second:02d}"},
        "job": {"namespace": "etl", "name": job},
        "inputs": [{"namespace": ORDERS, "name": name} for name in inputs],
        "outputs": [{"namespace": ORDERS, "name": name} for name in outputs],
    }
    return json.dumps({**body, **parts}).encode()


@pytest.fixture(scope="module")
def chain(server: Server) -> Server:
    server.send_all(
        [
            event("load", ["raw.orders"], ["stage.orders"], 1),
            event("clean", ["stage.orders", "stage.customers"], ["mart.orders"], 2),
            event("report", ["mart.orders"], ["report.daily"], 3),
        ]
    )
    return server


def test_namespaces(chain: Server) -> None:
    found = chain.get("/api/v1/namespaces").json()["namespaces"]
    assert [item["name"] for item in found] == ["default", "etl", ORDERS]
    assert chain.get("/api/v1/namespaces/", limit=1, offset=2).json()["namespaces"][0]["name"] == ORDERS


def test_events(chain: Server) -> None:
    found = chain.get("/api/v1/events/lineage").json()
    assert found["totalCount"] == 3
    assert [item["job"]["name"] for item in found["events"]] == ["report", "clean", "load"]
    window = {"after": "2026-02-01T00:00:02Z", "before": "2026-02-01T00:00:03Z", "sortDirection": "asc"}
    found = chain.get("/api/v1/events/lineage", **window).json()
    assert [item["job"]["name"] for item in found["events"]] == ["clean"]
    assert found["totalCount"] == 1


def test_marquez_lineage(chain: Server) -> None:
    node = f"dataset:{ORDERS}:stage.orders"
    graph = chain.get("/api/v1/lineage", nodeId=node, depth=1).json()["graph"]
    by_id = {item["id"]: item for item in graph}
    assert list(by_id) == sorted(by_id)
    assert by_id[node]["inEdges"] == [{"origin": "job:etl:load", "destination": node}]
    assert by_id[node]["outEdges"] == [{"origin": node, "destination": "job:etl:clean"}]
    assert by_id["job:etl:clean"]["data"]["latestRun"]["state"] == "COMPLETED"
    assert f"dataset:{ORDERS}:mart.orders" in by_id
    wide = chain.get("/api/v1/lineage/", nodeId=node).json()["graph"]
    assert len(wide) == 8


def test_own_lineage(chain: Server) -> None:
    found = chain.get("/api/v2/lineage", name="mart.orders", depth=2).json()
    assert [item["id"] for item in found["upstream"]["nodes"]] == [
        f"dataset:{ORDERS}:mart.orders",
        "job:etl:clean",
        f"dataset:{ORDERS}:stage.customers",
        f"dataset:{ORDERS}:stage.orders",
    ]
    assert [item["id"] for item in found["downstream"]["nodes"]][1:] == [
        "job:etl:report",
        f"dataset:{ORDERS}:report.daily",
    ]
    assert not found["upstream"]["truncated"]


@pytest.mark.parametrize(
    ("path", "parameters", "status"),
    [
        ("/api/v2/lineage", {}, 400),
        ("/api/v2/lineage", {"name": "orders"}, 400),
        ("/api/v2/lineage", {"name": "mart.orders", "direction": "sideways"}, 400),
        ("/api/v2/lineage", {"name": "mart.orders", "depth": 99}, 400),
        ("/api/v2/show", {"name": "nothing like this"}, 404),
        ("/api/v2/show", {"name": "0190c0de-0000-7000-8000-000000000099"}, 404),
    ],
)
def test_wrong_questions(chain: Server, path: str, parameters: dict, status: int) -> None:
    answer = chain.get(path, **parameters)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) >= {"code", "error", "message"}


def test_an_ambiguous_name_says_what_it_can_mean(chain: Server) -> None:
    said = chain.get("/api/v2/show", name="orders").json()
    assert f"dataset:{ORDERS}:mart.orders" in said["message"]


def test_dump_over_http_equals_the_file(chain: Server, tmp_path) -> None:
    lines = chain.get("/api/v2/dump").text.splitlines()
    assert any(json.loads(line).get("fact") == "evidence" for line in lines)
    assert any(json.loads(line).get("asset") == "Table" for line in lines)


def test_home(chain: Server) -> None:
    """A browser gets the web page where it is built, else a list of places to look."""
    assert chain.get("/").json()["name"] == "Headwater"
    page = httpx.get(f"{chain.url}/", headers={"accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    is_built = (Path(headwater.__file__).parent / "web" / "index.html").is_file()
    assert ('<div id="page">' in page.text) is is_built
    not_built = TestClient(Starlette(routes=ROUTES)).get("/", headers={"accept": "text/html"})
    assert not_built.headers["content-type"].startswith("text/html")
    for place in chain.get("/").json()["places"]:
        assert place in not_built.text
        assert chain.get(place).status_code == 200


def test_health_and_metrics(chain: Server) -> None:
    assert chain.get("/health/live").json()["status"] == "up"
    assert chain.get("/health/ready").json() == {"status": "up", "checks": {"store": "up"}}
    text = chain.get("/metrics").text
    for metric in (
        "headwater_events_total",
        "headwater_commit_seconds_bucket",
        "headwater_queued_events",
        "headwater_pool_in_use",
    ):
        assert metric in text


def test_symlinked_names_are_one_dataset(server: Server) -> None:
    server.send_all(read_events("written/hive.ndjson"))
    server.send_all(read_events("written/spark.ndjson"))
    by_table = server.get("/api/v2/show", name="dataset:hive://metastore.example.com:9083:sales.orders").json()
    assert by_table["aliases"]
    by_path = server.get("/api/v2/show", name=by_table["aliases"][0]).json()
    assert by_path == by_table
