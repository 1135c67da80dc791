"""The files of the web page as a browser gets them, from a folder that this test fills."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest

from headwater.api.web import Web

INDEX = b"<!doctype html><title>Headwater</title>"


@pytest.fixture
def web(tmp_path: Path) -> Web:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_bytes(INDEX)
    (tmp_path / "index.html.gz").write_bytes(gzip.compress(INDEX))
    (tmp_path / "assets" / "main-abc123.js").write_bytes(b"start()")
    (tmp_path / "icon.svg").write_bytes(b"<svg/>")
    return Web(tmp_path)


def ask(web: Web, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes] | None:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"method": method, "path": path, "headers": pairs}
    file = web.find(scope)
    if file is None:
        return None
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(web.answer(file, scope, send))
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], head, sent[1]["body"]


def got(answer: tuple[int, dict[str, str], bytes] | None) -> tuple[int, dict[str, str], bytes]:
    assert answer is not None
    return answer


@pytest.mark.parametrize("path", ["/", "/datasets", "/dataset", "/documents", "/no/such/page"])
def test_every_path_of_a_page_is_the_page_for_a_browser_only(web: Web, path: str) -> None:
    status, head, body = got(ask(web, path, accept="text/html,*/*;q=0.8"))
    assert (status, head["content-type"], body) == (200, "text/html; charset=utf-8", INDEX)
    assert ask(web, path, accept="application/json") is None
    assert ask(web, path) is None


@pytest.mark.parametrize(
    "path", ["/api/v2/nothing", "/metrics", "/docs", "/openapi.json", "/health/live", "/assets/old-1.js"]
)
def test_paths_of_the_api_are_never_the_page(web: Web, path: str) -> None:
    assert ask(web, path, accept="text/html") is None


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_only_reading(web: Web, method: str) -> None:
    assert ask(web, "/", method, accept="text/html") is None


def test_what_has_a_digest_is_kept_for_ever_and_the_rest_is_asked_for_again(web: Web) -> None:
    _, head, body = got(ask(web, "/assets/main-abc123.js"))
    assert (body, head["cache-control"]) == (b"start()", "public, max-age=31536000, immutable")
    assert head["content-type"] == "text/javascript; charset=utf-8"
    _, head, _ = got(ask(web, "/", accept="text/html"))
    assert head["cache-control"] == "no-cache"
    status, _, body = got(ask(web, "/", accept="text/html", if_none_match=f'"other", W/{head["etag"]}'))
    assert (status, body) == (304, b"")
    assert got(ask(web, "/", accept="text/html", if_none_match='"other"'))[0] == 200


def test_packed_for_those_who_take_it(web: Web) -> None:
    _, head, body = got(ask(web, "/", accept="text/html", accept_encoding="br, gzip"))
    assert head["content-encoding"] == "gzip"  # there is no brotli of it in this folder
    assert gzip.decompress(body) == INDEX
    for refusing in ("identity", "gzip;q=0", ""):
        _, head, body = got(ask(web, "/", accept="text/html", accept_encoding=refusing))
        assert "content-encoding" not in head
        assert body == INDEX


def test_head_tells_the_length_and_sends_nothing(web: Web) -> None:
    status, head, body = got(ask(web, "/icon.svg", "HEAD"))
    assert (status, head["content-length"], body) == (200, "6", b"")


def test_no_script_or_style_but_our_own(web: Web) -> None:
    policy = got(ask(web, "/", accept="text/html"))[1]["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/../secret", "/assets/../../secret", "/index.html.gz"])
def test_only_files_of_the_page(web: Web, path: str) -> None:
    found = ask(web, path)
    assert found is None


def test_a_page_that_was_not_built(tmp_path: Path) -> None:
    web = Web(tmp_path / "nothing")
    assert not web.is_built
    assert ask(web, "/", accept="text/html") is None
