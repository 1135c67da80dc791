"""What the web page tells of itself is counted, within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from headwater.api.operators import page_reports
from tests.application import InProcess

PATH = "/api/v2/page-reports"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("reports")) as started:
        yield started


def figure(app: InProcess, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", app.get("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0.0


@pytest.mark.parametrize("kind", ["load", "picture", "layout", "frame"])
def test_times_are_in_the_metrics(app: InProcess, kind: str) -> None:
    before = figure(app, f"lineage_graph_{kind}_ms_count"), figure(app, f"lineage_graph_{kind}_ms_sum")
    times = [{"kind": kind, "ms": 12.5}, {"kind": kind, "ms": 7.5}]
    assert app.post(PATH, json={"times": times}).status_code == 204
    after = figure(app, f"lineage_graph_{kind}_ms_count"), figure(app, f"lineage_graph_{kind}_ms_sum")
    assert (after[0] - before[0], after[1] - before[1]) == (2, 20)


def test_nodes_and_errors_are_in_the_metrics(app: InProcess, caplog: pytest.LogCaptureFixture) -> None:
    report = {
        "times": [{"kind": "layout", "ms": 1, "nodes": 40}],
        "errors": [{"kind": "thrown", "message": "x is undefined\nand more", "page": "/lineage"}],
    }
    nodes, errors = figure(app, "lineage_graph_nodes_sum"), figure(app, 'lineage_graph_errors_total{kind="thrown"}')
    assert app.post(PATH, json=report).status_code == 204
    assert figure(app, "lineage_graph_nodes_sum") - nodes == 40
    assert figure(app, 'lineage_graph_errors_total{kind="thrown"}') - errors == 1
    assert "x is undefined" in caplog.text


def test_the_log_takes_only_some(app: InProcess, caplog: pytest.LogCaptureFixture) -> None:
    page_reports._logged.clear()
    error = {"kind": "rejected", "message": "again"}
    for _ in range(4):
        assert app.post(PATH, json={"errors": [error] * 10}).status_code == 204
    assert 20 <= caplog.text.count("again") <= 40, "one minute's, or two's where it turned over"


@pytest.mark.parametrize(
    "body",
    [
        {"times": [{"kind": "load", "ms": -1}]},
        {"times": [{"kind": "load", "ms": 1e12}]},
        {"times": [{"kind": "other", "ms": 1}]},
        {"times": [{"kind": "load", "ms": 1}] * 101},
        {"errors": [{"kind": "thrown", "message": "x" * 2001}]},
        {"errors": [{"kind": "thrown", "message": "x"}] * 11},
        {"times": [], "more": 1},
    ],
)
def test_what_is_no_report_is_refused(app: InProcess, body: dict[str, Any]) -> None:
    assert app.post(PATH, json=body).status_code == 400
