"""The facet policy of a tenant over HTTP: set, shown, tried, applied to what comes next, and to dead letters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from headwater.store.read.reader import Reader
from tests.api.test_ingest import event
from tests.application import InProcess

POLICY = {"rules": [{"namespaces": ["*"], "mode": "deny", "patterns": ["email"]}]}
REFUSING = {"rules": [{"namespaces": ["*"], "mode": "deny", "patterns": ["email"], "on_match": "refuse"}]}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as started:
        started.key = started.make_key(roles=["admin"], name="operator")
        started.make_tenant("a", 7)
        started.make_tenant("b", 8)
        yield started


def mail(name: str) -> bytes:
    members = json.loads(event(name))
    members["job"]["facets"] = {"documentation": {"description": "ask ann@shop.example"}}
    return json.dumps(members).encode()


def stored(app: InProcess, tenant: int) -> list[dict[str, Any]]:
    return [json.loads(logged.body) for logged in Reader(app.store.engine).log(tenant)]


def counted(action: str) -> float:
    return REGISTRY.get_sample_value("headwater_policy_parts_total", {"action": action, "tenant": "a"}) or 0


def set_policy(app: InProcess, policy: dict[str, Any], code: str = "a") -> None:
    answer = app.post(f"/api/v2/policy/set?tenant={code}", json=policy)
    assert answer.status_code == 200, answer.text


def test_of_one_tenant_from_the_next_event_on(app: InProcess) -> None:
    a, b = app.make_key(tenant="a", roles=["writer", "reader"]), app.make_key(tenant="b")
    assert app.send(mail("before"), key=a).status_code == 201
    set_policy(app, POLICY)
    before = counted("redacted")
    assert app.send(mail("after"), key=a).status_code == app.send(mail("after"), key=b).status_code == 201
    assert counted("redacted") == before + 1
    said = [found["job"]["facets"]["documentation"]["description"] for found in (*stored(app, 7), *stored(app, 8))]
    assert said == ["ask ann@shop.example", "ask [redacted:email]", "ask ann@shop.example"]
    shown = app.get("/api/v2/policy", key=a).json()
    assert (shown["tenant"], shown["policy"]["rules"][0]["patterns"]) == ("a", ["email"])
    assert shown["built_in"][0]["namespaces"] == ["overlay:*"]
    assert app.post("/api/v2/policy/clear?tenant=a").json()["policy"] is None
    assert app.send(mail("cleared"), key=a).status_code == 201
    assert "ann@" in json.dumps(stored(app, 7)[-1])


def test_the_same_event_sent_twice_is_the_same_twice(app: InProcess) -> None:
    a = app.make_key(tenant="a")
    set_policy(app, POLICY)
    body = mail("j")
    assert {app.send(body, key=a).status_code for _ in range(2)} == {201}
    assert len(stored(app, 7)) == 1


def test_refused_and_kept_without_its_values(app: InProcess) -> None:
    a = app.make_key(tenant="a")
    set_policy(app, REFUSING)
    answer = app.send(mail("j"), key=a)
    assert (answer.status_code, answer.json()["error"]) == (400, "personal_data_refused")
    assert answer.json()["path"] == "$.job.facets.documentation"
    assert app.send(b'{"mail": "ann@shop.example"', key=a).status_code == 400
    letters = app.get("/api/v2/dead-letters").json()["dead_letters"]
    assert {letter["reason"] for letter in letters} == {"personal_data_refused", "invalid_json"}
    for letter in letters:
        body = json.loads(app.get(f"/api/v2/dead-letters/{letter['id']}").json()["body"])
        assert set(body["headwater_withheld"]) == {"reason", "bytes", "fingerprint"}
        assert app.post(f"/api/v2/dead-letters/{letter['id']}/retry").json()["reason"] == "event_withheld"
    assert stored(app, 7) == []


def test_what_only_its_tenant_kept_out_can_be_retried(app: InProcess) -> None:
    a = app.make_key(tenant="a")
    set_policy(app, POLICY)
    app.post("/api/v2/tenants/a/disable")
    assert app.send(mail("j"), key=a).status_code == 403
    (letter,) = app.get("/api/v2/dead-letters").json()["dead_letters"]
    assert "[redacted:email]" in app.get(f"/api/v2/dead-letters/{letter['id']}").json()["body"]
    app.post("/api/v2/tenants/a/enable")
    assert app.post(f"/api/v2/dead-letters/{letter['id']}/retry").json()["state"] == "TAKEN"
    assert len(stored(app, 7)) == 1


def test_an_unreadable_event_of_nobody_may_be_anybodys(app: InProcess) -> None:
    anybody = app.make_key(source="GRAVITINO")
    app.send(b'{"one": "ann@shop.example"', key=anybody)
    set_policy(app, POLICY)
    app.send(b'{"two": "ann@shop.example"', key=anybody)
    letters = app.get("/api/v2/dead-letters").json()["dead_letters"]
    bodies = [app.get(f"/api/v2/dead-letters/{letter['id']}").json()["body"] for letter in letters]
    assert sorted("ann@" in body for body in bodies) == [False, True]


def test_marquez_routes_that_write(app: InProcess) -> None:
    a = app.make_key(tenant="a", roles=["writer", "reader"])
    rule = {"namespaces": ["etl"], "mode": "deny", "facets": {"dataset": {"documentation": "*"}}}
    set_policy(app, {"rules": [rule]})
    assert app.ask("PUT", "/api/v1/namespaces/etl", json={"ownerName": "x"}, key=a).status_code == 200
    source = {"type": "POSTGRESQL", "connectionUrl": "jdbc:x"}
    assert app.ask("PUT", "/api/v1/sources/s", json=source, key=a).status_code == 200
    body = {"type": "DB_TABLE", "physicalName": "t", "sourceName": "s", "description": "ask ann", "fields": []}
    assert app.ask("PUT", "/api/v1/namespaces/etl/datasets/t", json=body, key=a).status_code == 200
    assert "ask ann" not in json.dumps(stored(app, 7))


def test_without_keys(tmp_path: Path) -> None:
    """Where nobody has to authenticate, the policy of the default tenant holds."""
    with InProcess(tmp_path) as alone:
        assert alone.post("/api/v2/policy/set", json=POLICY).status_code == 200
        assert alone.send(mail("j")).status_code == 201
        assert "ann@" not in json.dumps(stored(alone, 1))
        assert alone.get("/api/v2/policy").json()["policy"] is not None


def test_tried_without_keeping_anything(app: InProcess) -> None:
    sent = json.loads(mail("j"))
    answer = app.post("/api/v2/policy/test?tenant=a", json={"event": sent, "policy": POLICY}).json()
    assert (answer["outcome"], answer["redacted"]) == ("changed", {"email": 1})
    assert answer["parts"] == [{"path": "$.job.facets.documentation", "outcome": "redacted: email"}]
    assert answer["event"]["job"]["facets"]["documentation"]["description"] == "ask [redacted:email]"
    assert app.post("/api/v2/policy/test?tenant=a", json={"event": sent}).json()["outcome"] == "unchanged"
    refused = app.post("/api/v2/policy/test?tenant=a", json={"event": sent, "policy": REFUSING}).json()
    assert (refused["outcome"], refused["error"]) == ("refused", "personal_data_refused")
    assert app.post("/api/v2/policy/test?tenant=a", json={"event": 1}).json()["error"] == "not_an_object"
    wrong = app.post("/api/v2/policy/test?tenant=a", json={"event": sent, "policy": {"patterns": {"x": "("}}})
    assert (wrong.status_code, wrong.json()["error"]) == (400, "wrong_policy")
    assert stored(app, 7) == []
