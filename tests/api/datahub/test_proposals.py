"""Aspects that DataHub's clients send: whose edges they replace, what of them is kept, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.datahub.test_doors import aspect, board, chart, dataset, job, propose, update
from tests.api.v2.test_hand_edges import run
from tests.application import InProcess


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as application:
        yield application


def patch(app: InProcess, urn: str, name: str, *operations: tuple[str, str, Any], status: int = 200) -> dict[str, Any]:
    listed = [{"op": doing, "path": path, "value": value} for doing, path, value in operations]
    return propose(app, urn, name, listed, "PATCH", status)


def edges(app: InProcess, name: str) -> dict[str, dict[str, Any]]:
    listed = app.get("/api/v2/edits/edges", params={"name": name}).json()["items"]
    return {item["source"].rpartition(":")[2]: item for item in listed}


def test_an_aspect_that_is_read_and_sent_back_takes_over_nothing(app: InProcess) -> None:
    by_ann = {"add": [{"source": "dataset:hive:d2", "target": "dataset:hive:d1", "note": "mine"}], "create": True}
    assert app.post("/api/v2/edits/lineage", json={**by_ann, "by": "ann", "via": "UI"}).status_code == 200
    before = edges(app, "dataset:hive:d1")
    known = aspect(app, dataset(1))
    assert known["upstreams"][0]["properties"] == {"source": "UI", "note": "mine"}
    known["upstreams"].append({"dataset": dataset(3), "type": "COPY", "properties": {"k": "v"}})
    propose(app, dataset(1), "upstreamLineage", known)
    assert edges(app, "dataset:hive:d1")["d2"] == before["d2"]
    told = aspect(app, dataset(1))["upstreams"][1]
    assert (told["type"], told["properties"]) == ("COPY", {"source": "API", "k": "v"})
    again = edges(app, "dataset:hive:d1")
    propose(app, dataset(1), "upstreamLineage", aspect(app, dataset(1)))
    assert edges(app, "dataset:hive:d1") == again  # nor does it change what came this way
    propose(app, dataset(1), "upstreamLineage", {"upstreams": []})
    assert list(edges(app, "dataset:hive:d1")) == ["d2"]


def test_the_deprecated_twin_says_no_less(app: InProcess) -> None:
    own = {"destinationUrn": dataset(1), "properties": {"k": "v"}}
    propose(app, chart(1), "chartInfo", {"title": "t", "inputEdges": [own], "inputs": [{"string": dataset(1)}]})
    assert [edge["properties"]["k"] for edge in aspect(app, chart(1))["inputEdges"]] == ["v"]


def test_a_member_is_replaced_by_a_patch(app: InProcess) -> None:
    propose(app, board(1), "dashboardInfo", {"title": "t", "charts": [], "datasets": [dataset(1)]})
    propose(app, chart(1), "chartInfo", {"title": "c"})
    edge = {"destinationUrn": chart(1)}
    patch(app, board(1), "dashboardInfo", ("add", "/chartEdges", [edge]), ("add", "/type", "x"))
    patch(app, board(1), "dashboardInfo", ("add", "/datasetEdges", [{"destinationUrn": dataset(2)}]))
    info = aspect(app, board(1))
    assert (info["charts"], info["datasets"]) == ([chart(1)], [dataset(2)])
    patch(app, board(1), "dashboardInfo", ("remove", "/chartEdges", None), ("add", "/customProperties/a", "1"))
    patch(app, board(1), "dashboardInfo", ("add", "/customProperties/b", "2"), ("add", "/title", "T"))
    patch(app, board(1), "dashboardInfo", ("remove", "/customProperties/a", None))
    info = aspect(app, board(1))
    assert (info["charts"], info["title"], info["customProperties"]) == ([], "T", {"b": "2"})


def test_an_addition_shows_again_what_a_removal_hid_this_way_and_nothing_else(app: InProcess) -> None:
    assert app.send(run("one", ["a", "b"], ["c"], 1)).status_code == 201
    a, b, c = (f"urn:li:dataset:(urn:li:dataPlatform:p,{name},PROD)" for name in "abc")
    assert app.post("/api/v2/edits/lineage", json={"hide": [{"source": "b", "target": "c"}]}).status_code == 200
    patch(app, c, "upstreamLineage", ("remove", f"/upstreams/{a}", None))
    assert {name: edge["hidden"] is not None for name, edge in edges(app, "c").items()} == {"a": True, "b": True}
    patch(app, c, "upstreamLineage", *(("add", f"/upstreams/{urn}", {"dataset": urn}) for urn in (a, b)))
    assert {name: edge["hidden"] is not None for name, edge in edges(app, "c").items()} == {"a": False, "b": True}


def test_each_edge_has_its_author(app: InProcess) -> None:
    proposals = [
        {
            "entityUrn": dataset(number),
            "changeType": "UPSERT",
            "aspectName": "upstreamLineage",
            "aspect": {"value": json.dumps({"upstreams": [{"dataset": dataset("src"), "auditStamp": stamp}]})},
        }
        for number, stamp in ((1, {"time": 5, "actor": "urn:li:corpuser:ann"}), (2, {}))
    ]
    answer = app.post("/aspects?action=ingestProposalBatch", json={"proposals": proposals})
    assert answer.status_code == 200, answer.text
    assert edges(app, "dataset:hive:d1")["dsrc"]["created_by"] == "ann"
    assert edges(app, "dataset:hive:d2")["dsrc"]["created_by"] == "single user"
    assert {
        (item["by"], item["actor"]) for item in app.get("/api/v2/edits").json()["items"] if item["kind"] == "edge"
    } == {
        ("ann", "single user"),
        ("single user", "single user"),
    }


EXPECTED = "Tried to add lineage edge with non-dataset node when we expect a dataset. Upstream urn: "


@pytest.mark.parametrize(
    ("urn", "name", "value", "wrong"),
    [
        (dataset(1), "upstreamLineage", {"upstreams": [{"dataset": job(1)}]}, {"upstreams[0]": EXPECTED + job(1)}),
        (job(1), "dataJobInputOutput", {"outputDatasets": [job(2)]}, {"outputDatasets[0]": EXPECTED + job(2)}),
        (
            job(1),
            "dataJobInputOutput",
            {"inputDatasetEdges": [{"destinationUrn": chart(1)}], "outputDatasetEdges": [{"destinationUrn": board(1)}]},
            {
                "inputDatasetEdges[0]": "Tried to add an upstream to a dataJob that isn't a datJob or dataset. "
                f"Upstream urn: {chart(1)}",
                "outputDatasetEdges[0]": EXPECTED + board(1),
            },
        ),
    ],
)
def test_types_that_a_member_may_not_name(
    app: InProcess, urn: str, name: str, value: dict[str, Any], wrong: dict[str, str]
) -> None:
    answer = propose(app, urn, name, value, status=400)
    where = "$.proposals[0].aspect.value."
    assert {error["path"].removeprefix(where): error["message"] for error in answer["errors"]} == wrong
    assert app.get("/api/v2/edits/edges").json()["total"] == 0


def test_all_that_is_wrong_is_told_with_its_place(app: InProcess) -> None:
    listed = [(chart("bare"), dataset(1)), (dataset(1), dataset(1))]
    app.post("/api/v2/edits/create", json={"name": "dataset:hive:d1"})
    app.post("/api/v2/edits/create", json={"name": "chart:looker:cbare"})
    told = update(app, listed)["errors"]
    assert [error["extensions"]["place"] for error in told] == [
        "$.variables.input.edgesToAdd[0]",
        "$.variables.input.edgesToAdd[1]",
    ]
    proposals = [
        {
            "entityUrn": urn,
            "changeType": "PATCH",
            "aspectName": name,
            "aspect": {"value": json.dumps([{"op": "add", "path": f"/{member}/{dataset(1)}", "value": {}}])},
        }
        for urn, name, member in (
            (chart("no"), "chartInfo", "inputEdges"),
            (board("no"), "dashboardInfo", "datasetEdges"),
            (dataset(1), "upstreamLineage", "upstreams"),
        )
    ]
    answer = app.post("/aspects?action=ingestProposalBatch", json={"proposals": proposals}).json()
    assert [(error["path"], error["error"]) for error in answer["errors"]] == [
        ("$.proposals[0].entityUrn", "no_information"),
        ("$.proposals[1].entityUrn", "no_information"),
        ("$.proposals[2].aspect.value[0]", "same"),
    ]


def test_jobs_of_two_orchestrators_are_two(app: InProcess) -> None:
    def urn(orchestrator: str) -> str:
        return f"urn:li:dataJob:(urn:li:dataFlow:({orchestrator},flow,PROD),load)"

    for orchestrator in ("airflow", "prefect"):
        propose(app, urn(orchestrator), "dataJobInputOutput", {"inputDatasets": [dataset(orchestrator)]})
    for number, (namespace, name, integration) in enumerate(
        [("prod", "etl.daily", "AIRFLOW"), ("prod", "etl.hourly", "SPARK"), ("prod", "etl.weekly", None)], 1
    ):
        body = json.loads(run(name, ["a"], ["b"], number))
        facets = {"jobType": {"processingType": "BATCH", "integration": integration}} if integration else {}
        body["job"] = {"namespace": namespace, "name": name, "facets": facets}
        assert app.send(json.dumps(body).encode()).status_code == 201
        job_urn = f"urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),{name.partition('.')[2]})"
        propose(app, job_urn, "dataJobInputOutput", {"inputDatasets": [dataset(1)]})
    jobs = {item["target"] for item in app.get("/api/v2/edits/edges").json()["items"]}
    assert jobs == {
        "job:airflow:flow.load",
        "job:prefect:flow.load",
        "job:prod:etl.daily",
        "job:airflow:etl.hourly",
        "job:prod:etl.weekly",
    }


def test_two_long_lists_of_columns_are_refused_before_they_are_paired(app: InProcess) -> None:
    columns = [f"urn:li:schemaField:({dataset(1)},c{number})" for number in range(5000)]
    entry = {"upstreams": columns, "downstreams": columns}
    answer = propose(app, dataset(2), "upstreamLineage", {"upstreams": [], "fineGrainedLineages": [entry]}, status=400)
    assert "10000 edges between columns" in answer["message"]
