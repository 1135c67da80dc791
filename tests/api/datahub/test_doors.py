"""DataHub's doors: the cases of its own LineageService and resolver, and those that it does not test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.api.v2.test_hand_edges import run
from tests.application import InProcess


def dataset(number: int | str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:hive,d{number},PROD)"


def chart(number: int | str) -> str:
    return f"urn:li:chart:(looker,c{number})"


def board(number: int | str) -> str:
    return f"urn:li:dashboard:(looker,b{number})"


def job(number: int | str) -> str:
    return f"urn:li:dataJob:(urn:li:dataFlow:(airflow,flow,PROD),j{number})"


ASPECT = {
    "dataset": "upstreamLineage",
    "chart": "chartInfo",
    "dashboard": "dashboardInfo",
    "dataJob": "dataJobInputOutput",
}
NEW = {"dataset": dataset("new"), "chart": chart("new"), "dashboard": board("new"), "dataJob": job("new")}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    """Datasets d1 to d4, charts c1 to c3, dashboards b1 and b2, jobs j1 and j2."""
    with InProcess(tmp_path) as application:
        names = {"dataset:hive:d{}": 4, "chart:looker:c{}": 3, "dashboard:looker:b{}": 2, "job:airflow:flow.j{}": 2}
        for name, count in names.items():
            for number in range(1, count + 1):
                made = application.post("/api/v2/edits/create", json={"name": name.format(number)})
                assert made.status_code == 200, made.text
        yield application


def update(app: InProcess, add: list[tuple[str, str]] = (), remove: list[tuple[str, str]] = (), **more: Any) -> Any:
    """`updateLineage` with edges (upstream, downstream)."""
    edges = {
        name: [{"upstreamUrn": source, "downstreamUrn": target} for source, target in listed]
        for name, listed in (("edgesToAdd", add), ("edgesToRemove", remove))
    }
    body = {
        "query": "mutation updateLineage($input: UpdateLineageInput!) { updateLineage(input: $input) }",
        "variables": {"input": edges},
    }
    return app.post("/api/graphql", json=body, **more).json()


def aspect(app: InProcess, urn: str, name: str | None = None) -> dict[str, Any]:
    name = name or ASPECT[urn.split(":")[2]]
    answer = app.get(f"/aspects/{quote(urn, safe='')}?aspect={name}&version=0")
    if answer.status_code == 404:
        return {}
    assert answer.status_code == 200, answer.text
    return next(iter(answer.json()["aspect"].values()))


def propose(app: InProcess, urn: str, name: str, value: Any, kind: str = "UPSERT", status: int = 200) -> dict[str, Any]:
    proposal = {"entityUrn": urn, "changeType": kind, "aspectName": name, "aspect": {"value": json.dumps(value)}}
    answer = app.post("/aspects?action=ingestProposal", json={"proposal": proposal})
    assert answer.status_code == status, answer.text
    return answer.json()


def ends(edges: list[dict[str, Any]]) -> list[str]:
    return [edge["destinationUrn"] for edge in edges]


def test_dataset_keeps_adds_and_removes(app: InProcess) -> None:
    update(app, [(dataset(3), dataset(1)), (dataset(4), dataset(1))])
    assert update(app, [(dataset(2), dataset(1))], [(dataset(3), dataset(1))]) == {"data": {"updateLineage": True}}
    found = aspect(app, dataset(1))["upstreams"]
    assert [item["dataset"] for item in found] == [dataset(4), dataset(2)]
    assert {item["type"] for item in found} == {"TRANSFORMED"}
    assert all(item["properties"]["source"] == "API" for item in found)
    assert set(found[0]) >= {"auditStamp", "created"}


def test_chart_reads_deprecated_inputs(app: InProcess) -> None:
    propose(app, chart(1), "chartInfo", {"title": "t", "inputs": [{"string": dataset(1)}, dataset(2)]})
    update(app, [(dataset(3), chart(1)), (chart(2), chart(1))], [(dataset(2), chart(1))])
    info = aspect(app, chart(1))
    assert ends(info["inputEdges"]) == [dataset(1), dataset(3), chart(2)]
    assert info["inputs"] == [{"string": urn} for urn in ends(info["inputEdges"])]
    assert info["inputEdges"][0]["sourceUrn"] == chart(1)


def test_dashboard_has_each_in_its_own_field(app: InProcess) -> None:
    before = {"title": "t", "charts": [chart(1), chart(2)], "datasetEdges": [{"destinationUrn": dataset(1)}]}
    propose(app, board(1), "dashboardInfo", {**before, "datasets": [dataset(2)]})
    update(app, [(chart(3), board(1)), (dataset(3), board(1))], [(chart(1), board(1)), (dataset(1), board(1))])
    info = aspect(app, board(1))
    assert (ends(info["chartEdges"]), info["charts"]) == ([chart(2), chart(3)],) * 2
    assert (ends(info["datasetEdges"]), info["datasets"]) == ([dataset(2), dataset(3)],) * 2


def test_job_upstream_then_downstream(app: InProcess) -> None:
    update(app, [(dataset(1), job(1)), (job(2), job(1))])
    update(app, [(job(1), dataset(2))])
    info = aspect(app, job(1))
    assert (info["inputDatasets"], info["inputDatajobs"], info["outputDatasets"]) == (
        [dataset(1)],
        [job(2)],
        [dataset(2)],
    )
    assert info["outputDatasetEdges"][0]["sourceUrn"] == job(1)  # the owner, in both directions
    assert aspect(app, dataset(2)) == {}  # the edge is in the job's aspect alone


@pytest.mark.parametrize("target", [dataset(1), chart(1), board(1), job(1)])
def test_nonexistent_upstream_is_rejected(app: InProcess, target: str) -> None:
    answer = update(app, [(dataset(2), target), (dataset("never"), target)])
    assert f"Error: urn does not exist: {dataset('never')}" in answer["errors"][0]["message"]
    assert aspect(app, target).get("upstreams", []) == []
    assert app.get("/api/v2/edits/edges").json()["total"] == 0  # nothing is half done


def test_nonexistent_job_output_is_rejected(app: InProcess) -> None:
    answer = update(app, [(job(1), dataset("never"))])
    assert f"Cannot upsert lineage as downstream urn {dataset('never')} doesn't exist" in answer["errors"][0]["message"]


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        (chart(1), dataset(1), "non-dataset node when we expect a dataset"),
        (job(1), chart(1), "to a chart that isn't a chart or dataset"),
        (board(1), board(2), "to a dashboard that isn't a chart or dataset"),
        (job(1), board(1), "to a dashboard that isn't a chart or dataset"),
        (chart(1), job(1), "to a dataJob that isn't a datJob or dataset"),
        (board(1), chart("never"), "to a chart that isn't a chart or dataset"),  # type before existence
    ],
)
def test_wrong_type_is_rejected(app: InProcess, source: str, target: str, words: str) -> None:
    message = update(app, [(source, target)])["errors"][0]["message"]
    assert words in message
    assert f"Upstream urn: {source}" in message


@pytest.mark.parametrize(
    ("source", "target"), [(dataset(2), dataset(1)), (dataset(1), chart(1)), (chart(1), board(1)), (dataset(1), job(1))]
)
def test_resolver_answers_true_and_refuses_what_is_missing(app: InProcess, source: str, target: str) -> None:
    assert update(app, [(source, target)]) == {"data": {"updateLineage": True}}
    missing = NEW[target.split(":")[2]]
    assert "doesn't exist" in update(app, [(source, missing)])["errors"][0]["message"]


def test_resolver_needs_the_role(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"], name="operator")
        app.make_tenant("t")
        reader = app.make_key(tenant="t", roles=["reader"], name="reader")
        answer = update(app, [(dataset(1), dataset(2))], key=reader)
        assert answer["errors"][0]["extensions"]["code"] == 403
        assert app.post("/aspects?action=ingestProposal", json={}, key=reader).status_code == 403


def test_repeated_adds_and_removal_of_what_is_not_there(app: InProcess) -> None:
    update(app, [(dataset(2), dataset(1)), (dataset(2), dataset(1))])
    first = aspect(app, dataset(1))
    update(app, [(dataset(2), dataset(1))])
    assert aspect(app, dataset(1)) == first  # its stamps stay
    assert update(app, remove=[(dataset(3), dataset(1)), (dataset("ghost"), dataset(1))]) == {
        "data": {"updateLineage": True}
    }
    answer = update(app, [(dataset(3), dataset(1))], [(dataset(3), dataset(1))])
    assert "is in `add` and in `remove`" in answer["errors"][0]["message"]


def test_a_chart_without_information(app: InProcess) -> None:
    patch = [{"op": "add", "path": f"/inputEdges/{dataset(1)}", "value": {"destinationUrn": dataset(1)}}]
    refused = propose(app, chart("bare"), "chartInfo", patch, "PATCH", 400)
    assert refused["message"] == f"Failed to update chart lineage for urn {chart('bare')} as chart info doesn't exist"
    assert refused["errors"][0]["error"] == "no_information"


def test_an_upsert_leaves_what_came_otherwise(app: InProcess) -> None:
    by_people = {"add": [{"source": dataset(2), "target": dataset(1), "note": "mine"}]}
    assert app.post("/api/v2/edits/lineage", json=by_people).status_code == 200
    propose(app, dataset(1), "upstreamLineage", {"upstreams": [{"dataset": dataset(3)}]})
    propose(app, dataset(1), "upstreamLineage", {"upstreams": [{"dataset": dataset(4)}]})
    found = aspect(app, dataset(1))["upstreams"]
    assert [item["dataset"] for item in found] == [dataset(2), dataset(4)]
    assert found[0]["properties"]["note"] == "mine"


def test_a_patch_removes_and_an_engines_edge_is_hidden(app: InProcess) -> None:
    assert app.send(run("one", ["a"], ["b"], 1)).status_code == 201
    source, target = (f"urn:li:dataset:(urn:li:dataPlatform:p,{name},PROD)" for name in "ab")
    patch = [{"op": "remove", "path": f"/upstreams/{source}"}]
    propose(app, target, "upstreamLineage", patch, "PATCH")
    edges = app.get("/api/v2/edits/edges").json()["items"]
    assert [(edge["source"], edge["stated"], edge["hidden"] is not None) for edge in edges] == [
        ("dataset:p:a", False, True)
    ]


def test_a_urn_that_can_mean_several_is_refused(app: InProcess) -> None:
    for number, place in enumerate(("hive://one:9083", "hive://two:9083"), 1):
        body = json.loads(run(f"x{number}", [], ["t"], number))
        body["outputs"] = [{"namespace": place, "name": "wh.t"}]
        assert app.send(json.dumps(body).encode()).status_code == 201
    several = "urn:li:dataset:(urn:li:dataPlatform:hive,wh.t,PROD)"
    message = update(app, [(several, dataset(1))])["errors"][0]["message"]
    assert "dataset:hive://one:9083:wh.t" in message
    assert "dataset:hive://two:9083:wh.t" in message
    noted = {"location": "hive://one:9083", "external_id": "prod"}
    assert app.post("/api/v2/locations/external-id", json=noted).status_code == 200
    instance = "urn:li:dataset:(urn:li:dataPlatform:hive,prod.wh.t,PROD)"
    assert update(app, [(instance, dataset(1))]) == {"data": {"updateLineage": True}}
    assert [item["dataset"] for item in aspect(app, dataset(1))["upstreams"]] == [instance]  # and back
    assert update(app, [(several, dataset(1))]) == {"data": {"updateLineage": True}}  # the only one without an instance


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "proposal"),
        ({"proposal": {"entityUrn": "x", "aspectName": "status"}}, "is not taken here"),
        ({"proposal": {"entityUrn": chart(1), "aspectName": "upstreamLineage"}}, "has no aspect"),
        (
            {"proposal": {"entityUrn": dataset(1), "aspectName": "upstreamLineage", "aspect": {"value": "{"}}},
            "cannot be",
        ),
        (
            {
                "proposal": {
                    "entityUrn": dataset(1),
                    "aspectName": "upstreamLineage",
                    "changeType": "DELETE",
                    "aspect": {"value": "{}"},
                }
            },
            "DELETE",
        ),
        (
            {
                "proposal": {
                    "entityUrn": dataset(1),
                    "aspectName": "upstreamLineage",
                    "changeType": "PATCH",
                    "aspect": {"value": '[{"op": "move", "path": "/upstreams/x"}]'},
                }
            },
            "no operation",
        ),
    ],
)
def test_what_is_no_proposal(app: InProcess, body: dict[str, Any], words: str) -> None:
    answer = app.post("/aspects?action=ingestProposal", json=body)
    assert answer.status_code == 400
    assert words in answer.text


def test_only_two_queries_of_graphql(app: InProcess) -> None:
    answer = app.post("/api/graphql", json={"query": "{ me { corpUser { urn } } }"}).json()
    assert "only updateLineage" in answer["errors"][0]["message"]
    assert app.get("/config").json()["patchCapable"] is True


def test_env_is_a_setting(tmp_path: Path) -> None:
    with InProcess(tmp_path, datahub_env="DEV") as app:
        answer = update(app, [(dataset(1), dataset(2))])
        assert "environment PROD; this server has DEV" in answer["errors"][0]["message"]
