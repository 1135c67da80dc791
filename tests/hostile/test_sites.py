"""Pages of other sites, in the browser of somebody who runs Headwater without keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.test_ingest import event
from tests.application import InProcess
from tests.hostile.wire import connected, read_answer
from tests.server import Server

LINEAGE = "/api/v1/lineage"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    settings: dict[str, Any] = {"hosts": "headwater, *.lineage.svc", "origins": "https://catalog.example"}
    with InProcess(tmp_path_factory.mktemp("data"), **settings) as started:
        yield started


def asked(app: InProcess, method: str = "GET", path: str = "/api/v1/namespaces", **headers: str) -> tuple[int, str]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = app.ask(method, path, headers=sent, content=event("j") if method == "POST" else None)
    return answer.status_code, answer.json().get("error", "") if answer.content else ""


GOOD = ["localhost", "LOCALHOST:8580", "a.localhost", "127.0.0.1:8580", "10.1.2.3", "[::1]:8580", "[2001:db8::1]"]
GOOD += ["headwater:8580", "a.b.lineage.svc", "host.docker.internal:8580", "localhost."]
BAD = ["evil.example", "evil.example:8580", "127.0.0.1.evil.example", "localhost.evil.example", "lineage.svc", "[x]"]
BAD += ["headwater.evil.example", "1.2.3", "127.0.0.1x", "evil.example:127.0.0.1", "x" * 5000]


@pytest.mark.parametrize("host", GOOD)
def test_names_of_this_server(app: InProcess, host: str) -> None:
    assert asked(app, host=host)[0] == 200
    assert asked(app, "POST", LINEAGE, host=host)[0] == 201


@pytest.mark.parametrize("host", BAD)
def test_names_that_were_made_to_lead_here(app: InProcess, host: str) -> None:
    for method, path in (
        ("GET", "/api/v1/namespaces"),
        ("POST", LINEAGE),
        ("POST", f"{LINEAGE}/batch"),
        ("POST", "/"),
        ("POST", "/api/v2/keys"),
        ("GET", "/api/v2/dump"),
        ("GET", "/metrics"),
        ("GET", "/docs"),
        ("GET", "/nothing"),
    ):
        assert asked(app, method, path, host=host) == (403, "foreign_host")
    assert asked(app, path="/health/live", host=host)[0] == asked(app, path="/health/ready", host=host)[0] == 200


@pytest.mark.parametrize(
    ("headers", "get", "post"),
    [
        ({"origin": "http://localhost"}, 200, 201),
        ({"origin": "https://catalog.example"}, 200, 201),
        ({"origin": "https://catalog.example", "sec_fetch_site": "cross-site"}, 200, 201),
        ({"sec_fetch_site": "none"}, 200, 201),
        ({"origin": "http://localhost", "sec_fetch_site": "same-origin"}, 200, 201),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}, 200, 403),
        ({"origin": "https://evil.example"}, 403, 403),
        ({"origin": "null"}, 403, 403),
        ({"origin": ""}, 403, 403),
        ({"origin": "http://localhost:3000"}, 403, 403),
        ({"origin": "http://localhost.evil.example"}, 403, 403),
        ({"origin": "https://catalog.example.evil.example"}, 403, 403),
        ({"origin": "https://evil.example", "content_type": "text/plain"}, 403, 403),
        ({"sec_fetch_site": "cross-site"}, 403, 403),
        ({"sec_fetch_site": "same-site"}, 403, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors", "sec_fetch_dest": "script"}, 403, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "iframe"}, 403, 403),
    ],
)
def test_pages_of_other_sites(app: InProcess, headers: dict[str, str], get: int, post: int) -> None:
    assert asked(app, **headers)[0] == get
    assert asked(app, "POST", LINEAGE, **headers)[0] == post
    if get == 403:
        assert asked(app, **headers)[1] == "foreign_site"
        assert asked(app, "POST", "/api/v2/keys", **headers) == (403, "foreign_site")
        assert asked(app, "POST", f"{LINEAGE}/batch", **headers) == (403, "foreign_site")


def test_with_keys_nobody_minds(tmp_path: Path) -> None:
    """A page has no key, and whoever has one may call the server what they like."""
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"])
        path = "/api/v1/namespaces?tenant=default"
        assert asked(app, path=path, host="evil.example", origin="https://evil.example")[0] == 200
        assert app.get("/api/v1/namespaces", key="", headers={"host": "evil.example"}).status_code == 401


def test_any_name_and_any_page(tmp_path: Path) -> None:
    with InProcess(tmp_path, hosts="*", origins="*") as app:
        assert asked(app, host="evil.example", origin="https://evil.example", sec_fetch_site="cross-site")[0] == 200


def test_by_the_short_way(server: Server) -> None:
    """And by the long one; a second time, when it is known that nobody has to authenticate."""
    head = "POST /api/v1/lineage HTTP/1.1\r\ncontent-length: %d\r\n%s\r\n"
    for name, lines, status in (
        ("a", "", 201),
        ("b", "host: localhost\r\n", 201),
        ("c", "host: evil.example\r\n", 403),
        ("d", "host: localhost\r\norigin: https://evil.example\r\ncontent-type: text/plain\r\n", 403),
        ("e", "host: localhost\r\nsec-fetch-site: cross-site\r\n", 403),
        ("f", "host: evil.example\r\ncontent-encoding: identity\r\n", 403),
    ):
        body = event(f"short_{name}")
        with connected(server) as connection:
            for _ in range(2):
                connection.sendall((head % (len(body), lines)).encode() + body)
                assert read_answer(connection)[0] == status
    names = {job["name"] for job in server.get("/api/v1/jobs").json()["jobs"]}
    assert names == {"short_a", "short_b"}


EVERY = {"x-content-type-options", "x-frame-options", "referrer-policy", "content-security-policy", "cache-control"}
EVERY |= {"cross-origin-resource-policy", "cross-origin-opener-policy"}


def test_security_headers_on_every_answer(server: Server) -> None:
    answers = [server.post(event("headers")), server.post(b"no event"), server.post(b"[]", "/api/v1/lineage/batch")]
    paths = (
        "/",
        "/docs",
        "/openapi.json",
        "/health/live",
        "/metrics",
        "/api/v2/dump",
        "/api/v1/namespaces",
        "/nothing",
    )
    answers += [server.get(path) for path in paths]
    answers += [server.get("/api/v2/lineage"), httpx.delete(f"{server.url}/api/v2/lineage"), httpx.head(server.url)]
    answers += [httpx.get(server.url, headers={"x": "a" * 40_000}), httpx.get(server.url, headers={"host": "evil"})]
    assert {answer.status_code for answer in answers} >= {200, 201, 400, 403, 404, 405, 431}
    for answer in answers:
        assert EVERY - set(answer.headers) == set(), (answer.request.url, answer.status_code)
        assert answer.headers.get_list("cache-control") == ["no-store"]
    with connected(server) as connection:
        connection.sendall(b"nonsense\r\n\r\n")
        assert b"x-content-type-options: nosniff" in read_answer(connection)[1]
