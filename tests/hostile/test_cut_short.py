"""Requests of clients that leave in the middle, and bodies that are no JSON: nobody's fault but theirs, so no failure
of the server, in no route, and nothing is worked on for them any longer.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from headwater.api.routes import ROUTES
from tests.application import InProcess
from tests.hostile.test_streams import large
from tests.hostile.wire import connected, head, read_to_the_end
from tests.server import Server
from tests.waiting import until

pytestmark = pytest.mark.alone

QUESTION = "/api/v1/namespaces"


def with_bodies() -> Iterator[tuple[str, str]]:
    """Method and path of every route that may take a body."""
    for route in ROUTES:
        path = route.path.replace("{id:path}", "x")
        for method in sorted((route.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"}):
            yield method, path.replace("{", "").replace("}", "")
    yield "POST", "/api/v1/lineage"
    yield "POST", "/api/v1/lineage/batch"


def failures(server: Server) -> list[str]:
    return [line for line in server.log().splitlines() if "Traceback" in line or "failed" in line]


def test_leaving_in_the_middle_of_a_body(server: Server) -> None:
    """Whether or not the route waits for the body, and with an interim answer on the way."""
    for method, path in with_bodies():
        for more in ("", "expect: 100-continue"):
            with connected(server) as connection:
                lines = [line for line in ("content-length: 500", "content-type: application/json", more) if line]
                connection.sendall(head(*lines, method=method, path=path) + b'{"a": ')
                time.sleep(0.01)
    assert server.get("/health/live").status_code == 200
    time.sleep(0.2)
    assert failures(server) == []


@pytest.mark.parametrize(
    "last",
    [
        b"GET / HTTP/1.1\r\nno-colon\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"POST /api/v1/lineage HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 9\r\ntransfer-encoding: x\r\n\r\n",
        b"",
    ],
)
@pytest.mark.parametrize("first", [f"GET {QUESTION}", "DELETE /nowhere", "GET /", "PUT /api/v1/namespaces/x"])
def test_what_was_sent_without_waiting_and_then_spoilt(server: Server, first: str, last: bytes) -> None:
    """The answers to the requests before are lost with the connection; the one that is worked on is given up."""
    one = f"{first} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n".encode()
    for count in (1, 2, 9):
        with connected(server) as connection, suppress(ConnectionError):
            connection.sendall(one * count + last)
            connection.shutdown(socket.SHUT_WR)
            said = read_to_the_end(connection)
            assert b" 500 " not in said
    time.sleep(0.1)
    assert failures(server) == []


def test_a_refusal_in_the_middle_of_a_body_that_was_waited_for(server: Server) -> None:
    """Its framing breaks while the route reads it; no interim answer follows the refusal."""
    lines = ("expect: 100-continue", "transfer-encoding: chunked")
    for place in ("/api/v1/lineage", "/api/v2/describe"):
        for broken in (b"zz\r\n", b"5\r\nab", b"-1\r\n"):
            with connected(server) as connection, suppress(ConnectionError):
                connection.sendall(head(*lines, path=place) + broken)
                connection.shutdown(socket.SHUT_WR)
                assert read_to_the_end(connection).count(b"HTTP/1.1 100") <= 1
    time.sleep(0.1)
    assert failures(server) == []


def test_leaving_gives_up_the_request_that_others_wait_for(tmp_path: Path) -> None:
    """Of requests sent without waiting for answers the first is worked on: it is given up when its client leaves."""
    with Server(tmp_path, "--query-processes", "0", environment={"HEADWATER_STALL_SECONDS": "300"}) as server:
        asked = b"GET /api/v2/dump HTTP/1.1\r\nhost: localhost\r\n\r\n"
        server.send_all(large(number) for number in range(30))
        for _ in range(6):
            with connected(server) as connection:
                connection.sendall(asked * 2)
                connection.recv(1000)
        until(
            lambda: not server.get("/health/status").json()["pools"]["questions"]["in_use"],
            "what nobody reads is still being made",
            seconds=100,
        )
        assert failures(server) == []


BODIES: dict[str, bytes] = {
    "no UTF-8": b'{"name": "shop.c\xcb", "key": "\xff", "code": "\xc3"}',
    "half a pair": b'{"name": "\\ud800", "key": "\\udfff", "description": "\\ud800"}',
    "deep": b'{"name": ' + b"[" * 100_000,
    "deep and whole": b'{"name": ' + b'{"a":' * 20_000 + b"1" + b"}" * 20_001,
    "another kind": b"[1, 2]",
    "a large number": b'{"name": 1' + b"0" * 5000 + b', "limit": 1e999, "steps": 99999999999999999999}',
    "nothing": b"\x00",
    "a mark": b"\xef\xbb\xbf{}",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("app")) as started:
        yield started


@pytest.mark.parametrize("name", BODIES)
def test_bodies_that_are_no_json(app: InProcess, name: str) -> None:
    answers: dict[str, Any] = {}
    for method, path in with_bodies():
        answer = app.ask(method, path, content=BODIES[name])
        if answer.status_code >= 500:
            answers[f"{method} {path}"] = answer.text
    assert answers == {}
