"""The client of the command line, against a server that answers badly."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

from headwater.cli.client.server import ServerError, get_json, server_of


class Odd(BaseHTTPRequestHandler):
    seen: ClassVar[list[tuple[str, str | None]]] = []
    answers: ClassVar[dict[str, tuple[int, bytes]]] = {
        "/good": (200, b'{"a": 1}'),
        "/page": (200, b"<html>"),
        "/refused": (400, json.dumps({"message": "No.", "path": "?x", "hint": "Try y."}).encode()),
        "/array": (500, b"[]"),
        "/key": (401, b""),
    }

    def do_GET(self) -> None:
        Odd.seen.append((self.path, self.headers.get("authorization")))
        status, body = self.answers[self.path.partition("?")[0]]
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def odd() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Odd) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_parameters_and_key(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_API_KEY", "hw_x_y")
    assert get_json(odd + "/", "/good", {"name": "a b", "none": None, "kind": ["x", "y"]}) == {"a": 1}
    assert Odd.seen[-1] == ("/good?name=a+b&kind=x&kind=y", "Bearer hw_x_y")


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("/page", "did not answer with JSON", "Headwater server"),
        ("/refused", "No.", "Try y."),
        ("/array", "answered 500", None),
        ("/key", "answered 401", "HEADWATER_API_KEY"),
    ],
)
def test_errors(odd: str, path: str, message: str, hint: str | None) -> None:
    with pytest.raises(ServerError) as refused:
        get_json(odd, path)
    assert message in refused.value.message
    assert (hint or "") in (refused.value.hint or "")


def test_nobody_there() -> None:
    with pytest.raises(ServerError, match="does not answer"):
        get_json("http://127.0.0.1:1", "/")
    with pytest.raises(ServerError, match="not the address"):
        get_json("ftp://x", "/")


def test_which_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_URL", "http://env")
    assert server_of(None, None) == "http://env"
    assert server_of("http://flag", "folder") == "http://flag"
    assert server_of(None, "folder") is None
