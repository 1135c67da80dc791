"""Lineage by hand through the API: the rule table, what is refused, and what every question then answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.lineage.by_hand.rules import RULES
from tests.application import InProcess

NAMES = {
    "dataset": ("dataset:p:one", "dataset:p:two"),
    "chart": ("chart:bi:one", "chart:bi:two"),
    "dashboard": ("dashboard:bi:one", "dashboard:bi:two"),
    "job": ("job:n:one", "job:n:two"),
    "column": ("dataset:p:one#x", "dataset:p:two#x"),
}
ALLOWED = {(upstream.value, rule.downstream.value) for rule in RULES for upstream in rule.upstream}
PAIRS = [(upstream, downstream) for upstream in NAMES for downstream in NAMES]


def run(job: str, inputs: list[str], outputs: list[str], number: int) -> bytes:
    schema = {"schema": {"fields": [{"name": "x"}, {"name": "y"}]}}
    body = {
        "eventType": "COMPLETE",
        "eventTime": f"2026-02-01T00:00:{number:02}Z",
        "run": {"runId": f"00000000-0000-0000-0000-0000000000{number:02}"},
        "job": {"namespace": "n", "name": job},
        "inputs": [{"namespace": "p", "name": name, "facets": schema} for name in inputs],
        "outputs": [{"namespace": "p", "name": name, "facets": schema} for name in outputs],
    }
    return json.dumps(body).encode()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    """Jobs `one` (a to b) and `two` (b to c), two tables apart from them, and two of each kind."""
    with InProcess(tmp_path) as application:
        for body in (run("one", ["a"], ["b"], 1), run("two", ["b"], ["c"], 2), run("three", ["one", "two"], [], 3)):
            assert application.send(body).status_code == 201
        for kind in ("chart", "dashboard"):
            for name in NAMES[kind]:
                assert application.post("/api/v2/edits/create", json={"name": name}).status_code == 200
        yield application


def edge(source: str, target: str, **said: Any) -> dict[str, Any]:
    return {"source": source, "target": target, **said}


def change(app: InProcess, status: int = 200, headers: dict[str, str] | None = None, **body: Any) -> dict[str, Any]:
    answer = app.post("/api/v2/edits/lineage", json=body, headers=headers or {})
    assert answer.status_code == status, answer.text
    return answer.json()


def flows(app: InProcess, name: str, **more: Any) -> set[tuple[str, str]]:
    wanted = {"name": name, "granularity": "DATASET", **more}
    answer = app.get("/api/v2/lineage", params=wanted).json()
    return {
        (edge["from"].rpartition(":")[2], edge["to"].rpartition(":")[2])
        for side in ("upstream", "downstream")
        for edge in answer[side]["edges"]
    }


def words(answer: dict[str, Any]) -> list[str]:
    return [item["change"] for item in answer["edges"]]


@pytest.mark.parametrize(("upstream", "downstream"), PAIRS)
def test_every_pair_of_the_table(app: InProcess, upstream: str, downstream: str) -> None:
    source, target = NAMES[upstream][0], NAMES[downstream][1]
    if (upstream, downstream) in ALLOWED:
        assert words(change(app, add=[edge(source, target)])) == ["added"]
        assert words(change(app, remove=[edge(source, target)])) == ["removed"]
    else:
        refused = change(app, 400, add=[edge(source, target)])
        assert [error["error"] for error in refused["errors"]] == ["type"]
        assert set(refused["errors"][0]["allowed"]) == {up for up, down in ALLOWED if down == downstream}
        assert app.get("/api/v2/edits/edges").json()["total"] == 0


def test_rules_are_told(app: InProcess) -> None:
    told = app.get("/api/v2/edits/rules").json()["rules"]
    assert {(up, rule["downstream"]) for rule in told for up in rule["upstream"]} == ALLOWED


def test_all_errors_at_once_and_nothing_done(app: InProcess) -> None:
    answer = change(
        app,
        400,
        add=[
            edge("dataset:p:a", "dataset:p:one"),
            edge("dashboard:bi:one", "dataset:p:nowhere"),
            edge("dataset:p:a", "dataset:p:a"),
            edge("dataset:p:a", "dataset:p:nowhere"),
            edge("dataset:p:a#nope", "dataset:p:b#x"),
        ],
        remove=[edge("a", "b")],
    )
    found = [(error["path"], error["error"]) for error in answer["errors"]]
    assert found == [
        ("$.add[1].source", "type"),  # before it is asked whether the other end exists
        ("$.add[2]", "same"),
        ("$.add[3].target", "not_found"),
        ("$.add[4].source", "not_found"),
        ("$.remove[0]", "reported"),
    ]
    assert answer["errors_total"] == 5
    assert "hide" in answer["errors"][4]["hint"]
    assert app.get("/api/v2/edits/edges").json()["total"] == 0
    assert flows(app, "a") == {("a", "b"), ("b", "c")}


def test_adding_twice_and_in_one_request(app: InProcess) -> None:
    added = change(app, add=[edge("a", "one"), edge("dataset:p:a", "p:one")])
    assert words(added) == ["added"]
    first = app.get("/api/v2/edits/edges?name=a").json()["items"][0]
    again = change(app, add=[edge("a", "one")])
    assert words(again) == ["already there"]
    assert not again["changed"]
    assert app.get("/api/v2/edits/edges?name=a").json()["items"] == [first]
    assert [error["error"] for error in change(app, 400, add=[edge("c", "a")], remove=[edge("c", "a")])["errors"]] == [
        "both"
    ]


def test_an_edge_beside_that_of_an_engine(app: InProcess) -> None:
    assert words(change(app, add=[edge("a", "b")])) == ["added"]
    assert flows(app, "a", origin="person") == {("a", "b")}
    assert flows(app, "a") == {("a", "b"), ("b", "c")}
    assert words(change(app, remove=[edge("a", "b")])) == ["removed"]
    assert flows(app, "a") == {("a", "b"), ("b", "c")}  # the engine's is still there
    assert app.send(run("one", ["a"], ["b"], 4)).status_code == 201
    assert flows(app, "a", origin="person") == set()  # and brings nothing back


def test_jobs_read_and_write_by_hand(app: InProcess) -> None:
    change(app, add=[edge("dataset:p:one", "job:n:one"), edge("job:n:one", "dataset:p:two")])
    assert flows(app, "dataset:p:one") == {("one", "b"), ("one", "two"), ("b", "c")}
    assert flows(app, "dataset:p:two") == {("one", "two"), ("a", "two")}
    answer = app.get("/api/v2/lineage?name=dataset:p:two&direction=upstream").json()["upstream"]["edges"]
    kinds = {(item["from"], item["to"]): item["kind"] for item in answer}
    assert kinds["dataset:p:one", "job:n:one"] == "INPUT"
    assert kinds["job:n:one", "dataset:p:two"] == "OUTPUT"


def test_hiding_and_showing_again(app: InProcess) -> None:
    hidden = change(app, hide=[edge("a", "b")], reason="only a check")
    assert words(hidden) == ["hidden"]
    assert flows(app, "a") == set()
    assert flows(app, "b") == {("b", "c")}
    item = app.get("/api/v2/edits/edges?name=a").json()["items"][0]
    assert item["hidden"]["reason"] == "only a check"
    assert not item["stated"]
    assert app.send(run("one", ["a"], ["b"], 5)).status_code == 201
    assert flows(app, "a") == set()  # no event undoes it
    assert words(change(app, hide=[edge("a", "b")])) == ["already hidden"]
    assert words(change(app, show=[edge("a", "b")])) == ["shown"]
    assert flows(app, "a") == {("a", "b"), ("b", "c")}
    assert words(change(app, show=[edge("a", "b")])) == ["not hidden"]


def test_hiding_one_side_of_a_job(app: InProcess) -> None:
    assert flows(app, "a") == {("a", "b"), ("b", "c")}  # remembered before it is hidden
    change(app, hide=[edge("a", "job:n:one")])
    assert flows(app, "a") == set()
    change(app, show=[edge("a", "job:n:one")], hide=[edge("job:n:two", "c")])
    assert flows(app, "a") == {("a", "b")}


def test_columns_hang_on_their_tables(app: InProcess) -> None:
    how = {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum(x)", "masking": True}
    change(app, add=[edge("c", "one"), edge("c#x", "one#y", transformation=how, note="by night")])
    column = app.get("/api/v2/lineage?name=one%23y").json()["upstream"]["edges"]
    told = column[0]["transformations"][0]
    assert (column[0]["from"], told["type"], told["subtype"], told["masking"]) == (
        "dataset:p:c#x",
        "DIRECT",
        "AGGREGATION",
        True,
    )
    assert flows(app, "one") >= {("c", "one")}
    assert sorted(words(change(app, remove=[edge("c", "one")]))) == ["removed", "removed"]
    assert app.get("/api/v2/edits/edges?name=one").json()["total"] == 0
    assert app.get("/api/v2/lineage?name=one%23y").json()["upstream"]["edges"] == []


def test_charts_and_dashboards_are_found_shown_and_walked(app: InProcess) -> None:
    body = {"name": "chart:bi:rev", "title": "Revenue", "url": "https://bi/1", "description": "by month"}
    assert app.post("/api/v2/edits/create", json={**body, "owners": ["ann"]}).json()["changed"]
    board = {"name": "dashboard:bi:sales", "title": "Sales", "charts": ["chart:bi:rev"]}
    assert words(app.post("/api/v2/edits/create", json=board).json()) == ["added"]
    change(app, add=[edge("c", "chart:bi:rev")])
    affected = app.get("/api/v2/impact?name=a").json()["affected"]
    assert {item["id"]: item["distance"] for item in affected if "bi" in item["id"]} == {
        "dataset:bi:chart.rev": 5,
        "dataset:bi:dashboard.sales": 6,
    }
    found = app.get("/api/v2/search?q=rev").json()["items"]
    assert "dataset:bi:chart.rev" in [hit["id"] for hit in found]
    shown = app.get("/api/v2/show?name=chart:bi:rev").json()
    assert (shown["description"], shown["owners"]) == ("by month", ["ann"])
    assert shown["facets"]["headwater_information"]["title"] == "Revenue"
    nodes = app.get("/api/v2/picture?name=dashboard:bi:sales&steps=2").json()["nodes"]
    assert {node["kind"] for node in nodes} == {"dataset", "chart", "dashboard"}
    wrong = app.post("/api/v2/edits/create", json={**board, "charts": ["a", "chart:bi:nope"]})
    assert [error["error"] for error in wrong.json()["errors"]] == ["type", "not_found"]


def test_missing_ends_are_made_only_if_wanted(app: InProcess) -> None:
    new = edge("a", "dataset:postgres://db:5432:shop.orders")
    assert change(app, 400, add=[new])["errors"][0]["error"] == "not_found"
    assert change(app, add=[new], create=True)["created"] == ["dataset:postgres://db:5432:shop.orders"]
    assert flows(app, "shop.orders") == {("a", "shop.orders")}
    bare = change(app, add=[edge("a", "chart:bi:bare")], create=True)
    assert bare["created"] == ["dataset:bi:chart.bare"]
    assert app.get("/api/v2/show?name=chart:bi:bare").json()["facets"]["datasetType"] == {"datasetType": "CHART"}


def test_a_chart_that_only_an_edge_names_has_no_information(app: InProcess) -> None:
    assert app.send(run("four", ["chart.bare"], [], 7)).status_code == 201
    refused = change(app, 400, add=[edge("a", "chart:p:bare")])
    assert refused["errors"][0]["error"] == "no_information"


def test_an_edge_to_what_was_hidden_can_be_removed(app: InProcess) -> None:
    change(app, add=[edge("a", "one")])
    assert app.post("/api/v2/hide", json={"name": "dataset:p:one"}).status_code == 200
    assert words(change(app, remove=[edge("a", "dataset:p:one")])) == ["removed"]
    assert words(change(app, remove=[edge("a", "dataset:p:never")])) == ["not there"]


def test_history_and_undo(app: InProcess) -> None:
    added = change(app, add=[edge("a", "one")], reason="seen in a script", by="ann")
    removed = change(app, remove=[edge("a", "one")], by="bob")
    history = app.get(f"/api/v2/edits?name={added['edges'][0]['edge']}").json()["items"]
    assert [(item["change"], item["by"], item["reason"]) for item in history] == [
        ("edge removed", "bob", None),
        ("edge stated", "ann", "seen in a script"),
    ]
    assert {item["id"] for item in app.get("/api/v2/edits?name=dataset:p:one").json()["items"]} == {
        item["id"] for item in history
    }
    assert app.post("/api/v2/edits/undo", json={"id": added["edits"][0]}).status_code == 400  # replaced since
    undone = app.post("/api/v2/edits/undo", json={"id": removed["edits"][0]}).json()
    assert undone["of"] == "dataset:p:a -> dataset:p:one"
    assert app.get("/api/v2/edits/edges?name=one").json()["items"][0]["created_by"] == "ann"
    assert app.post("/api/v2/edits/undo", json={"id": undone["edits"][0]}).status_code == 200
    assert app.get("/api/v2/edits/edges?name=one").json()["total"] == 0


def test_if_match(app: InProcess) -> None:
    change(app, add=[edge("a", "one"), edge("c", "one")])
    answer = app.get("/api/v2/edits/edges?name=one")
    tag = answer.headers["etag"]
    assert answer.json()["version"] in tag
    change(app, headers={"if-match": tag}, remove=[edge("a", "one")])
    late = change(app, 412, headers={"if-match": tag}, remove=[edge("c", "one")])
    assert late["error"] == "edit_conflict"
    change(app, headers={"if-match": tag}, add=[edge("b", "one")])  # adds never conflict
    change(app, 400, headers={"if-match": "*"}, remove=[edge("c", "one"), edge("a", "two")])
    change(app, headers={"if-match": "*"}, remove=[edge("c", "one")])


def test_as_of_and_diff_show_an_edge_at_its_time(app: InProcess) -> None:
    change(app, add=[edge("c", "one")])
    item = app.get("/api/v2/edits/edges?name=one").json()["items"][0]
    change(app, remove=[edge("c", "one")])
    assert ("c", "one") not in flows(app, "one")
    assert ("c", "one") in flows(app, "one", as_of=item["modified"])
    assert ("c", "one") not in flows(app, "one", as_of="2026-02-02T00:00:00Z")
    assert ("c", "one") in flows(app, "one", since="2026-02-02T00:00:00Z")
    wanted = {"from": "2026-02-02T00:00:00Z", "to": item["modified"]}
    found = app.get("/api/v2/diff", params=wanted).json()["edges"]["appeared"]
    assert ("dataset:p:c", "dataset:p:one") in [(item["from"], item["to"]) for item in found]


def test_dry_run_changes_nothing(app: InProcess) -> None:
    answer = change(app, add=[edge("a", "dataset:p:new")], create=True, dry_run=True)
    assert (words(answer), answer["created"], answer["changed"]) == (["added"], ["dataset:p:new"], False)
    assert app.get("/api/v2/edits/edges").json()["total"] == 0


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"add": [edge("a", "b")] * 1001},
        {"add": [{"source": "a"}]},
        {"add": [edge("a", "b", strange=1)]},
        {"add": [edge("a" * 9000, "b")]},
        {"add": [edge("a", "b", properties={"k": "v" * 2000})]},
        {"add": [edge("a", "b", transformation={"type": "DIRECT"})]},
        {"add": [edge("urn:li:chart:(x)", "b")]},
        {"strange": []},
        {"add": [edge(f"nothing {number}", "b") for number in range(150)]},
    ],
)
def test_what_is_refused(app: InProcess, body: dict[str, Any]) -> None:
    assert change(app, 400, **body)["message"]


def test_only_editors(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"], name="operator")
        app.make_tenant("t")
        keys = {role: app.make_key(tenant="t", roles=[role], name=role) for role in ("reader", "writer", "editor")}
        for role, status in (("reader", 403), ("writer", 403), ("editor", 200)):
            body = {"add": [edge("dataset:p:a", "dataset:p:b")], "create": True}
            assert app.post("/api/v2/edits/lineage", json=body, key=keys[role]).status_code == status
            chart = app.post("/api/v2/edits/create", json={"name": "chart:bi:one"}, key=keys[role])
            assert chart.status_code == status
        assert app.get("/api/v2/edits/edges", key=keys["reader"]).json()["items"][0]["created_by"] == "editor"


def test_edges_are_marked_and_hidden_ones_shown_on_request(app: InProcess) -> None:
    def edges(**more: Any) -> dict[tuple[str, str], dict[str, Any]]:
        wanted = {"name": "dataset:p:a", "granularity": "DATASET", "direction": "downstream", **more}
        found = app.get("/api/v2/lineage", params=wanted).json()["downstream"]["edges"]
        return {(item["from"][-1], item["to"][-1]): item for item in found}

    change(app, add=[edge("dataset:p:c", "dataset:p:a")])
    assert "by_hand" not in edges()["a", "b"]
    change(app, add=[edge("a", "b")])
    assert edges()["a", "b"]["by_hand"] is True
    change(app, hide=[edge("a", "b")])
    assert ("a", "b") not in edges()
    assert edges(show_hidden=True)["a", "b"]["hidden_by_hand"] is True
    assert ("a", "b") not in edges()  # and nothing of that is remembered
    change(app, show=[edge("a", "b")], remove=[edge("a", "b")])
    assert not {"by_hand", "hidden_by_hand"} & edges()["a", "b"].keys()


def test_pictures_and_explained_edges_tell_the_origin(app: InProcess) -> None:
    change(app, add=[edge("a", "b"), edge("b", "one")])
    flows_of = app.get("/api/v2/picture?name=dataset:p:b&steps=1").json()["flows"]
    origins = {tuple(flow["origins"]) for flow in flows_of}
    assert origins == {("openlineage", "person"), ("person",), ("openlineage",)}
    told = app.get("/api/v2/edge?from=dataset:p:b&to=dataset:p:one").json()
    assert told["origins"] == ["person"]
    change(app, remove=[edge("a", "b")])
    told = app.get("/api/v2/edge?from=dataset:p:a&to=dataset:p:b").json()
    assert told["origins"] == ["openlineage"]


def test_hiding_hides_columns_too(app: InProcess) -> None:
    body = json.loads(run("cols", ["a"], [], 8))
    fields = {"x": {"inputFields": [{"namespace": "p", "name": "a", "field": "x"}]}}
    body["outputs"] = [{"namespace": "p", "name": "wide", "facets": {"columnLineage": {"fields": fields}}}]
    assert app.send(json.dumps(body).encode()).status_code == 201

    def reached() -> list[str]:
        answer = app.get("/api/v2/lineage", params={"name": "dataset:p:a#x", "direction": "downstream"}).json()
        return [item["to"] for item in answer["downstream"]["edges"]]

    def sources() -> list[str]:
        answer = app.get("/api/v2/lineage", params={"name": "dataset:p:wide#x", "direction": "upstream"}).json()
        return [item["from"] for item in answer["upstream"]["edges"]]

    for ends in (("a", "wide"), ("a#x", "wide#x"), ("a", "job:n:cols"), ("job:n:cols", "wide")):
        assert (reached(), sources()) == (["dataset:p:wide#x"], ["dataset:p:a#x"])
        change(app, hide=[edge(*(f"dataset:p:{end}" if ":" not in end else end for end in ends))])
        assert (reached(), sources()) == ([], []), ends
        change(app, show=[edge(*(f"dataset:p:{end}" if ":" not in end else end for end in ends))])
