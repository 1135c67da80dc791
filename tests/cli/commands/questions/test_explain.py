"""An edge explained on the command line: the same from the store and from a server."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from headwater.store.sql_store import SqlStore
from tests.cli.test_main import headwater
from tests.conftest import entry_of
from tests.server import Server

NAMES = ("dataset:lake:orders", "dataset:lake:report")
COLUMNS = {
    "columnLineage": {
        "fields": {
            "total": {
                "inputFields": [
                    {
                        "namespace": "lake",
                        "name": "orders",
                        "field": "amount",
                        "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION"}],
                    }
                ]
            }
        }
    },
    "outputStatistics": {"rowCount": 1200},
}
RUN = {
    "eventType": "COMPLETE",
    "eventTime": "2026-02-01T00:00:00Z",
    "producer": "https://example.com",
    "run": {"runId": "0190c0de-0000-7000-8000-000000000001"},
    "job": {
        "namespace": "etl",
        "name": "build",
        "facets": {"sql": {"query": "SELECT sum(amount) AS total\nFROM orders"}},
    },
    "inputs": [{"namespace": "lake", "name": "orders"}],
    "outputs": [{"namespace": "lake", "name": "report", "facets": COLUMNS}],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
    store.open()
    store.write([entry_of(json.dumps(RUN).encode())])
    store.close()
    return tmp_path


def test_explain(data: Path) -> None:
    shown = headwater("explain", *NAMES, "--data", data).stdout
    assert "dataset:lake:orders -> dataset:lake:report: aggregation" in shown
    assert "through job:etl:build: last run run:0190c0de-0000-7000-8000-000000000001 SUCCEEDED" in shown
    assert "    FROM orders" in shown
    lines = headwater("explain", *NAMES, "--format", "csv", "--data", data).stdout
    (row,) = csv.DictReader(io.StringIO(lines))
    assert (row["from_column"], row["to_column"], row["subtype"]) == ("amount", "total", "AGGREGATION")


def test_narrowed(data: Path) -> None:
    asked = ("explain", *NAMES, "--format", "json", "--data", data)
    assert len(json.loads(headwater(*asked, "--to-column", "total").stdout)["columns"]) == 1
    assert json.loads(headwater(*asked, "--from-column", "none").stdout)["columns"] == []
    assert len(json.loads(headwater(*asked, "--via", "job:etl:build").stdout)["jobs"]) == 1
    for wrong in (("--via", "job:etl:none"), ("--as-of", "2026-01-01")):
        assert headwater(*asked, *wrong).returncode == 1, wrong


def test_changes(data: Path) -> None:
    times = ("--since", "2026-01-31", "--until", "2026-02-02")
    shown = headwater("changes", *times, "--data", data).stdout
    assert "job:etl:build" in shown
    assert "lineage" in shown
    found = json.loads(headwater("changes", *times, "--format", "json", "--data", data).stdout)
    assert found["total"] == len(found["items"]) > 0
    narrowed = json.loads(headwater("changes", *times, "--kind", "failed", "-f", "json", "--data", data).stdout)
    assert narrowed["items"] == []
    lines = headwater("changes", "job:etl:build", *times, "-f", "csv", "--data", data).stdout.splitlines()
    assert lines[0] == "at,kind,of,code,change,run,job,actor"
    assert "run:0190c0de-0000-7000-8000-000000000001" in lines[1]
    wrong = headwater("changes", "--kind", "nonsense", "--data", data)
    assert wrong.returncode == 2
    assert "is none of schema, lineage" in " ".join(wrong.stderr.split())


def test_a_server_answers_the_same(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        assert server.post(json.dumps(RUN).encode()).status_code == 201
        told = json.loads(headwater("explain", *NAMES, "-f", "json", "--url", server.url).stdout)
        assert told["explanation"]["code"] == "aggregation"
        times = ("--since", "2026-01-31", "--until", "2026-02-02", "--kind", "lineage", "--kind", "schema")
        listed = json.loads(headwater("changes", *times, "-f", "json", "--url", server.url).stdout)
        assert {item["kind"] for item in listed["items"]} == {"lineage"}
