"""DataHub's own Python SDK, unchanged, with a key of ours, on a real server."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server import Server

PYTHON = Path(os.environ.get("HEADWATER_CACHE", Path.home() / ".cache/headwater")) / "datahub-1.7.0.17/bin/python"


def urn(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:hive,{name},PROD)"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the SDK was told, on a server where an engine has reported `wh.seen` at another location of its kind."""
    if not PYTHON.exists():
        if os.environ.get("CI") == "true":
            raise AssertionError("DataHub's SDK is not there: scripts/install_datahub.sh brings it")
        pytest.skip("DataHub's SDK is not there: scripts/install_datahub.sh brings it")
    with Server(tmp_path_factory.mktemp("sdk")) as server:
        schema = {"schema": {"fields": [{"name": "y"}]}}
        body = {
            "eventType": "COMPLETE",
            "eventTime": "2026-02-01T00:00:00Z",
            "run": {"runId": "0190c0de-0000-7000-8000-000000000001"},
            "job": {"namespace": "n", "name": "seen"},
            "outputs": [{"namespace": "hive://metastore:9083", "name": "wh.seen", "facets": schema}],
        }
        assert server.post(json.dumps(body).encode()).status_code == 201
        admin = httpx.post(f"{server.url}/api/v2/keys", json={"roles": ["admin"], "name": "a"}).json()["key"]
        made = httpx.post(
            f"{server.url}/api/v2/keys",
            json={"tenant": "default", "roles": ["editor"], "name": "sdk"},
            headers={"authorization": f"Bearer {admin}"},
        )
        assert made.status_code == 201, made.text
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("HEADWATER", "DATAHUB"))}
        done = subprocess.run(
            [PYTHON, Path(__file__).with_name("sdk_session.py"), server.url, made.json()["key"]],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            env={**clean, "DATAHUB_TELEMETRY_ENABLED": "false"},
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout.splitlines()[-1])


def test_what_engines_reported_is_found(told: dict[str, Any]) -> None:
    assert told["exists"] == [True, False]


def test_whole_aspects_replace_what_came_before(told: dict[str, Any]) -> None:
    assert told["upserted"] == [urn("wh.b"), urn("wh.c")]
    assert told["replaced"] == [urn("wh.b")]


def test_columns(told: dict[str, Any]) -> None:
    up, down = f"urn:li:schemaField:({urn('wh.seen')},y)", f"urn:li:schemaField:({urn('wh.a')},x)"
    assert told["columns"] == [[[up], [down]]]
    assert told["of_column"] == [[down, ["y", "x"]]]


def test_charts_dashboards_and_jobs(told: dict[str, Any]) -> None:
    assert told["chart"] == ["Revenue", [urn("wh.a"), urn("wh.b")], [urn("wh.a"), urn("wh.b")]]
    assert told["board"] == ["Sales", ["urn:li:chart:(looker,revenue)"], [urn("wh.b")]]
    assert told["job"] == [[urn("wh.b")], [urn("wh.k")], []]


def test_lineage(told: dict[str, Any]) -> None:
    job = "urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)"
    assert told["lineage"] == sorted(
        [
            [urn("wh.a"), "DATASET", 1],
            ["urn:li:chart:(looker,revenue)", "CHART", 1],
            ["urn:li:dashboard:(looker,sales)", "DASHBOARD", 1],
            [job, "DATA_JOB", 1],
            [urn("wh.k"), "DATASET", 2],
        ]
    )
    assert told["near"] == [job]


def test_what_is_refused(told: dict[str, Any]) -> None:
    assert "'status' is not taken here" in told["other_aspect"]
    assert "Tried to add an upstream to a dashboard that isn't a chart or dataset" in told["wrong_type"]
    assert "only updateLineage" in told["other_query"]


def test_every_pair(told: dict[str, Any]) -> None:
    allowed = {
        "dataset": {"dataset"},
        "chart": {"dataset", "chart"},
        "dashboard": {"dataset", "chart"},
        "job": {"dataset", "job"},
        "job output": {"dataset"},
    }
    words = {
        "dataset": "non-dataset node when we expect a dataset",
        "chart": "to a chart that isn't a chart or dataset",
        "dashboard": "to a dashboard that isn't a chart or dataset",
        "job": "to a dataJob that isn't a datJob or dataset",
        "job output": "non-dataset node when we expect a dataset",
    }
    for of, answers in told["pairs"].items():
        assert {kind for kind, answer in answers.items() if not answer} == allowed[of]
        assert all(words[of] in answer for answer in answers.values() if answer)


def test_filters_and_whole_members(told: dict[str, Any]) -> None:
    assert sorted(told["filtered"]) == ["urn:li:chart:(looker,pair)", "urn:li:chart:(looker,revenue)"]
    assert told["patched"] == ["Turnover", [urn("wh.k")]]
