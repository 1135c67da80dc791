"""Places where Marquez is wrong and Headwater is not, within the same shapes; and what no client should trip over."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.api.marquez.events import LAKE, PRODUCER, dataset, facet, run_event, run_id, schema
from tests.server import Server


def get(server: Server, path: str, **parameters: Any) -> Any:
    answer = httpx.get(f"{server.url}{path}", params=parameters or None, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def part(text: str) -> str:
    return quote(text, safe="")


def test_a_late_start_does_not_reopen_a_run(server: Server) -> None:
    server.send_all([run_event("COMPLETE", "01:05:00", 101, "late"), run_event("START", "01:00:00", 101, "late")])
    run = get(server, f"/api/v1/jobs/runs/{run_id(101)}")
    assert (run["state"], run["startedAt"], run["durationMs"]) == ("COMPLETED", "2026-03-01T01:00:00Z", 300_000)


def test_running_does_not_move_the_start(server: Server) -> None:
    server.send_all(
        [run_event(kind, time, 102, "r") for kind, time in (("START", "01:00:00"), ("RUNNING", "01:01:00"))]
    )
    assert get(server, f"/api/v1/jobs/runs/{run_id(102)}")["startedAt"] == "2026-03-01T01:00:00Z"


def test_a_start_without_datasets_keeps_the_lineage(server: Server) -> None:
    one, other = dataset("keep", "a"), dataset("keep", "b")
    server.send_all(
        [
            run_event("COMPLETE", "01:00:00", 103, "keep", [one], [other], namespace="keep"),
            run_event("START", "02:00:00", 104, "keep", namespace="keep"),
        ]
    )
    graph = get(server, "/api/v1/lineage", nodeId="job:keep:keep")["graph"]
    assert [node["id"] for node in graph] == ["dataset:keep:a", "dataset:keep:b", "job:keep:keep"]
    job = get(server, "/api/v1/namespaces/keep/jobs/keep")
    assert (job["inputs"], job["latestRun"]["state"]) == ([{"namespace": "keep", "name": "a"}], "RUNNING")


def test_inputs_follow_the_newest_ended_run(server: Server) -> None:
    server.send_all(
        [
            run_event("COMPLETE", "01:00:00", 105, "moves", [dataset("move", "old")], [dataset("move", "out")]),
            run_event("COMPLETE", "02:00:00", 106, "moves", [dataset("move", "new")], [dataset("move", "out")]),
        ]
    )
    graph = get(server, "/api/v1/lineage", nodeId="dataset:move:out")["graph"]
    assert [node["id"] for node in graph if node["type"] == "DATASET"] == ["dataset:move:new", "dataset:move:out"]
    assert [node["id"] for node in get(server, "/api/v1/lineage", nodeId="dataset:move:old")["graph"]] == [
        "dataset:move:old"
    ]
    versions = get(server, f"/api/v1/namespaces/{part('shop jobs/daily')}/jobs/moves/versions")["versions"]
    assert [version["inputs"][0]["name"] for version in versions] == ["new", "old"]


@pytest.mark.parametrize("namespace", ["file:/data", "arn:aws:glue:eu-west-1:1", "mysql://db:3306/x", "a b:c", "ü/ß"])
def test_any_namespace(server: Server, namespace: str) -> None:
    read, written = dataset(namespace, "in/dir:1", schema=schema("c:1")), dataset(namespace, "out")
    number = sum(namespace.encode())  # a run belongs to one job
    server.send_all([run_event("COMPLETE", "01:00:00", number, f"of {namespace}", [read], [written])])
    for name in ("in/dir:1", "out"):
        graph = get(server, "/api/v1/lineage", nodeId=f"dataset:{namespace}:{name}")["graph"]
        assert f"dataset:{namespace}:{name}" in [node["id"] for node in graph]
        assert len(graph) == 3
        found = get(server, f"/api/v1/namespaces/{part(namespace)}/datasets/{part(name)}")
        assert found["id"] == {"namespace": namespace, "name": name}
    field = f"datasetField:{namespace}:in/dir:1:c:1"
    assert get(server, "/api/v1/column-lineage", nodeId=field, withDownstream="true") == {"graph": []}


def test_symlinks(server: Server) -> None:
    """One dataset under two names: shown by the one it was written under, found by both."""
    link = facet(identifiers=[{"namespace": "hive://meta", "name": "db.t", "type": "TABLE"}])
    server.send_all(
        [
            run_event(
                "COMPLETE", "01:00:00", 120, "write", [], [dataset(LAKE, "w/t", schema=schema("a"), symlinks=link)]
            ),
            run_event("COMPLETE", "02:00:00", 121, "read", [dataset("hive://meta", "db.t")], [dataset(LAKE, "w/u")]),
        ]
    )
    for namespace, name in ((LAKE, "w/t"), ("hive://meta", "db.t")):
        found = get(server, f"/api/v1/namespaces/{part(namespace)}/datasets/{part(name)}")
        assert [field["name"] for field in found["fields"]] == ["a"]
        versions = get(server, f"/api/v1/namespaces/{part(namespace)}/datasets/{part(name)}/versions")["versions"]
        assert [version["createdByRun"]["id"] for version in versions] == [run_id(120)]
        path = f"/api/v1/namespaces/{part(namespace)}/datasets/{part(name)}/versions/{found['currentVersion']}"
        assert get(server, path)["facets"]["symlinks"]["identifiers"][0]["name"] == "db.t"
        graph = get(server, "/api/v1/lineage", nodeId=f"dataset:{namespace}:{name}")["graph"]
        assert [node["id"] for node in graph if node["type"] == "JOB"] == [
            "job:shop jobs/daily:read",
            "job:shop jobs/daily:write",
        ]


def test_a_dropped_dataset(server: Server) -> None:
    state = {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}
    server.send_all(
        [
            run_event("COMPLETE", "01:00:00", 130, "make", [], [dataset("drop", "t", schema=schema("a"))]),
            run_event("COMPLETE", "02:00:00", 131, "drop", [], [dataset("drop", "t", **state)]),
        ]
    )
    found = get(server, "/api/v1/namespaces/drop/datasets/t")
    assert (found["deleted"], found["lastLifecycleState"]) == (True, "DROP")
    server.send_all([run_event("COMPLETE", "03:00:00", 132, "make", [], [dataset("drop", "t", schema=schema("a"))])])
    assert get(server, "/api/v1/namespaces/drop/datasets/t")["deleted"] is False


def test_facets_of_inputs_and_outputs(server: Server) -> None:
    read = {**dataset("fac", "in"), "inputFacets": {"dataQualityMetrics": facet(rowCount=3)}}
    written = {**dataset("fac", "out", custom=facet(x=1)), "outputFacets": {"outputStatistics": facet(rowCount=5)}}
    server.send_all([run_event("COMPLETE", "01:00:00", 140, "fac", [read], [written])])
    run = get(server, f"/api/v1/jobs/runs/{run_id(140)}")
    assert run["inputDatasetVersions"][0]["facets"]["dataQualityMetrics"]["rowCount"] == 3
    assert run["outputDatasetVersions"][0]["facets"]["outputStatistics"]["rowCount"] == 5
    assert set(get(server, "/api/v1/namespaces/fac/datasets/in")["facets"]) == {"dataQualityMetrics"}
    assert set(get(server, "/api/v1/namespaces/fac/datasets/out")["facets"]) == {"custom"}
    version = run["outputDatasetVersions"][0]["datasetVersionId"]["version"]
    assert get(server, f"/api/v1/namespaces/fac/datasets/out/versions/{version}")["version"] == version


def test_job_and_dataset_events(server: Server) -> None:
    job = {
        "eventTime": "2026-03-01T01:00:00Z",
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
        "job": {"namespace": "static", "name": "view", "facets": {"documentation": facet(description="a view")}},
        "inputs": [dataset("static", "base", schema=schema("a"))],
        "outputs": [dataset("static", "view", schema=schema("b"))],
    }
    described = {
        "eventTime": "2026-03-01T02:00:00Z",
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent",
        "dataset": dataset("static", "base", schema=schema("a", "z"), documentation=facet(description="the base")),
    }
    server.send_all([json.dumps(job).encode(), json.dumps(described).encode()])
    found = get(server, "/api/v1/namespaces/static/jobs/view")
    assert (found["description"], found["latestRun"]) == ("a view", None)
    assert found["outputs"] == [{"namespace": "static", "name": "view"}]
    assert [node["id"] for node in get(server, "/api/v1/lineage", nodeId="job:static:view")["graph"]] == [
        "dataset:static:base",
        "dataset:static:view",
        "job:static:view",
    ]
    base = get(server, "/api/v1/namespaces/static/datasets/base")
    assert (base["description"], [field["name"] for field in base["fields"]]) == ("the base", ["a", "z"])
    assert [f["name"] for f in get(server, "/api/v1/namespaces/static/datasets/view")["fields"]] == ["b"]


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/api/v1/lineage", 400, {"errors": ["query param nodeId must not be null"]}),
        ("GET", "/api/v1/lineage?nodeId=nonsense", 404, {"code": 404, "message": "HTTP 404 Not Found"}),
        ("GET", "/api/v1/lineage?nodeId=job:no:no", 404, {"code": 404, "message": "Job 'no' not found."}),
        ("GET", "/api/v1/lineage?nodeId=dataset:no:no", 404, {"code": 404, "message": "Dataset 'no' not found."}),
        ("GET", "/api/v1/column-lineage?nodeId=dataset:no:no", 404, {"code": 404, "message": "Could not find node"}),
        ("GET", "/api/v1/jobs?limit=-1", 400, {"errors": ["query param limit must be greater than or equal to 0"]}),
        ("GET", "/api/v1/namespaces?limit=x", 404, {"code": 404, "message": "HTTP 404 Not Found"}),
        ("GET", "/api/v1/search", 400, {"errors": ["query param q must not be blank"]}),
        ("GET", f"/api/v1/jobs/runs/{run_id(999)}", 404, {"code": 404, "message": f"Run '{run_id(999)}' not found."}),
        ("GET", f"/api/v1/jobs/runs/{run_id(999)}/facets", 400, {"errors": ["query param type must not be null"]}),
        ("GET", "/api/v1/namespaces/no/datasets", 404, {"code": 404, "message": "Namespace 'no' not found."}),
        ("PUT", "/api/v1/namespaces/no", 422, {"errors": ["ownerName must not be null"]}),
        (
            "POST",
            f"/api/v1/jobs/runs/{run_id(999)}/start",
            404,
            {"code": 404, "message": f"Run '{run_id(999)}' not found."},
        ),
    ],
)
def test_errors(server: Server, method: str, path: str, status: int, body: dict[str, Any]) -> None:
    answer = httpx.request(method, f"{server.url}{path}", json={} if method == "PUT" else None)
    assert (answer.status_code, answer.json()) == (status, body)


def test_malformed_json_is_the_senders_fault(server: Server) -> None:
    answer = httpx.put(f"{server.url}/api/v1/namespaces/x", content=b"{nonsense")
    assert (answer.status_code, answer.json()["code"]) == (400, 400)
    answer = httpx.put(f"{server.url}/api/v1/tags/t", content=b'{"description": 5}')
    assert answer.status_code == 422
    version = "#0197a5b0-0000-4000-8000-000000000001"
    path = f"/api/v1/column-lineage?nodeId={part('dataset:keep:a' + version)}&withDownstream=true"
    answer = httpx.get(f"{server.url}{path}")
    assert (answer.status_code, answer.content) == (400, b"")
