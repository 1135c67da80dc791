"""Runs and operations: one id for each, and the same answer in lists, pages, entities and on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app as command
from tests.application import InProcess

LAKE = "s3://lake"
DAG, TASK, APPLICATION = (f"019cac46-0000-7000-8000-00000000000{digit}" for digit in (1, 2, 3))
FIRST, SECOND, THIRD = (f"019cac46-0000-7000-8000-00000000001{digit}" for digit in (1, 2, 3))
OLD = "1b6e7f3c-0000-4000-8000-000000000009"
"""No UUIDv7: there is no time in it."""
RUN_TIME = "2026-03-02T01:59:54.624Z"
NAMES = {DAG: "dag", TASK: "dag.task", APPLICATION: "app", FIRST: "app.one", SECOND: "app.two", THIRD: "app.three"}
PARENTS = {TASK: DAG, APPLICATION: TASK, FIRST: APPLICATION, SECOND: APPLICATION, THIRD: APPLICATION}


def event(run: str, second: int, kind: str = "COMPLETE", **more: Any) -> bytes:
    facets: dict[str, Any] = {}
    parent = more.get("parent", PARENTS.get(run))
    if parent:
        facets["parent"] = {"run": {"runId": parent}, "job": {"namespace": "etl", "name": NAMES.get(parent, "old")}}
    if more.get("error"):
        facets["errorMessage"] = {"message": more["error"], "programmingLanguage": "python"}
    job_type = {"integration": "SPARK", "jobType": "SQL_JOB" if run in (FIRST, SECOND, THIRD) else "APPLICATION"}
    if run in (DAG, TASK):
        job_type = {"integration": "AIRFLOW", "jobType": "DAG" if run == DAG else "TASK"}

    def side(names: dict[str, int], facet: str) -> list[dict[str, Any]]:
        return [
            {"namespace": LAKE, "name": name, facet[:-10] + "Facets": {facet: {"rowCount": rows}}}
            for name, rows in names.items()
        ]

    body = {
        "eventTime": f"2026-03-02T03:00:{second:02d}Z",
        "eventType": kind,
        "run": {"runId": run, "facets": facets},
        "job": {"namespace": "etl", "name": NAMES.get(run, "other"), "facets": {"jobType": job_type}},
        "inputs": side(more.get("reads", {}), "inputStatistics"),
        "outputs": side(more.get("writes", {}), "outputStatistics"),
    }
    return json.dumps(body).encode()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def server(data: Any) -> Iterator[InProcess]:
    """A task that runs a Spark application of three queries, of which two fail; the DAG itself sends nothing."""
    with InProcess(data) as started:
        for body in (
            event(TASK, 0, "START"),
            event(APPLICATION, 1, "START"),
            event(FIRST, 2, reads={"raw": 3}, writes={"stage": 3}),
            event(FIRST, 2, "START"),
            event(SECOND, 3, "FAIL", reads={"stage": 3}, writes={"mart": 1}, error="disk full"),
            event(THIRD, 4, "FAIL", reads={"raw": 4}, writes={"mart": 2}, error="no such column"),
            event(APPLICATION, 5, "FAIL"),
            event(TASK, 6, "FAIL"),
            event(OLD, 7, parent=None),
        ):
            assert started.send(body).status_code == 201
        yield started


def runs(server: InProcess, **wanted: str) -> dict[str, dict[str, Any]]:
    answer = server.get("/api/v2/runs", params=wanted)
    assert answer.status_code == 200, answer.text
    page = answer.json()
    assert page["total"] == len(page["items"]) or "limit" in wanted
    return {item["run"]: item for item in page["items"]}


def run(server: InProcess, name: str) -> dict[str, Any]:
    return dict(server.get("/api/v2/show", params={"name": name}).json())


def test_one_id_whatever_a_run_is_asked_by(server: InProcess) -> None:
    for uuid in (*NAMES, OLD):
        shown = run(server, f"run:{uuid}")
        assert shown["id"] == shown["key"] == f"run:{uuid}"
        for other in (uuid, f"operation:{uuid}", uuid.upper()):
            assert run(server, other) == shown
        for place in ("runs", "operations"):
            for name in (uuid, f"run:{uuid}", f"operation:{uuid}"):
                assert server.get(f"/api/v2/{place}/{name}").json() == shown
        listed = runs(server)[uuid]
        assert {name: shown[name] for name in listed} == listed
    answer = server.get("/api/v2/lineage", params={"name": f"operation:{FIRST}"}).json()
    assert (answer["start"], answer["granularity"]) == (f"run:{FIRST}", "OPERATION")
    nodes = {node["id"]: node["kind"] for node in answer["upstream"]["nodes"]}
    assert nodes == {f"run:{FIRST}": "operation", f"dataset:{LAKE}:raw": "dataset"}


def test_the_kind_is_a_filter(server: InProcess) -> None:
    queries = {FIRST, SECOND, THIRD}
    assert set(runs(server)) == set(runs(server, kind="any")) == {*NAMES, OLD}
    assert set(runs(server, kind="run")) == {DAG, TASK, APPLICATION, OLD}
    assert set(runs(server, kind="operation")) == {*queries, TASK}, "a task is both"
    assert {item["kind"] for item in runs(server, kind="run").values()} == {"run"}
    assert runs(server)[FIRST]["kind"] == "operation"
    listed = server.get("/api/v2/operations", params={"run": f"operation:{APPLICATION}"}).json()["items"]
    assert {item["run"] for item in listed} == queries
    assert server.get("/api/v2/runs", params={"kind": "task"}).status_code == 400


def test_runs_that_only_others_mention_have_a_time(server: InProcess) -> None:
    mentioned = runs(server)[DAG]
    assert (mentioned["first_seen"], mentioned["created_at"]) == (None, RUN_TIME)
    assert runs(server)[OLD]["created_at"] is None
    assert set(runs(server, since="2026-03-02T01:59:00Z", until="2026-03-02T03:00:00Z")) == {DAG}
    assert DAG not in runs(server, since="2026-03-02T01:59:55Z")
    assert set(runs(server, until="2026-03-02T03:00:02Z")) == {DAG, TASK, APPLICATION}
    for order in ("first_seen", "-first_seen"):
        in_order = list(runs(server, order=order))
        assert in_order[0 if order == "first_seen" else -1] == DAG
        pages: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            page = server.get("/api/v2/runs", params={"order": order, "limit": "2", "cursor": cursor}).json()
            pages, cursor = pages + [item["run"] for item in page["items"]], page["next"]
            assert page["total"] == 7
        assert pages == in_order


def test_why_a_run_started(server: InProcess) -> None:
    found = {uuid: item["start_reason"] for uuid, item in runs(server).items()}
    assert found[TASK] == found[APPLICATION] == "AUTOMATIC", "another run started it"
    assert found[DAG] is found[FIRST] is found[OLD] is None


def test_a_run_says_what_its_parts_did(server: InProcess) -> None:
    for uuid in (APPLICATION, TASK, DAG):
        shown = run(server, uuid)
        sides = {
            side: {item["dataset"]: (item["rows"], item["by_total"]) for item in shown[side]}
            for side in ("inputs", "outputs")
        }
        assert sides["inputs"] == {f"dataset:{LAKE}:raw": (7, 2), f"dataset:{LAKE}:stage": (3, 1)}, uuid
        assert sides["outputs"] == {f"dataset:{LAKE}:mart": (3, 2), f"dataset:{LAKE}:stage": (3, 1)}, uuid
        answer = server.get(
            "/api/v2/lineage", params={"name": uuid, "depth": "1", "granularity": "RUN", "unfold": "true"}
        ).json()
        for way, side in (("upstream", "inputs"), ("downstream", "outputs")):
            nodes = {node["id"] for node in answer[way]["nodes"] if node["kind"] == "dataset"}
            assert nodes == set(sides[side])
    assert [item["by"] for item in run(server, SECOND)["outputs"]] == [[f"run:{SECOND}"]]
    assert [(run(server, uuid)["parts_total"]) for uuid in (DAG, TASK, APPLICATION, FIRST)] == [5, 4, 3, 0]
    listed = {item["run"]: item["status"] for item in run(server, APPLICATION)["operations"]}
    assert listed == {FIRST: "SUCCEEDED", SECOND: "FAILED", THIRD: "FAILED"}


def test_a_run_that_failed_has_the_reason_of_its_newest_failed_part(server: InProcess) -> None:
    for uuid in (TASK, APPLICATION):
        for shown in (run(server, uuid), runs(server)[uuid], runs(server, limit="1000", status="FAILED")[uuid]):
            assert (shown["end_reason"], shown["end_reason_of"]) == ("no such column", f"run:{THIRD}")
    shown = run(server, SECOND)
    assert (shown["end_reason"], shown["end_reason_of"]) == ("disk full", None)
    assert run(server, DAG)["end_reason"] is None, "nobody said that it failed"
    assert run(server, "job:etl:app")["runs"][0]["end_reason"] == "no such column"
    latest = server.get("/api/v2/jobs", params={"name": "dag.task"}).json()["items"][0]["latest_run"]
    assert latest["end_reason"] == "no such column"
    assert run(server, FIRST)["parents"][0] == runs(server)[APPLICATION]


def test_the_runs_of_a_job_are_those_it_counts(server: InProcess) -> None:
    for name in NAMES.values():
        shown = run(server, f"job:etl:{name}")
        listed = runs(server, job=f"job:etl:{name}")
        assert shown["runs_total"] == len(listed) == 1
        assert shown["runs"] == list(listed.values())


def test_the_runs_of_a_dataset_include_those_around_its_operations(server: InProcess) -> None:
    found = runs(server, dataset=f"dataset:{LAKE}:stage")
    roles = {uuid: item["roles"] for uuid, item in found.items()}
    both = ["INPUT", "OUTPUT"]
    assert roles == {FIRST: ["OUTPUT"], SECOND: ["INPUT"], APPLICATION: both, TASK: both, DAG: both}
    assert (found[FIRST]["status"], found[FIRST]["duration_ms"]) == ("SUCCEEDED", 0)
    shown = run(server, f"dataset:{LAKE}:stage")
    assert (shown["runs_total"], shown["runs"]) == (len(found), list(found.values()))
    written = runs(server, dataset=f"dataset:{LAKE}:stage", role="output", kind="run")
    assert {uuid: item["roles"] for uuid, item in written.items()} == {
        key: ["OUTPUT"] for key in (DAG, TASK, APPLICATION)
    }
    assert runs(server, dataset=f"dataset:{LAKE}:raw", role="output") == {}
    assert runs(server)[FIRST]["roles"] == [], "of no dataset"


def test_on_the_command_line(server: InProcess, data: Any) -> None:
    for uuid in (TASK, FIRST):
        for name in (uuid, f"operation:{uuid}"):
            said = CliRunner().invoke(command, ["show", name, "--data", str(data), "--format", "json"])
            assert json.loads(said.stdout) == run(server, uuid)
    for word in ("INPUT OUTPUT", "FAILED", "OUTPUT 2026-03-02T03:00:02.000Z → 2026-03-02T03:00:02.000Z, 0 ms"):
        assert word in CliRunner().invoke(command, ["show", f"dataset:{LAKE}:stage", "--data", str(data)]).stdout
    tree = CliRunner().invoke(command, ["show", APPLICATION, "--data", str(data)]).stdout
    for word in ("no such column", "created_at", FIRST, "three"):
        assert word in tree
