"""The graph of `/openlineage/lineage`: events of producers alone, with the facets of overlays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.application import InProcess

ENV = "overlay:test"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as started:
        yield started


def send(app: InProcess, **members: Any) -> None:
    event = {"eventTime": "2026-01-02T03:04:05Z", "eventType": "COMPLETE", "producer": "https://overlay", **members}
    assert app.send(json.dumps(event).encode()).status_code == 201


def publish(app: InProcess, version: str, *parents: str) -> None:
    facets = {"datasetVersion": {"contentHash": "ff", "type": "dlm1"}, "gitdataProvenance": {"parentsCount": 1}}
    send(
        app,
        run={"runId": f"tx-{version}", "facets": {"gitdataSpv": {"confs": 3, "bundleHash": "00"}}},
        job={"namespace": ENV, "name": f"publish::{version}"},
        inputs=[{"namespace": ENV, "name": parent} for parent in parents],
        outputs=[{"namespace": ENV, "name": version, "facets": facets}],
    )


def graph(app: InProcess, path: str, node: str, **more: Any) -> dict[str, Any]:
    query = "".join(f"&{name}={value}" for name, value in more.items())
    answer = app.get(f"{path}={quote(node, safe='')}{query}")
    assert answer.status_code == 200, answer.text
    return {found["id"]: found for found in answer.json()["graph"]}


def test_versions_with_the_facets_of_badges(app: InProcess) -> None:
    publish(app, "v1")
    publish(app, "v2", "v1")
    publish(app, "v3", "v2")
    node = f"dataset:{ENV}:v2"
    found = graph(app, "/openlineage/lineage?node", node, depth=20)
    assert {f"dataset:{ENV}:v1", f"dataset:{ENV}:v2", f"dataset:{ENV}:v3", f"job:{ENV}:publish::v3"} <= set(found)
    facets = found[node]["data"]["facets"]
    assert (facets["datasetVersion"]["type"], facets["gitdataProvenance"]["parentsCount"]) == ("dlm1", 1)
    assert found[f"job:{ENV}:publish::v2"]["data"]["latestRun"]["facets"]["gitdataSpv"]["confs"] == 3
    near = graph(app, "/openlineage/lineage?node", node, depth=0)
    assert f"dataset:{ENV}:v3" not in near
    assert graph(app, "/api/v1/lineage?node", node) == graph(app, "/api/v1/lineage?nodeId", node)
    assert graph(app, "/api/v1/lineage?nodeId", node)[node]["data"]["facets"] == facets
    assert app.get("/api/v1/lineage").status_code == app.get("/api/v1/lineage?depth=3").status_code == 400


def test_badges_of_versions_that_were_aborted_or_recalled(app: InProcess) -> None:
    """Their facets stay, in the graph and in the entity, and a recall is marked on the dataset itself."""
    publish(app, "v1")
    publish(app, "v2", "v1")
    outputs = [{"namespace": ENV, "name": "v1", "facets": {"datasetVersion": {"contentHash": "ff"}}}]
    job = {"namespace": ENV, "name": "publish::v1"}
    reorg = {"unstable": True, "reason": "reorg"}
    run = {"runId": "tx-v1", "facets": {"reorgFacet": reorg, "gitdataSpv": {"confs": 0, "readyDecision": "wait"}}}
    send(app, eventType="ABORT", eventTime="2026-01-03T00:00:00Z", run=run, job=job, outputs=outputs)
    run = {"runId": "recalled", "facets": {"lifecycleStateChange": {"lifecycleState": "RETRACTED"}}}
    job = {"namespace": ENV, "name": "publish::v2"}
    sides = {"inputs": [{"namespace": ENV, "name": "v1"}], "outputs": [{"namespace": ENV, "name": "v2"}]}
    send(app, eventTime="2026-01-03T00:00:00Z", run=run, job=job, **sides)
    found = graph(app, "/openlineage/lineage?node", f"dataset:{ENV}:v2", depth=2)
    aborted, recalled = found[f"dataset:{ENV}:v1"]["data"], found[f"dataset:{ENV}:v2"]["data"]
    assert aborted["facets"]["datasetVersion"]["contentHash"] == "ff"
    assert not aborted["lastLifecycleState"]
    assert recalled["lastLifecycleState"] == "RETRACTED"
    assert found[f"job:{ENV}:publish::v1"]["data"]["latestRun"]["state"] == "ABORTED"

    def facets(version: str) -> dict[str, Any]:
        return app.get("/api/v2/show", params={"name": f"dataset:{ENV}:{version}"}).json()["facets"]

    assert facets("v1")["reorgFacet"] == reorg
    assert facets("v1")["gitdataSpv"]["readyDecision"] == "wait"
    assert facets("v1")["datasetVersion"] == {"contentHash": "ff"}
    assert facets("v2")["lifecycleStateChange"] == {"lifecycleState": "RETRACTED"}
    assert facets("v2")["gitdataSpv"] == {"confs": 3, "bundleHash": "00"}


def test_nothing_by_hand(app: InProcess) -> None:
    """A job that Marquez' API describes is in its own graph, but in none of producers."""
    send(
        app,
        run={"runId": "r"},
        job={"namespace": "etl", "name": "load"},
        outputs=[{"namespace": "etl", "name": "t"}],
    )
    body = {
        "type": "BATCH",
        "inputs": [{"namespace": "etl", "name": "t"}],
        "outputs": [],
        "location": "https://h",
    }
    assert app.ask("PUT", "/api/v1/namespaces/etl/jobs/report", json=body).status_code == 200
    by_hand, node = "job:etl:report", "dataset:etl:t"
    assert by_hand in graph(app, "/api/v1/lineage?nodeId", node)
    told = graph(app, "/openlineage/lineage?node", node)
    assert set(told) == {node, "job:etl:load"}
    assert told[node]["outEdges"] == []
