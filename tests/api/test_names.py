"""What is listed can be asked for: by its name as far as a request line goes, and always by its key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from typer.testing import CliRunner

from headwater.cli.main import app as command
from tests.server import Server

LONG = "x" * 5_000
LONGEST = "é" * 2_000
NAMES = {
    "plain": "shop.orders",
    "of 5,000 characters": LONG,
    "of two bytes each": LONGEST,
    "two lines": "one\ntwo",
    "slashes": "/a//b/",
    "an escaped slash at its end": "back\\/",
    "a slash before nothing": "jobs/",
    "only a slash": "/",
    "marks of a query": "a?b=c&d=e%20f;g",
    "hashes": "t#1#2",
    "blanks inside": "a  b\tc",
    "colons": ":a::b:",
    "like a key": "job@" + "0" * 32,
    "another alphabet": "заказы/清单",
    "percent": "100%_%2F",
}
COLUMNS = ["plain", "with#hash", "#", "new\nline", "a/b", "y" * 5_000, "a?b&c"]
USER, TAG = "o'brien/\n?#", "pii/of?#us"
RUN = "0190c0de-0000-7000-8000-000000000001"


def event() -> bytes:
    fields = [{"name": column, "type": "int"} for column in COLUMNS]
    sources = [{"namespace": "db", "name": "shop.orders", "field": "id"}]
    lineage = {"fields": {column: {"inputFields": sources} for column in COLUMNS}}
    tags = {"tags": [{"key": TAG}]}
    outputs = [{"namespace": "db", "name": name, "facets": {}} for name in NAMES.values()]
    outputs[0]["facets"] = {"tags": tags}
    outputs.append(
        {"namespace": "db", "name": "wide", "facets": {"schema": {"fields": fields}, "columnLineage": lineage}}
    )
    outputs.append({"namespace": "", "name": "of nowhere"})
    body = {
        "eventTime": "2026-02-01T00:00:00Z",
        "eventType": "COMPLETE",
        "run": {"runId": RUN, "facets": {"dataRentgen_run": {"started_by_user": USER}}},
        "job": {"namespace": "etl", "name": "load", "facets": {"sql": {"query": "SELECT 1 FROM t"}}},
        "inputs": [{"namespace": "db", "name": "shop.orders"}],
        "outputs": outputs,
    }
    return json.dumps(body).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("names")) as started:
        started.send_all([event()])
        for second, name in enumerate(NAMES.values(), 1):
            body = {"eventTime": f"2026-02-01T00:00:{second:02d}Z", "job": {"namespace": "etl", "name": name}}
            started.send_all([json.dumps({**body, "outputs": [{"namespace": "db", "name": "shop.orders"}]}).encode()])
        yield started


def get(server: Server, path: str, **parameters: str) -> Any:
    answer = httpx.get(f"{server.url}{path}", params=parameters or None, timeout=120)
    assert answer.status_code == 200, (path[:200], answer.text[:500])
    return answer.json()


def items(server: Server, kind: str) -> list[dict[str, Any]]:
    page = get(server, f"/api/v2/{kind}", limit="1000")
    assert page["total"] == len(page["items"])
    return list(page["items"])


def on_terminal(server: Server, name: str, verb: str = "show") -> Any:
    done = CliRunner().invoke(command, [verb, name, "--data", str(server.data), "--format", "json"])
    assert done.exit_code == 0, (name[:200], done.output[:500])
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["datasets", "jobs", "runs", "operations", "locations", "users", "sql"])
def test_all_that_is_listed(server: Server, kind: str) -> None:
    """By its id and by its key, in the path and in the query, over HTTP and on the command line."""
    listed = items(server, kind)
    assert listed
    assert len({item["key"] for item in listed}) == len(listed)
    for item in listed:
        shown = get(server, f"/api/v2/{kind}/{quote(item['id'], safe='')}")
        assert (shown["id"], shown["key"]) == (item["id"], item["key"])
        assert len(item["key"]) < 50
        assert get(server, f"/api/v2/{kind}/{item['key']}") == shown
        for name in (item["id"], item["key"]):
            assert get(server, "/api/v2/show", name=name) == shown
            assert on_terminal(server, name) == shown


def test_names_of_datasets_and_jobs(server: Server) -> None:
    """Also without kind and namespace, where only one thing is called so, and in every question."""
    for kind in ("datasets", "jobs"):
        listed = {item["name"]: item for item in items(server, kind)}
        assert len(listed) >= len(NAMES)
        for item in listed.values():
            for name in (item["id"], item["key"]):
                answer = get(server, "/api/v2/lineage", name=name, depth="1")
                assert answer["start"] == item["id"]
                start = next(node for node in answer["upstream"]["nodes"] if node["id"] == item["id"])
                assert start["key"] == item["key"]
                assert get(server, "/api/v2/impact", name=name, depth="1")["of"] == item["id"]
                filtered = "job" if kind == "jobs" else "dataset"
                assert get(server, "/api/v2/runs", **{filtered: name})
        item = listed[LONG]
        assert on_terminal(server, item["key"], "lineage") == on_terminal(server, item["id"], "lineage")


def test_columns(server: Server) -> None:
    fields = get(server, "/api/v2/datasets/wide")["schema"]
    assert [field["name"] for field in fields] == COLUMNS
    for field in fields:
        for name in (f"dataset:db:wide#{field['name']}", f"wide#{field['name']}", field["key"]):
            answer = get(server, "/api/v2/lineage", name=name)
            assert (answer["granularity"], answer["start"]) == ("COLUMN", f"dataset:db:wide#{field['name']}")
            nodes = {node["column"]: node["key"] for node in answer["upstream"]["nodes"]}
            assert set(nodes) == {field["name"], "id"}
            assert nodes[field["name"]] == field["key"]
        assert on_terminal(server, field["key"], "lineage")["start"] == f"dataset:db:wide#{field['name']}"
    assert get(server, "/api/v2/lineage", name="dataset:db:t#1#2")["start"] == "dataset:db:t#1#2"


def test_a_name_with_a_hash_before_a_column_with_one(tmp_path: Path) -> None:
    """Where both readings are there, the one whose column is known is meant."""
    with Server(tmp_path) as server:
        tables = {"t": ["a#b", "c"], "t#a": ["d"]}
        for second, (name, columns) in enumerate(tables.items()):
            fields = [{"name": column} for column in columns]
            table = {"namespace": "db", "name": name, "facets": {"schema": {"fields": fields}}}
            body = {"eventTime": f"2026-02-01T00:00:0{second}Z", "run": {"runId": RUN}, "outputs": [table]}
            server.send_all([json.dumps({**body, "job": {"namespace": "etl", "name": "load"}}).encode()])
        keys = {
            (name, field["name"]): field["key"]
            for name in tables
            for field in get(server, "/api/v2/show", name=f"dataset:db:{name}")["schema"]
        }
        for text, meant in (("t#a#b", ("t", "a#b")), ("t#a#d", ("t#a", "d")), ("t#c", ("t", "c"))):
            nodes = get(server, "/api/v2/lineage", name=f"dataset:db:{text}")["upstream"]["nodes"]
            assert [node["key"] for node in nodes] == [keys[meant]]
        assert get(server, "/api/v2/show", name="dataset:db:t#a")["name"] == "t#a"


def test_every_hit_and_node_and_tag_has_its_key(server: Server) -> None:
    hits = get(server, "/api/v2/search", q="shop")["items"] + get(server, "/api/v2/search", q="db")["items"]
    assert {hit["kind"] for hit in hits} >= {"dataset", "location"}
    for hit in hits:
        assert get(server, "/api/v2/show", name=hit["key"])["id"] == hit["id"]
    for granularity in ("JOB", "DATASET", "RUN", "OPERATION", "COLUMN"):
        answer = get(server, "/api/v2/lineage", name="dataset:db:wide", granularity=granularity)
        for node in answer["upstream"]["nodes"]:
            again = get(server, "/api/v2/lineage", name=node["key"])
            assert again["start"] == (node["dataset"] if node["kind"] == "rows" else node["id"]), granularity
    tag = next(item for item in items(server, "tags") if item["tag"] == TAG)
    tagged = get(server, "/api/v2/datasets", tag=tag["key"])
    assert tagged == get(server, "/api/v2/datasets", tag=TAG)
    user = items(server, "users")[0]
    assert get(server, "/api/v2/runs", user=user["key"]) == get(server, "/api/v2/runs", user=USER)
    place = next(item for item in items(server, "locations") if item["id"] == "location:db")
    for name in ("location", "namespace"):
        by_key = get(server, "/api/v2/datasets", **{name: place["key"]})
        assert by_key == get(server, "/api/v2/datasets", **{name: "db"})
        assert by_key["total"] > len(NAMES)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v2/show?name=dataset@" + "1" * 32, 404),
        ("/api/v2/lineage?name=column@" + "1" * 64, 404),
        ("/api/v2/datasets/user@" + "1" * 32, 404),
        ("/api/v2/users/user@" + "1" * 32, 404),
        ("/api/v2/locations/location@" + "1" * 32, 404),
        ("/api/v2/show?name=" + "z" * 16_300, 404),
        ("/api/v2/show?name=" + "z" * 16_385, 414),
        ("/api/v2/jobs/" + "z" * 16_385, 414),
        ("/api/v2/show?name=dataset" + ":" * 16_000, 404),
        ("/api/v2/lineage?name=shop.orders" + "%23" * 5_000, 404),
    ],
)
def test_wrong_names(server: Server, path: str, status: int) -> None:
    answer = httpx.get(f"{server.url}{path}", timeout=60)
    assert answer.status_code == status, answer.text[:300]
    assert len(answer.text) < 2_000


def test_a_key_of_another_kind_is_not_taken(server: Server) -> None:
    job = next(item for item in items(server, "jobs") if item["name"] == "load")
    answer = httpx.get(f"{server.url}/api/v2/datasets/{job['key']}")
    assert (answer.status_code, answer.json()["message"]) == (404, f"There is no dataset with the key {job['key']}.")
    assert httpx.get(f"{server.url}/api/v2/runs", params={"dataset": job["key"]}).status_code == 404
