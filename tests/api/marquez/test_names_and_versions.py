"""Datasets under several names, and versions of jobs and of columns."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.api.marquez.events import PRODUCER, columns, dataset, facet, run_event, run_id, schema
from tests.server import Server


def get(server: Server, path: str, **parameters: Any) -> Any:
    answer = httpx.get(f"{server.url}{path}", params=parameters or None, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def job_event(namespace: str, name: str, time: str, inputs: list[Any], outputs: list[Any], url: str) -> bytes:
    event = {
        "eventTime": f"2026-03-01T{time}Z",
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
        "job": {"namespace": namespace, "name": name, "facets": {"sourceCodeLocation": facet(type="git", url=url)}},
        "inputs": inputs,
        "outputs": outputs,
    }
    return json.dumps(event).encode()


def test_a_renamed_dataset_is_two(server: Server) -> None:
    """Marquez knows no renames: each name has the versions that were written under it."""

    def state(kind: str, **more: Any) -> dict[str, Any]:
        return {"lifecycleStateChange": facet(lifecycleStateChange=kind, **more)}

    renamed = state("RENAME", previousIdentifier={"namespace": "ren", "name": "old"})
    server.send_all(
        [
            run_event("COMPLETE", "01:00:00", 301, "ren", [], [dataset("ren", "old", **state("CREATE"))]),
            run_event("COMPLETE", "02:00:00", 302, "ren", [], [dataset("ren", "old", **state("TRUNCATE"))]),
            run_event("COMPLETE", "03:00:00", 303, "ren", [], [dataset("ren", "new", **renamed)]),
        ]
    )
    page = get(server, "/api/v1/namespaces/ren/datasets")
    assert [(item["name"], item["lastLifecycleState"]) for item in page["datasets"]] == [
        ("new", "RENAME"),
        ("old", "TRUNCATE"),
    ]
    versions = {name: get(server, f"/api/v1/namespaces/ren/datasets/{name}/versions") for name in ("old", "new")}
    states = {name: [version["lifecycleState"] for version in found["versions"]] for name, found in versions.items()}
    assert states == {"old": ["TRUNCATE", "CREATE"], "new": ["RENAME"]}


def test_a_second_name_is_no_dataset_of_its_own(server: Server) -> None:
    link = facet(identifiers=[{"namespace": "meta2", "name": "db.t", "type": "TABLE"}])
    server.send_all(
        [
            run_event("COMPLETE", "01:00:00", 311, "link", [], [dataset("files2", "t", symlinks=link)]),
            run_event("COMPLETE", "02:00:00", 312, "use", [dataset("meta2", "db.t")], [dataset("files2", "u")]),
        ]
    )
    assert get(server, "/api/v1/namespaces/meta2/datasets") == {"datasets": [], "totalCount": 0}
    assert get(server, "/api/v1/namespaces/files2/datasets")["totalCount"] == 2
    assert get(server, "/api/v1/namespaces/meta2/datasets/db.t")["id"] == {"namespace": "files2", "name": "t"}
    found = get(server, "/api/v1/search", q="db.t", namespace="meta2")
    assert found == {"totalCount": 0, "results": []}
    (result,) = get(server, "/api/v1/search", q="t", namespace="files2")["results"]
    assert result["updatedAt"] == "2026-03-01T02:00:00Z"


def test_names_that_were_there_before_the_symlink_are_both_listed(server: Server) -> None:
    link = facet(identifiers=[{"namespace": "both", "name": "table", "type": "TABLE"}])
    server.send_all(
        [
            run_event("COMPLETE", "01:00:00", 321, "b", [dataset("both", "table")], []),
            run_event(
                "COMPLETE", "02:00:00", 322, "b", [], [dataset("both", "path", schema=schema("a"), symlinks=link)]
            ),
        ]
    )
    page = get(server, "/api/v1/namespaces/both/datasets")["datasets"]
    assert [(item["name"], len(item["fields"])) for item in page] == [("path", 1), ("table", 1)]
    assert page[0]["currentVersion"] == page[1]["currentVersion"] is not None


def test_job_events_make_versions(server: Server) -> None:
    one, two, out = (dataset("made", name) for name in ("one", "two", "out"))
    server.send_all(
        [
            job_event("made", "view", "01:00:00", [one], [out], "https://example.com/1"),
            job_event("made", "view", "02:00:00", [two], [out], "https://example.com/1"),
        ]
    )
    job = get(server, "/api/v1/namespaces/made/jobs/view")
    versions = get(server, "/api/v1/namespaces/made/jobs/view/versions")["versions"]
    assert sorted(version["inputs"][0]["name"] for version in versions) == ["one", "two"]
    assert {version["createdAt"] for version in versions} == {"2026-03-01T01:00:00Z"}
    (current,) = [version for version in versions if version["version"] == job["currentVersion"]]
    assert (current["inputs"][0]["name"], current["latestRun"]) == ("two", None)
    assert get(server, f"/api/v1/namespaces/made/jobs/view/versions/{current['version']}") == current
    # A run that does the same is of the same version.
    facets = {"sourceCodeLocation": facet(type="git", url="https://example.com/1")}
    server.send_all([run_event("COMPLETE", "03:00:00", 331, "view", [two], [out], namespace="made", job_facets=facets)])
    again = get(server, f"/api/v1/namespaces/made/jobs/view/versions/{current['version']}")
    assert again["latestRun"]["id"] == run_id(331)
    assert get(server, "/api/v1/namespaces/made/jobs/view")["currentVersion"] == current["version"]


def test_jobs_that_never_ran_are_in_every_state(server: Server) -> None:
    server.send_all([job_event("never", "idle", "01:00:00", [], [], "https://example.com/2")])
    page = get(server, "/api/v1/namespaces/never/jobs", lastRunStates="FAILED")
    assert [job["name"] for job in page["jobs"]] == ["idle"]


def test_of_runs_at_once_the_latest_is_the_one_that_was_heard_last(server: Server) -> None:
    times = (("START", "01:00:00", 361), ("START", "01:05:00", 362), ("COMPLETE", "01:06:00", 362))
    server.send_all(
        [
            run_event(kind, time, run, "over", [dataset("over", str(run))], [], namespace="over")
            for kind, time, run in (*times, ("FAIL", "01:10:00", 361))
        ]
    )
    job = get(server, "/api/v1/namespaces/over/jobs/over")
    assert [run["id"] for run in job["latestRuns"]] == [run_id(361), run_id(362)]
    assert (job["latestRun"]["state"], job["inputs"]) == ("FAILED", [{"namespace": "over", "name": "361"}])
    (node,) = [it for it in get(server, "/api/v1/lineage", nodeId="job:over:over")["graph"] if it["type"] == "JOB"]
    assert node["data"]["latestRun"]["id"] == run_id(361)
    assert get(server, "/api/v1/namespaces/over/jobs", lastRunStates="FAILED")["jobs"] == [job]
    assert get(server, "/api/v1/namespaces/over/jobs", lastRunStates="COMPLETED")["jobs"] == []


def test_a_run_does_not_read_what_it_writes_itself(server: Server) -> None:
    """Even if all that is known of it is its end."""
    table = dataset("own", "t")
    server.send_all(
        [
            run_event("COMPLETE", "01:00:00", 371, "make", [], [table], namespace="own"),
            run_event("COMPLETE", "02:00:00", 372, "change", [table], [table], namespace="own"),
        ]
    )
    runs = get(server, "/api/v1/runlineage/upstream", runId=run_id(372))["runs"]
    assert [(run["run"]["id"], [it["producedByRunId"] for it in run["inputs"]]) for run in runs] == [
        (run_id(372), [run_id(371)]),
        (run_id(371), []),
    ]
    run = get(server, f"/api/v1/jobs/runs/{run_id(372)}")
    read, written = (run[f"{way}DatasetVersions"][0]["datasetVersionId"]["version"] for way in ("input", "output"))
    assert read != written


def test_versions_of_a_job_are_sorted_by_when_they_first_were(server: Server) -> None:
    reads = {name: [dataset("turn", name)] for name in ("a", "b")}
    server.send_all(
        [
            run_event("COMPLETE", f"0{hour}:00:00", 340 + hour, "turn", reads[name], [], namespace="turn")
            for hour, name in ((1, "a"), (2, "b"), (3, "a"))
        ]
    )
    versions = get(server, "/api/v1/namespaces/turn/jobs/turn/versions")["versions"]
    shown = [(it["inputs"][0]["name"], it["createdAt"], it["latestRun"]["id"]) for it in versions]
    assert shown == [
        ("b", "2026-03-01T02:00:00Z", run_id(342)),
        ("a", "2026-03-01T01:00:00Z", run_id(343)),
    ]


@pytest.fixture(scope="module")
def rewritten(server: Server) -> Server:
    """B is made of a.x, c of b; then b is made of a.y."""

    def made(name: str, source: str, column: str) -> dict[str, Any]:
        lineage = columns(k=[("cv", source, column, "IDENTITY")])
        return dataset("cv", name, schema=schema("k"), columnLineage=lineage)

    source, middle = dataset("cv", "a", schema=schema("x", "y")), dataset("cv", "b", schema=schema("k"))
    server.send_all(
        [
            run_event("COMPLETE", "01:00:00", 351, "ab", [source], [made("b", "a", "x")], namespace="cv"),
            run_event("COMPLETE", "02:00:00", 352, "bc", [middle], [made("c", "b", "k")], namespace="cv"),
            run_event("COMPLETE", "03:00:00", 353, "ab", [source], [made("b", "a", "y")], namespace="cv"),
        ]
    )
    return server


def graph_of(server: Server, node: str, **more: Any) -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in get(server, "/api/v1/column-lineage", nodeId=node, **more)["graph"]}


def test_columns_of_a_version(rewritten: Server) -> None:
    """Node ids name versions, and nothing that was said later is in it."""
    versions = {
        name: [it["version"] for it in get(rewritten, f"/api/v1/namespaces/cv/datasets/{name}/versions")["versions"]]
        for name in ("a", "b", "c")
    }
    (only,), (new, old), (end,) = versions["a"], versions["b"], versions["c"]
    graph = graph_of(rewritten, f"dataset:cv:c#{end}")
    assert set(graph) == {
        f"datasetField:cv:a:x#{only}",
        f"datasetField:cv:b:k#{old}",
        f"datasetField:cv:c:k#{end}",
    }
    last = graph[f"datasetField:cv:c:k#{end}"]
    assert last["data"]["inputFields"][0]["datasetVersion"] == old
    assert last["inEdges"] == [{"origin": last["id"], "destination": f"datasetField:cv:b:k#{old}"}]
    assert set(graph_of(rewritten, f"datasetField:cv:b:k#{new}")) == {
        f"datasetField:cv:a:y#{only}",
        f"datasetField:cv:b:k#{new}",
    }


def test_columns_of_a_version_of_a_job(rewritten: Server) -> None:
    (version,) = get(rewritten, "/api/v1/namespaces/cv/jobs/bc/versions")["versions"]
    graph = graph_of(rewritten, f"job:cv:bc#{version['version']}")
    assert [node.split("#")[0] for node in graph] == [
        "datasetField:cv:a:x",
        "datasetField:cv:b:k",
        "datasetField:cv:c:k",
    ]
    unknown = quote("job:cv:bc#0197a5b0-0000-4000-8000-0000000009ff")
    assert httpx.get(f"{rewritten.url}/api/v1/column-lineage?nodeId={unknown}").status_code == 404


@pytest.mark.parametrize("depth", [-1, 0, 1])
def test_one_step_is_always_shown(rewritten: Server, depth: int) -> None:
    assert set(graph_of(rewritten, "dataset:cv:c", depth=depth)) == {"datasetField:cv:b:k", "datasetField:cv:c:k"}
