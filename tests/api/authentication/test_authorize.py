"""Who gets in, as what, and for which tenant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.access.assertions import ISSUER, Signer, publish
from tests.api.test_ingest import event
from tests.application import InProcess


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    """Two tenants, and an operator's key, which every request sends if it sends no other."""
    with InProcess(tmp_path) as started:
        started.key = started.make_key(roles=["admin"], name="operator")
        started.make_tenant("a", 7)
        started.make_tenant("b", 8)
        yield started


def refused(answer: httpx.Response, status: int, error: str) -> bool:
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    return True


def test_single_user_needs_nothing(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        assert app.send(event("j")).status_code == 201
        assert app.get("/api/v2/show?name=job:tests:j").json()["name"] == "j"
        assert app.get("/api/v2/tenants").json()["tenants"][0]["code"] == "default"
        elsewhere = {"origin": "https://elsewhere.example"}
        refused(app.post("/api/v2/keys", json={}, headers=elsewhere), 403, "foreign_site")
        assert app.post("/api/v2/dead-letters/retry", headers={"origin": "http://localhost"}).status_code == 200
        app.make_key(roles=["admin"])  # from now on everybody needs one, and the data is still the default tenant's
        refused(app.send(event("k")), 401, "unauthenticated")
        refused(app.get("/api/v2/show?name=job:tests:j"), 401, "unauthenticated")
        assert app.get("/health/live").status_code == app.get("/health/ready").status_code == 200
        assert app.get("/metrics").status_code == 401


def test_every_way_to_send_a_key(app: InProcess) -> None:
    key = app.make_key(tenant="a", roles=["writer", "reader"])
    for headers, query in (
        ({"authorization": f"Bearer {key}"}, ""),
        ({"authorization": f"bearer  {key}"}, ""),
        ({"x-api-key": key}, ""),
        ({}, f"?api_key={key}"),
    ):
        assert (
            app.ask("POST", f"/api/v1/lineage{query}", key="", headers=headers, content=event("j")).status_code == 201
        )
        assert app.get(f"/api/v1/namespaces{query}", key="", headers=headers).status_code == 200
    for wrong in ("hw_x_y", key + "x", key[:-1], "nonsense", f"Basic {key}"):
        answer = app.send(event("j"), headers={"authorization": f"Bearer {wrong}"})
        refused(answer, 401, "invalid_key")
        assert answer.headers["www-authenticate"] == 'Bearer realm="headwater"'
        assert key not in answer.text


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("writer", {"send"}),
        ("reader", {"read"}),
        ("editor", {"read", "letters"}),
        ("admin", {"send", "read", "letters", "keys"}),
    ],
)
def test_roles(app: InProcess, role: str, allowed: set[str]) -> None:
    key = app.make_key(tenant="a", roles=[role])
    answers = {
        "send": app.send(event("j"), key=key),
        "read": app.get("/api/v1/namespaces", key=key),
        "letters": app.get("/api/v2/dead-letters", key=key),
        "keys": app.get("/api/v2/keys", key=key),
    }
    for what, answer in answers.items():
        assert answer.status_code in (200, 201) if what in allowed else refused(answer, 403, "forbidden"), what


def test_a_tenant_is_named_by_who_has_none(app: InProcess) -> None:
    writer = app.make_key(tenant="b", source="SPARK")
    assert app.send(event("only-b"), key=writer).status_code == 201
    show = "/api/v2/show?name=job:tests:only-b"
    refused(app.get(show), 400, "bad_question")
    assert app.get(f"{show}&tenant=b").status_code == 200
    assert app.get(show, headers={"x-headwater-tenant": "b"}).status_code == 200
    refused(app.get(f"{show}&tenant=a"), 404, "not_found")
    refused(app.get(f"{show}&tenant=nobody"), 403, "unknown_tenant")
    own = app.make_key(tenant="a", roles=["reader"])
    refused(app.get(f"{show}&tenant=b", key=own), 403, "other_tenant")
    refused(app.get(show, key=own, headers={"x-headwater-tenant": "b"}), 403, "other_tenant")
    assert app.get("/api/v1/namespaces?tenant=a", key=own).status_code == 200


def test_the_header_counts_before_the_query(app: InProcess) -> None:
    """Of two keys and of two tenants, so that a link cannot change whose data a request is about."""
    app.send(event("only-b"), key=app.make_key(tenant="b"))
    reader, other = app.make_key(tenant="b", roles=["reader"]), app.make_key(tenant="a", roles=["reader"])
    show = "/api/v2/show?name=job:tests:only-b"
    assert app.get(f"{show}&api_key={other}", key=reader).status_code == 200
    refused(app.get(f"{show}&api_key={reader}", key=other), 404, "not_found")
    assert app.get(f"{show}&tenant=a", headers={"x-headwater-tenant": "b"}).status_code == 200
    refused(app.get(f"{show}&tenant=b", headers={"x-headwater-tenant": "a"}), 404, "not_found")


def test_a_refusal_says_which_roles_there_are(app: InProcess) -> None:
    key = app.make_key(tenant="a", roles=["reader", "writer"])
    answer = app.get("/api/v2/keys", key=key)
    refused(answer, 403, "forbidden")
    assert "needs the role admin; the credential has reader, writer." in answer.json()["message"]


def test_revoke_expire_and_rotate(app: InProcess) -> None:
    key = app.make_key(tenant="a")
    key_id = key.split("_")[1]
    assert app.send(event("j"), key=key).status_code == 201
    rotated = app.post(f"/api/v2/keys/{key_id}/rotate", json={"grace": 3600}).json()
    assert rotated["key"] != key
    assert rotated["tenant"] == "a"
    for text in (key, rotated["key"]):
        assert app.send(event("j"), key=text).status_code == 201
    assert app.post(f"/api/v2/keys/{key_id}/revoke").json()["state"] == "REVOKED"
    refused(app.send(event("j"), key=key), 401, "invalid_key")
    refused(app.post(f"/api/v2/keys/{key_id}/rotate"), 400, "bad_question")
    again = app.post(f"/api/v2/keys/{rotated['id']}/rotate").json()  # no grace: the old one is over at once
    refused(app.send(event("j"), key=rotated["key"]), 401, "invalid_key")
    assert app.send(event("j"), key=again["key"]).status_code == 201
    listed = app.get("/api/v2/keys?tenant=a").json()["keys"]
    assert [found["state"] for found in listed] == ["REVOKED", "EXPIRED", "ACTIVE"]
    assert not any("key" in found or "hash" in found for found in listed)
    assert listed[0]["last_used_at"]


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("keys", {"source": "COBOL"}, "$.source"),
        ("keys", {"roles": []}, "$.roles"),
        ("keys", {"roles": ["king"]}, "$.roles"),
        ("keys", {"tenant": "nobody"}, "$.tenant"),
        ("keys", {"expires_in": 0}, "$.expires_in"),
        ("keys", {"colour": 1}, "$"),
        ("tenants", {}, "$"),
        ("tenants", {"code": "a b"}, "$.code"),
        ("tenants", {"code": "x", "id": 0}, "$.id"),
    ],
)
def test_wrong_bodies(app: InProcess, path: str, body: dict, place: str) -> None:
    answer = app.post(f"/api/v2/{path}", json=body)
    assert refused(answer, 400, "bad_question")
    assert answer.json()["path"] == place


def test_tenants_are_made_and_switched_by_operators(app: InProcess) -> None:
    assert app.post("/api/v2/tenants", json={"code": "c", "name": "Sea"}).json()["id"] == 9
    refused(app.post("/api/v2/tenants", json={"code": "c"}), 409, "tenant_exists")
    refused(app.post("/api/v2/tenants", json={"code": "d", "id": 7}), 409, "tenant_exists")
    refused(app.get("/api/v2/tenants/nobody"), 404, "not_found")
    admin, reader = app.make_key(tenant="a", roles=["admin"]), app.make_key(tenant="a", roles=["reader"])
    refused(app.post("/api/v2/tenants", key=admin, json={"code": "e"}), 403, "forbidden")
    refused(app.post("/api/v2/tenants/a/disable", key=admin), 403, "forbidden")
    assert app.post("/api/v2/tenants/a/disable").json()["state"] == "DISABLED"
    refused(app.get("/api/v1/namespaces", key=reader), 403, "tenant_disabled")
    assert app.get("/api/v1/namespaces?tenant=a").status_code == 200  # an operator may still look
    app.post("/api/v2/tenants/a/enable")
    assert app.get("/api/v1/namespaces", key=reader).status_code == 200


# --- a gateway -----------------------------------------------------------------------------------------------------


@pytest.fixture
def vouched(tmp_path: Path) -> Iterator[tuple[InProcess, Signer]]:
    signer = Signer()
    file = publish(tmp_path / "keys.toml", signer)
    with InProcess(tmp_path, gateway_keys=str(file), gateway_issuer=ISSUER) as started:
        claims = {"roles": ["ADMIN"]}
        for code, number in (("a", 7), ("b", 8)):
            body = f'{{"code": "{code}", "id": {number}}}'.encode()
            token = signer.sign("POST", "/api/v2/tenants", body, **claims)
            made = started.post("/api/v2/tenants", headers={"x-gateway-assertion": token}, content=body)
            assert made.status_code == 201, made.text
        yield started, signer


def test_a_gateway_vouches(vouched: tuple[InProcess, Signer]) -> None:
    app, signer = vouched
    path, body = "/api/v1/lineage", event("j")
    refused(app.send(body), 401, "unauthenticated")
    token = signer.sign("POST", path, body, tenantId=7, tenantCode="a", source="SPARK")
    assert app.send(body, headers={"x-gateway-assertion": token}).status_code == 201
    refused(app.send(body, headers={"x-gateway-assertion": token}), 401, "replayed_assertion")
    other = signer.sign("POST", path, body, tenantId=7)
    refused(app.send(event("k"), headers={"x-gateway-assertion": other}), 401, "invalid_assertion")
    elsewhere = signer.sign("POST", path, body, tenantId=7)
    refused(
        app.post("/api/openlineage", content=body, headers={"x-gateway-assertion": elsewhere}), 401, "invalid_assertion"
    )
    show = signer.sign("GET", "/api/v2/show", tenantCode="a")
    assert app.get("/api/v2/show?name=job:tests:j", headers={"x-gateway-assertion": show}).status_code == 200
    foreign = signer.sign("GET", "/api/v2/show", tenantCode="b")
    refused(app.get("/api/v2/show?name=job:tests:j", headers={"x-gateway-assertion": foreign}), 404, "not_found")


@pytest.mark.parametrize(
    ("claims", "status", "error"),
    [
        ({"tenantId": 70}, 403, "unknown_tenant"),
        ({"tenantId": 7, "tenantCode": "b"}, 409, "tenant_conflict"),
        ({"tenantId": 7, "roles": ["reader"]}, 403, "forbidden"),
        ({"tenantId": 7, "roles": []}, 403, "forbidden"),
        ({"source": "COBOL"}, 401, "invalid_assertion"),
        ({}, 403, "no_tenant"),
    ],
)
def test_what_a_gateway_cannot_say(vouched: tuple[InProcess, Signer], claims: dict, status: int, error: str) -> None:
    app, signer = vouched
    body = event("j")
    token = signer.sign("POST", "/api/v1/lineage", body, **claims)
    refused(app.send(body, headers={"x-gateway-assertion": token}), status, error)


@pytest.mark.parametrize("claims", [{"tenantId": 70}, {"tenantCode": "later"}, {"tenantId": 70, "tenantCode": "later"}])
def test_events_for_a_tenant_that_is_made_later(vouched: tuple[InProcess, Signer], claims: dict) -> None:
    """Kept as they were sent, one dead letter each, and taken by a retry once the tenant is there."""
    app, signer = vouched

    def call(method: str, path: str, body: bytes = b"", query: str = "", **claims: object) -> httpx.Response:
        token = signer.sign(method, path, body, **claims)
        return app.ask(method, path + query, headers={"x-gateway-assertion": token}, content=body)

    operator = {"roles": ["admin"]}
    refused(call("POST", "/api/v1/lineage", event("one"), **claims, source="SPARK"), 403, "unknown_tenant")
    batch = b"[" + event("two") + b"," + event("three") + b"]"
    refused(call("POST", "/api/v1/lineage/batch", batch, **claims, source="SPARK"), 403, "unknown_tenant")
    reader = {"roles": ["reader"], **claims}
    refused(call("POST", "/api/v1/lineage", event("four"), **reader), 403, "unknown_tenant")
    listed = call("GET", "/api/v2/dead-letters", **operator).json()
    assert (listed["total"], {letter["tenant"] for letter in listed["dead_letters"]}) == (3, {None})
    assert {letter["reason"] for letter in listed["dead_letters"]} == {"unknown_tenant"}
    assert call("POST", "/api/v2/dead-letters/retry", **operator).json() == {"taken": 0, "refused": 3}
    assert call("POST", "/api/v2/tenants", b'{"code": "later", "id": 70}', **operator).status_code == 201
    assert call("POST", "/api/v2/dead-letters/retry", **operator).json() == {"taken": 3, "refused": 0}
    for name in ("one", "two", "three"):
        shown = call("GET", "/api/v2/show", query=f"?name=job:tests:{name}", tenantId=70)
        assert shown.status_code == 200


def test_events_for_a_disabled_tenant(vouched: tuple[InProcess, Signer]) -> None:
    app, signer = vouched
    token = signer.sign("POST", "/api/v2/tenants/a/disable", roles=["admin"])
    app.post("/api/v2/tenants/a/disable", headers={"x-gateway-assertion": token})
    body = event("j")
    token = signer.sign("POST", "/api/v1/lineage", body, tenantId=7, source="SPARK")
    refused(app.send(body, headers={"x-gateway-assertion": token}), 403, "tenant_disabled")
    token = signer.sign("GET", "/api/v2/dead-letters", roles=["admin"])
    (letter,) = app.get("/api/v2/dead-letters", headers={"x-gateway-assertion": token}).json()["dead_letters"]
    assert (letter["tenant"], letter["reason"]) == ("a", "tenant_disabled")
