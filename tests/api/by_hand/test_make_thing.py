"""Charts and dashboards made by hand: found by their title, with a history that tells who said what, and undo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.application import InProcess


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as application:
        yield application


def make(app: InProcess, **said: Any) -> dict[str, Any]:
    answer = app.post("/api/v2/edits/create", json={"name": "chart:looker:12", **said})
    assert answer.status_code == 200, answer.text
    return answer.json()


def shown(app: InProcess) -> tuple[Any, ...]:
    thing = app.get("/api/v2/show?name=chart:looker:12").json()
    return thing["title"], thing["url"], thing["description"], thing["owners"]


def test_found_and_drawn_by_its_title(app: InProcess) -> None:
    make(app, title="Quarterly turnover", url="https://looker.example/12")
    for words in ("turnover", "quarterly turn"):
        hit = app.get("/api/v2/search", params={"q": words}).json()["items"][0]
        assert (hit["id"], hit["highlights"][0]["field"]) == ("dataset:looker:chart.12", "title")
    assert app.get("/api/v2/picture?name=chart:looker:12").json()["nodes"][0]["title"] == "Quarterly turnover"
    assert shown(app) == ("Quarterly turnover", "https://looker.example/12", None, [])


def test_what_was_said_has_a_history_and_is_taken_back(app: InProcess) -> None:
    make(app, title="Turnover", owners=["ann"], by="zoe", reason="no tool reports it")
    make(app, description="by quarter", title="Turnover by quarter", by="bob")
    assert make(app, title="Turnover by quarter")["changed"] is False
    history = app.get("/api/v2/edits?name=chart:looker:12").json()["items"]
    assert [(item["change"], item["by"], item["reason"], item["value"]) for item in history] == [
        ("title, description set", "bob", None, "Turnover by quarter; by quarter"),
        ("title, owners set", "zoe", "no tool reports it", "Turnover; ann"),
    ]
    undone = app.post("/api/v2/edits/undo", json={"id": history[0]["id"]}).json()
    assert shown(app) == ("Turnover", None, None, ["ann"])
    assert app.post("/api/v2/edits/undo", json={"id": history[1]["id"]}).status_code == 400  # replaced since
    assert app.post("/api/v2/edits/undo", json={"id": undone["edits"][0]}).status_code == 200
    assert shown(app) == ("Turnover by quarter", None, "by quarter", ["ann"])


def test_the_first_of_it_is_taken_back_too(app: InProcess) -> None:
    make(app, title="Turnover", description="d", owners=["ann"])
    made = app.get("/api/v2/edits").json()["items"][0]
    assert app.post("/api/v2/edits/undo", json={"id": made["id"]}).status_code == 200
    assert shown(app) == (None, None, None, [])


def test_what_an_edge_made_says_who_made_it(app: InProcess) -> None:
    edge = {"source": "dataset:p:new", "target": "chart:looker:12"}
    body = {"add": [edge], "create": True, "by": "zoe", "reason": "seen in a report"}
    assert app.post("/api/v2/edits/lineage", json=body).status_code == 200
    for name in ("dataset:p:new", "chart:looker:12"):
        items = app.get("/api/v2/edits", params={"name": name}).json()["items"]
        assert ("made by hand", "zoe", "seen in a report") in [
            (item["change"], item["by"], item["reason"]) for item in items
        ]
