"""Signing in with a key: a cookie, what it allows, and everything that ends it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from headwater.api.authentication.authorize import needed_role
from headwater.store.tables import browser_sessions
from tests.access.assertions import ISSUER, Signer, publish
from tests.api.authentication.test_authorize import refused
from tests.api.test_ingest import event
from tests.application import InProcess
from tests.server import Server

OURS = {"origin": "http://localhost"}
SESSION = "/api/v2/session"
FRESH = 3.0


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as started:
        started.key = started.make_key(roles=["admin"], name="operator")
        started.make_tenant("a", 7)
        started.make_tenant("b", 8)
        yield started


def sign_in(app: InProcess, key: str, **headers: str) -> httpx.Response:
    return app.post(SESSION, key="", json={"key": key}, headers={**OURS, **headers})


def cookie_of(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 204, answer.text
    name, value = answer.headers["set-cookie"].split(";")[0].split("=", 1)
    return {"cookie": f"theme=dark; {name}={value}"}


def ask(app: InProcess, method: str, path: str, cookie: dict[str, str], **more) -> httpx.Response:
    headers = {**cookie, **(OURS if method not in ("GET", "HEAD") else {}), **more.pop("headers", {})}
    return app.ask(method, path, key="", headers=headers, **more)


def who(app: InProcess, cookie: dict[str, str], **more) -> dict:
    return ask(app, "GET", SESSION, cookie, **more).json()


def test_the_cookie_and_what_it_tells(app: InProcess) -> None:
    key = app.make_key(tenant="a", roles=["editor"], name="night shift")
    answer = sign_in(app, key)
    morsel = SimpleCookie(answer.headers["set-cookie"])["headwater_session"]
    assert (morsel["httponly"], morsel["samesite"], morsel["secure"], morsel["path"]) == (True, "Strict", "", "/")
    assert int(morsel["max-age"]) == 43_200
    assert key.split("_", 2)[2] not in answer.headers["set-cookie"]
    assert answer.content == b""
    told = who(app, cookie_of(answer))
    assert told.pop("version")
    assert told == {
        "mode": "key",
        "user": "night shift",
        "roles": ["editor", "reader"],
        "tenant": {"code": "a", "name": "a"},
        "tenants": [{"code": "a", "name": "a"}],
        "features": ["metrics", "pipeline"],
    }


def test_an_operator_chooses_the_tenant(app: InProcess) -> None:
    cookie = cookie_of(sign_in(app, str(app.key)))
    told = who(app, cookie)
    assert told["tenant"] is None
    assert [tenant["code"] for tenant in told["tenants"]] == ["a", "b", "default"]
    assert "admin" in told["roles"]
    assert who(app, cookie, headers={"x-headwater-tenant": "b"})["tenant"]["code"] == "b"
    refused(ask(app, "GET", f"{SESSION}?tenant=nobody", cookie), 403, "unknown_tenant")
    app.post("/api/v2/tenants/b/disable")
    assert [tenant["code"] for tenant in who(app, cookie)["tenants"]] == ["a", "default"]


def test_without_a_session_nobody_is_signed_in(app: InProcess) -> None:
    for headers in ({}, {"cookie": "theme=dark"}, {"cookie": "headwater_session=nonsense"}):
        answer = app.get(SESSION, key="", headers=headers)
        told = answer.json()
        assert (told["mode"], told["roles"], told["tenant"], told["tenants"]) == ("anonymous", [], None, [])
        is_cleared = any("Max-Age=0" in value for value in answer.headers.get_list("set-cookie"))
        assert is_cleared == ("headwater_session" in headers.get("cookie", ""))
    refused(app.get("/api/v2/datasets", key="", headers={"cookie": "headwater_session=x"}), 401, "session_ended")
    refused(app.get(SESSION, key="hw_x_y"), 401, "invalid_key")
    assert app.get(SESSION).json()["mode"] == "key"


def test_single_user_is_asked_for_nothing(tmp_path: Path) -> None:
    with InProcess(tmp_path) as alone:
        told = alone.get(SESSION).json()
        assert (told["mode"], told["tenant"]["code"]) == ("single_user", "default")
        assert told["roles"] == ["admin", "editor", "monitor", "reader", "writer"]
        answer = alone.post(SESSION, json={"key": "anything"})
        assert (answer.status_code, "set-cookie" in answer.headers) == (204, False)


def test_roles_and_tenants_hold_as_with_the_key(app: InProcess) -> None:
    reader = cookie_of(sign_in(app, app.make_key(tenant="a", roles=["reader"])))
    writer = app.make_key(tenant="b")
    assert app.send(event("secret-of-b"), key=writer).status_code == 201
    assert ask(app, "GET", "/api/v2/jobs", reader).json()["items"] == []
    refused(ask(app, "GET", "/api/v2/show?name=job:tests:secret-of-b", reader), 404, "not_found")
    refused(ask(app, "GET", "/api/v2/jobs?tenant=b", reader), 403, "other_tenant")
    refused(ask(app, "POST", "/api/v2/tag", reader, json={"name": "x", "add": ["y"]}), 403, "forbidden")
    refused(ask(app, "GET", "/api/v2/keys", reader), 403, "forbidden")
    refused(ask(app, "GET", "/api/v2/dead-letters", reader), 403, "forbidden")
    admin = cookie_of(sign_in(app, app.make_key(tenant="a", roles=["admin"], name="chief")))
    assert ask(app, "GET", "/api/v2/keys", admin).status_code == 200
    refused(ask(app, "POST", "/api/v2/tenants", admin, json={"code": "c"}), 403, "forbidden")


def test_events_are_not_taken_with_a_cookie(app: InProcess) -> None:
    cookie = cookie_of(sign_in(app, app.make_key(tenant="a", roles=["writer", "reader"])))
    refused(ask(app, "POST", "/api/v1/lineage", cookie, content=event("j")), 401, "unauthenticated")


@pytest.mark.parametrize("end", ["revoke", "rotate", "expire", "sign out"])
def test_what_ends_a_session(app: InProcess, end: str) -> None:
    key = app.make_key(tenant="a", roles=["reader"], **({"expires_in": 5} if end == "expire" else {}))
    cookie, other = cookie_of(sign_in(app, key)), cookie_of(sign_in(app, key))
    assert ask(app, "GET", "/api/v2/jobs", cookie).status_code == 200
    if end == "expire":
        time.sleep(5.1)
    elif end == "sign out":
        refused(ask(app, "DELETE", SESSION, cookie, headers={"origin": "https://a.example"}), 403, "foreign_site")
        answer = ask(app, "DELETE", SESSION, cookie)
        assert answer.status_code == 204
        assert len([value for value in answer.headers.get_list("set-cookie") if "Max-Age=0" in value]) == 2
        assert ask(app, "GET", "/api/v2/jobs", other).status_code == 200
    else:
        app.post(f"/api/v2/keys/{key.split('_')[1]}/{end}")
    refused(ask(app, "GET", "/api/v2/jobs", cookie), 401, "session_ended")
    assert who(app, cookie)["mode"] == "anonymous"


def test_a_rotated_key_in_its_grace_keeps_its_sessions(app: InProcess) -> None:
    key = app.make_key(tenant="a", roles=["reader"])
    cookie = cookie_of(sign_in(app, key))
    app.post(f"/api/v2/keys/{key.split('_')[1]}/rotate", json={"grace": 600})
    assert ask(app, "GET", "/api/v2/jobs", cookie).status_code == 200


def test_a_session_expires_by_itself(app: InProcess) -> None:
    cookie = cookie_of(sign_in(app, app.make_key(tenant="a", roles=["reader"])))
    with app.store.engine.begin() as connection:
        connection.execute(browser_sessions.update().values(expires_at=time.time_ns() // 1000 - 1))
    refused(ask(app, "GET", "/api/v2/jobs", cookie), 401, "session_ended")
    sign_in(app, str(app.key))
    with app.store.engine.connect() as connection:  # what has expired is forgotten
        assert connection.execute(sa.select(sa.func.count()).select_from(browser_sessions)).scalar_one() == 1


def test_the_sessions_of_a_key_are_bounded(app: InProcess) -> None:
    first = cookie_of(sign_in(app, str(app.key)))
    for _ in range(100):
        sign_in(app, str(app.key))
    with app.store.engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(browser_sessions)).scalar_one() == 100
    refused(ask(app, "GET", "/api/v2/keys", first), 401, "session_ended")


def test_the_token_and_the_key_are_not_in_the_database(app: InProcess) -> None:
    token = cookie_of(sign_in(app, str(app.key)))["cookie"].rpartition("=")[2]
    with app.store.engine.connect() as connection:
        (row,) = connection.execute(sa.select(browser_sessions)).all()
    assert token not in str(row)
    assert token.encode() not in row.token_hash


@pytest.mark.parametrize(
    ("headers", "is_taken"),
    [
        ({}, False),
        ({"origin": "https://elsewhere.example"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "https://elsewhere.example", "sec-fetch-site": "same-origin"}, False),
        ({"origin": "http://localhost"}, True),
        ({"origin": "https://localhost"}, True),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"origin": "https://lineage.example"}, True),
    ],
)
def test_every_write_by_cookie_shows_its_origin(tmp_path: Path, headers: dict[str, str], is_taken: bool) -> None:
    with InProcess(tmp_path, origins="https://lineage.example, *") as app:
        app.key = app.make_key(roles=["admin"], tenant="default")
        cookie = cookie_of(sign_in(app, app.key))
        for method, path, body in (
            ("POST", "/api/v2/keys", {}),
            ("PUT", "/api/v1/namespaces/made", {"ownerName": "me"}),
            ("DELETE", "/api/v2/dead-letters", None),
        ):
            answer = app.ask(method, path, key="", headers={**cookie, **headers}, json=body)
            assert answer.status_code in (200, 201) if is_taken else refused(answer, 403, "foreign_site"), method
        assert app.get("/api/v2/jobs", key="", headers=cookie).status_code == 200
        # A key is no cookie: no page of another site has it.
        assert app.post("/api/v2/keys", json={}, headers={**cookie, "origin": "https://b.example"}).status_code == 201


@pytest.mark.parametrize("headers", [{"origin": "https://b.example"}, {"origin": "", "sec-fetch-site": "cross-site"}])
def test_no_other_site_signs_anybody_in(app: InProcess, headers: dict[str, str]) -> None:
    refused(sign_in(app, str(app.key), **headers), 403, "foreign_site")


def test_wrong_keys_are_limited(app: InProcess) -> None:
    for _ in range(9):
        refused(sign_in(app, "hw_x_y"), 401, "invalid_key")
    for _ in range(5):  # right ones do not count
        assert sign_in(app, str(app.key)).status_code == 204
    refused(sign_in(app, "nonsense"), 401, "invalid_key")
    answer = sign_in(app, str(app.key))
    refused(answer, 429, "rate_limited")
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert app.get("/api/v2/keys").status_code == 200  # who has a key and sends it is not meant


def test_behind_a_proxy_each_address_counts_for_itself_and_the_cookie_is_secure(tmp_path: Path) -> None:
    with InProcess(tmp_path, proxies="127.0.0.1, 10.0.0.0/8") as app:
        app.key = app.make_key(roles=["reader"], tenant="default")
        for _ in range(10):
            refused(sign_in(app, "hw_x_y", **{"x-forwarded-for": "1.1.1.1, 192.0.2.7, 10.0.0.9"}), 401, "invalid_key")
        refused(sign_in(app, app.key, **{"x-forwarded-for": "8.8.8.8, 192.0.2.7"}), 429, "rate_limited")
        answer = sign_in(app, app.key, **{"x-forwarded-for": "192.0.2.8", "x-forwarded-proto": "https"})
        assert answer.headers["set-cookie"].startswith("__Host-headwater_session=")
        assert answer.headers["set-cookie"].endswith("; Secure")
        assert who(app, cookie_of(answer))["mode"] == "key"
        assert "Secure" not in sign_in(app, app.key).headers["set-cookie"]


def test_who_is_no_proxy_cannot_say_that_it_is_encrypted(app: InProcess) -> None:
    answer = sign_in(app, str(app.key), **{"x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.8"})
    assert "Secure" not in answer.headers["set-cookie"]


@pytest.mark.parametrize("body", [b"", b"{}", b"[", b'{"key": 1}', b'{"key": "x", "y": 1}', b'{"key": "' + b"x" * 300])
def test_wrong_bodies(app: InProcess, body: bytes) -> None:
    refused(app.post(SESSION, key="", content=body, headers=OURS), 400, "bad_question")


def test_a_large_body_is_not_kept(app: InProcess) -> None:
    refused(app.post(SESSION, key="", content=b"x" * 5000, headers=OURS), 413, "too_large")


def test_the_document_is_open_and_data_is_not() -> None:
    assert needed_role("/api/v2/session") is None
    assert needed_role("/api/v2/sessions") is not None
    assert needed_role("/api/v2/session/x") is not None
    assert needed_role("/api/v2/datasets") is not None


def test_a_gateway_answers_for_who_comes_through_it(tmp_path: Path) -> None:
    signer = Signer()
    settings = {"gateway_keys": publish(tmp_path / "keys.json", signer), "gateway_issuer": ISSUER}
    with InProcess(tmp_path / "data", **settings) as app:
        token = signer.sign("GET", SESSION, b"", tenantCode="default", roles=["reader"])
        told = app.get(SESSION, headers={"x-gateway-assertion": token}).json()
        assert (told["mode"], told["tenant"]["code"], told["roles"]) == ("gateway", "default", ["reader"])
        refused(app.get(SESSION, headers={"x-gateway-assertion": token}), 401, "replayed_assertion")
        assert app.get(SESSION).json()["mode"] == "anonymous"


def test_on_every_worker_and_after_a_restart(tmp_path: Path) -> None:
    with Server(tmp_path, "--workers", "2") as server:
        key = httpx.post(f"{server.url}/api/v2/keys", json={"roles": ["reader"], "tenant": "default"}).json()["key"]
        time.sleep(FRESH + 0.5)  # until every worker has noticed that there is a key
        cookie = cookie_of(httpx.post(f"{server.url}{SESSION}", json={"key": key}, headers={"origin": server.url}))
        for _ in range(30):  # each by a connection of its own, so by either worker
            assert httpx.get(f"{server.url}/api/v2/jobs", headers=cookie).status_code == 200
    with Server(tmp_path) as server:
        assert httpx.get(f"{server.url}/api/v2/jobs", headers=cookie).status_code == 200
        assert httpx.delete(f"{server.url}{SESSION}", headers={**cookie, "origin": server.url}).status_code == 204
        assert httpx.get(f"{server.url}/api/v2/jobs", headers=cookie).status_code == 401
