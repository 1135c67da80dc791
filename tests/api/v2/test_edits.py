"""Changes by hand, seen by every door: routes, Marquez' routes, lists, search, lineage, impact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.graph.annotations.notes import YES
from headwater.lineage.edits.event import Remark
from tests.application import InProcess
from tests.edits import edit_body

DB, LAKE = "postgres://db:5432", "s3://lake"
CRM, CLEAN, TOP = (f"dataset:{place}" for place in (f"{DB}:crm.customers", f"{LAKE}:clean/customers", f"{LAKE}:top"))
MARQUEZ = "/api/v1/namespaces/postgres:%2F%2Fdb:5432/datasets/crm.customers"


def table(place: str, name: str, *columns: str, **facets: Any) -> dict[str, Any]:
    fields = [{"name": column, "type": "text", "description": f"the {column}"} for column in columns]
    return {"namespace": place, "name": name, "facets": {"schema": {"fields": fields}, **facets}}


def copied(source: tuple[str, str], *columns: str) -> dict[str, Any]:
    fields = {
        column: {"inputFields": [{"namespace": source[0], "name": source[1], "field": column}]} for column in columns
    }
    return {"columnLineage": {"fields": fields}}


def run(job: str, inputs: list[Any], outputs: list[Any], second: int, year: int = 2026, **facets: Any) -> bytes:
    body = {
        "eventTime": f"{year}-02-01T00:00:{second:02d}Z",
        "eventType": "COMPLETE",
        "run": {"runId": f"0190c0de-0000-7000-8000-0000000000{second:02d}"},
        "job": {"namespace": "etl", "name": job, "facets": facets},
        "inputs": inputs,
        "outputs": outputs,
    }
    return json.dumps(body).encode()


def crm(**facets: Any) -> dict[str, Any]:
    return table(DB, "crm.customers", "id", "email", **facets)


def events(year: int = 2026) -> list[bytes]:
    clean = table(LAKE, "clean/customers", "id", "email", **copied((DB, "crm.customers"), "id", "email"))
    top = table(LAKE, "top", "id", **copied((LAKE, "clean/customers"), "id"))
    stated = {"tags": {"tags": [{"key": "Gold"}]}, "ownership": {"owners": [{"name": "bob"}]}}
    return [
        run("clean", [crm(**stated)], [clean], 1, year),
        run("top", [table(LAKE, "clean/customers", "id", "email")], [top], 2, year),
    ]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as started:
        for body in events():
            assert started.send(body).status_code == 201
        yield started


def change(app: InProcess, route: str, **body: Any) -> dict[str, Any]:
    answer = app.post(f"/api/v2/{route}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def get(app: InProcess, path: str, **query: Any) -> Any:
    answer = app.get(f"/api/v2/{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def listed(app: InProcess, path: str, **query: Any) -> list[str]:
    return [item["id"] for item in get(app, path, **query)["items"]]


def shown(app: InProcess, name: str = CRM) -> dict[str, Any]:
    found: dict[str, Any] = get(app, "show", name=name)
    return found


def tag_counts(app: InProcess) -> dict[str, tuple[int, int, int]]:
    return {it["tag"]: (it["datasets"], it["columns"], it["jobs"]) for it in get(app, "tags")["items"]}


def affected(app: InProcess, tag: str) -> set[str]:
    return {item["id"] for item in get(app, "impact", tag=tag)["affected"]}


def test_a_tag_on_a_column_belongs_to_the_column(app: InProcess) -> None:
    done = change(app, "tag", name="crm.customers#EMAIL", add=["pii=true"], reason="asked by legal", by="ann")
    assert (done["of"], done["tags"], done["changed"]) == (f"{CRM}#email", ["pii"], True)
    crm = shown(app)
    assert (crm["tags"], crm["column_tags"]) == (["Gold"], {"email": ["pii"]})
    assert {field["name"]: field["tags"] for field in crm["schema"]} == {"id": [], "email": ["pii"]}
    assert affected(app, "PII") == {f"{CLEAN}#email"}, "from the column alone"
    assert tag_counts(app) == {"Gold": (1, 0, 0), "pii": (1, 1, 0)}
    assert listed(app, "datasets", tag="Pii") == listed(app, "datasets", tag="gold") == [CRM]
    assert [hit["id"] for hit in get(app, "search", q="pii")["items"]] == [CRM]
    fields = app.get(MARQUEZ).json()["fields"]
    assert {field["name"]: field["tags"] for field in fields} == {"id": [], "email": ["PII"]}
    assert change(app, "tag", name=f"{CRM}#email", add=["Pii"])["changed"] is False
    assert change(app, "tag", name=f"{CRM}#email", remove=["PII"])["tags"] == []
    assert tag_counts(app) == {"Gold": (1, 0, 0)}
    assert listed(app, "datasets", tag="pii") == []
    assert app.get("/api/v2/impact", params={"tag": "pii"}).status_code == 404
    assert {it["name"] for it in app.get(MARQUEZ).json()["fields"] if it["tags"]} == set()


def test_tags_of_events_on_columns(app: InProcess) -> None:
    stated = {"tags": {"tags": [{"key": "pii", "field": "email"}, {"key": "kept", "value": "30d"}]}}
    app.send(run("clean", [crm(**stated)], [], 9))
    assert (shown(app)["tags"], shown(app)["column_tags"]) == (["kept=30d"], {"email": ["pii"]})
    assert tag_counts(app) == {"kept=30d": (1, 0, 0), "pii": (1, 1, 0)}, "Gold is said no more"
    assert listed(app, "datasets", tag="gold") == []
    assert listed(app, "datasets", tag="kept") == listed(app, "datasets", tag="kept=30D") == [CRM]
    assert affected(app, "pii") == {f"{CLEAN}#email"}
    assert affected(app, "kept") == {f"{CLEAN}#email", f"{CLEAN}#id", f"{TOP}#id"}, "of a dataset, all columns"
    only = get(app, "lineage", name="job:etl:clean", tag="pii")["upstream"]["nodes"]
    assert [node["id"] for node in only if node["kind"] == "dataset"] == [CRM]


def test_a_tag_on_a_job_is_on_what_it_writes(app: InProcess) -> None:
    change(app, "tag", name="job:etl:clean", add=["pii"])
    assert tag_counts(app)["pii"] == (0, 0, 1)
    assert listed(app, "jobs", tag="pii") == ["job:etl:clean"]
    assert affected(app, "pii") == {f"{TOP}#id"}
    assert app.get("/api/v1/namespaces/etl/jobs/clean").json()["tags"] == ["pii"]


def test_marquez_routes_are_seen(app: InProcess) -> None:
    for path in ("fields/email/tags/pii", "tags/Silver"):
        assert app.post(f"{MARQUEZ}/{path}").status_code == 200
    assert (shown(app)["tags"], shown(app)["column_tags"]) == (["Gold", "Silver"], {"email": ["PII"]})
    assert affected(app, "pii") == {f"{CLEAN}#email"}
    assert {edit["via"] for edit in get(app, "edits", name=CRM)["items"]} == {"MARQUEZ"}
    assert app.ask("DELETE", f"{MARQUEZ}/tags/silver").json()["tags"] == []
    assert shown(app)["tags"] == ["Gold"]
    app.ask("DELETE", f"{MARQUEZ}/tags/gold")
    assert shown(app)["tags"] == [], "what events state is denied"
    assert app.ask("DELETE", MARQUEZ).status_code == 200
    assert CRM not in listed(app, "datasets")
    assert shown(app)["hidden"]["until_heard"] is True
    app.send(events(2100)[0])
    assert CRM in listed(app, "datasets")
    assert shown(app)["hidden"] is None


def test_what_events_state_can_be_denied_and_stated_again(app: InProcess) -> None:
    denied = change(app, "tag", name=CRM, remove=["gold"])
    assert (denied["tags"], shown(app)["tags"]) == ([], [])
    app.send(events(2027)[0])
    assert shown(app)["tags"] == [], "an event does not undo what a person says"
    assert change(app, "edits/undo", id=denied["edits"][0])["tags"] == ["Gold"]
    struck = change(app, "own", name=CRM, add=["ann"], remove=["bob"])
    assert struck["owners"] == ["ann"] == shown(app)["owners"]
    assert listed(app, "datasets", owner="ann") == [CRM]
    assert listed(app, "datasets", owner="bob") == []
    user = get(app, "users/ann")
    assert (user["runs_total"], user["owns_total"], user["owns"]) == (0, 1, [CRM])
    assert {it["name"]: it["owns"] for it in get(app, "users")["items"]} == {"ann": 1}
    assert get(app, "impact", name="job:etl:clean")["affected"][0]["owners"] == []


def test_descriptions(app: InProcess) -> None:
    change(app, "describe", name=f"{CRM}#email", description="Where to write to.")
    change(app, "describe", name=CRM, description="Whoever bought something.")
    change(app, "describe", name="job:etl:clean", description="Cleans.")
    crm = shown(app)
    assert crm["description"] == "Whoever bought something."
    assert [field["description"] for field in crm["schema"]] == ["the id", "Where to write to."]
    assert [hit["highlights"][0]["field"] for hit in get(app, "search", q="bought")["items"]] == ["description"]
    assert [hit["id"] for hit in get(app, "search", q="write to")["items"]] == [CRM]
    known = app.get(MARQUEZ).json()
    assert known["description"] == "Whoever bought something."
    assert known["fields"][1]["description"] == "Where to write to."
    assert app.get("/api/v1/namespaces/etl/jobs/clean").json()["description"] == "Cleans."
    assert change(app, "describe", name=CRM, description=" Whoever bought something. ")["changed"] is False
    assert change(app, "describe", name=f"{CRM}#email")["description"] is None
    assert shown(app)["schema"][1]["description"] == "the email"


def test_hidden(app: InProcess) -> None:
    done = change(app, "hide", name=CLEAN, reason="internal", by="ann")
    assert (done["hidden"]["by"], done["hidden"]["reason"]) == ("ann", "internal")
    assert CLEAN not in listed(app, "datasets")
    assert CLEAN in listed(app, "datasets", hidden="true")
    assert get(app, "search", q="clean")["totals"]["dataset"] == 0
    down = get(app, "lineage", name=CRM, direction="downstream", depth=10, granularity="DATASET")["downstream"]
    assert [node["id"] for node in down["nodes"]] == [CRM, TOP]
    assert [(edge["from"], edge["to"], edge["hidden"]) for edge in down["edges"]] == [(CRM, TOP, 1)]
    assert {item["id"] for item in get(app, "impact", name=CRM)["affected"]} == {"job:etl:clean", "job:etl:top", TOP}
    assert {it["id"] for it in get(app, "impact", name=CRM, columns="true")["affected"]} == {f"{TOP}#id"}
    known = app.get("/api/v1/namespaces/s3:%2F%2Flake/datasets").json()["datasets"]
    assert [item["name"] for item in known] == ["top"]
    app.send(events(2100)[0])
    assert shown(app, CLEAN)["hidden"]["until_heard"] is False, "an event does not undo it"
    past = get(app, "lineage", name=CRM, as_of="2026-03-01T00:00:00Z", granularity="DATASET")["downstream"]["nodes"]
    assert CLEAN in [node["id"] for node in past], "then it was not hidden"
    assert change(app, "hide", name=CLEAN, undo=True)["hidden"] is None
    assert CLEAN in listed(app, "datasets")
    assert change(app, "hide", name=CLEAN, undo=True)["changed"] is False


def test_a_hidden_location_hides_what_is_in_it(app: InProcess) -> None:
    change(app, "tag", name=CLEAN, add=["pii"])
    change(app, "hide", name=f"location:{LAKE}")
    assert listed(app, "datasets") == [CRM]
    assert shown(app, TOP)["hidden"] is not None
    assert "pii" not in tag_counts(app)
    assert app.get("/api/v2/impact", params={"tag": "pii"}).status_code == 404
    assert get(app, "search", q="lake")["total"] == 0
    change(app, "hide", name=f"location:{LAKE}", undo=True)
    assert len(listed(app, "datasets")) == 3


def test_history(app: InProcess) -> None:
    first = change(app, "describe", name=CRM, description="one", by="ann", via="CLI")["edits"]
    second = change(app, "describe", name=CRM, description="two")["edits"]
    change(app, "tag", name=f"{CRM}#email", add=["a", "b"])
    found = get(app, "edits", name=CRM, limit=2)
    assert (found["total"], len(found["items"])) == (4, 2)
    rest = get(app, "edits", name=CRM, limit=2, cursor=found["next"])
    assert [item["value"] for item in rest["items"]] == ["two", "one"]
    assert rest["next"] is None
    assert [(item["by"], item["via"]) for item in rest["items"]] == [("single user", "API"), ("ann", "CLI")]
    assert {item["of"] for item in get(app, "edits", name=f"{CRM}#email")["items"]} == {f"{CRM}#email"}
    replaced = app.post("/api/v2/edits/undo", json={"id": first[0]})
    assert (replaced.status_code, second[0] in replaced.text) == (400, True)
    assert change(app, "edits/undo", id=second[0], reason="wrong")["description"] == "one"
    assert get(app, "edits", name=CRM)["items"][0]["reason"] == "wrong"
    assert app.post("/api/v2/edits/undo", json={"id": "edit:00"}).status_code == 404


def test_locations(app: InProcess) -> None:
    replica = "postgres://10.0.0.7"
    asked = {"location": DB, "addresses": [replica]}
    assert app.post("/api/v2/locations/addresses", json=asked).json()["namespaces"] == [replica, DB]
    app.send(run("late", [table("postgres://10.0.0.7:5432", "crm.customers", "id")], [], 5))
    assert "job:etl:late" in shown(app)["read_by"], "an address that nobody had used yet"
    for place in (DB, replica):
        body = {"location": place, "external_id": f"core of {place}"}
        assert app.post("/api/v2/locations/external-id", json=body).json()["external_id"] == f"core of {place}"
    change(app, "own", name=f"location:{DB}", add=["dba"])
    assert app.get("/api/v1/namespaces/postgres:%2F%2Fdb:5432").json()["ownerName"] == "dba"
    place = shown(app, f"location:{DB}")
    assert (place["external_id"], place["owners"]) == (f"core of {replica}", ["dba"])
    merged = get(app, "edits")["items"][-1]
    assert (merged["kind"], merged["change"]) == ("same_location", f"the same as {replica}")
    change(app, "hide", name=f"location:{replica}")
    assert listed(app, "datasets") == [CLEAN, TOP], "all addresses of the location"
    change(app, "hide", name=f"location:{replica}", undo=True)
    assert change(app, "edits/undo", id=merged["id"])["changed"] is True
    assert "job:etl:late" not in shown(app)["read_by"]
    for wrong in ("nonsense", "", "postgres://"):
        answer = app.post("/api/v2/locations/addresses", json={**asked, "addresses": [wrong]})
        assert (answer.status_code, answer.json()["error"]) == (400, "bad_question"), wrong


@pytest.mark.parametrize(
    ("route", "body", "status", "says"),
    [
        ("tag", {"name": CRM}, 400, "No tag is named"),
        ("tag", {"name": CRM, "add": [" "]}, 400, "empty"),
        ("tag", {"name": CRM, "add": ["a"], "remove": ["A=true"]}, 400, "both"),
        ("tag", {"name": CRM, "add": ["a" * 201]}, 400, "$.add"),
        ("tag", {"name": f"{CRM}#nothing", "add": ["a"]}, 404, "no column"),
        ("tag", {"name": "nowhere", "add": ["a"]}, 404, "nowhere"),
        ("tag", {"name": f"location:{DB}", "add": ["a"]}, 400, "has no tags"),
        ("tag", {"name": "run:0190c0de-0000-7000-8000-000000000001", "add": ["a"]}, 400, "is a run"),
        ("own", {"name": f"{CRM}#email", "add": ["a"]}, 400, "no owner"),
        ("own", {"name": f"location:{DB}", "add": ["a", "b"]}, 400, "one owner"),
        ("hide", {"name": f"{CRM}#email"}, 400, "cannot be hidden"),
        ("describe", {"name": CRM, "text": "x"}, 400, "text"),
        ("describe", {"name": CRM, "description": "x" * 100_001}, 400, "$.description"),
    ],
)
def test_refused(app: InProcess, route: str, body: dict[str, Any], status: int, says: str) -> None:
    answer = app.post(f"/api/v2/{route}", json=body)
    assert (answer.status_code, says in answer.text) == (status, True), answer.text
    assert get(app, "edits")["total"] == 0


def test_who_may_and_who_did(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"], name="operator")
        keys = {role: app.make_key(tenant="default", roles=[role], name=f"a {role}") for role in ("reader", "editor")}
        keys["both"] = app.make_key(tenant="default", roles=["writer", "editor"])
        keys["admin"] = app.make_key(tenant="default", roles=["admin"])
        for body in events():
            assert app.send(body, key=keys["both"]).status_code == 201
        bodies = {
            "tag": {"name": CRM, "add": ["x"]},
            "describe": {"name": CRM, "description": "x"},
            "own": {"name": CRM, "add": ["x"]},
            "hide": {"name": TOP},
            "locations/external-id": {"location": DB, "external_id": "x"},
            "locations/addresses": {"location": DB, "addresses": ["postgres://x"]},
            "locations/merge": {"namespaces": [DB, "etl"]},
        }
        for route, body in bodies.items():
            assert app.post(f"/api/v2/{route}", json=body, key=keys["reader"]).status_code == 403, route
            assert app.post(f"/api/v2/{route}", json=body, key=keys["editor"]).status_code == 200, route
        made = app.get("/api/v2/edits", key=keys["reader"]).json()["items"]
        assert {item["by"] for item in made} == {"a editor"}
        assert {item["actor"] for item in made} == {f"key:{keys['editor'].split('_')[1]}"}
        undo = {"id": made[0]["id"]}
        assert app.post("/api/v2/edits/undo", json=undo, key=keys["reader"]).status_code == 403
        assert app.post("/api/v2/edits/undo", json=undo, key=keys["editor"]).status_code == 200
        forged = edit_body(1, Remark("DATASET", "tag", YES, DB, "crm.customers", name="forged"), by="the boss")
        refused = app.send(forged, key=keys["both"])
        assert (refused.status_code, refused.json()["path"]) == (403, "$.job.facets.headwater_notes")
        batch = app.post("/api/v1/lineage/batch", content=b"[" + forged + b"]", key=keys["both"]).json()
        assert (batch["status"], batch["failed_events"][0]["code"]) == ("failure", 403)
        assert app.send(forged, key=keys["admin"]).status_code == 201, "who restores a log"
