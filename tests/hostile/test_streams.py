"""Clients that leave, or stop reading, while a long answer is sent: all that the answer held is given back."""

from __future__ import annotations

import inspect
import json
import re
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

import headwater
from headwater.api.routes import ROUTES
from tests.api.test_ingest import event
from tests.server import Server
from tests.waiting import until

STREAMING = [route.path for route in ROUTES if "Streamed(" in inspect.getsource(inspect.unwrap(route.endpoint))]
"""A route that is added is tested with the others."""
POOL = 15
"""Connections for questions."""
pytestmark = pytest.mark.alone


def large(number: int) -> bytes:
    """An event of which half a megabyte is kept."""
    fields = [{"name": f"c{place}", "type": "string", "description": f"{number:03}" * 40} for place in range(2000)]
    facets = {"schema": {"_producer": "https://tests", "_schemaURL": "https://tests", "fields": fields}}
    return json.dumps(
        json.loads(event(f"job-{number}"))
        | {"outputs": [{"namespace": "tests", "name": f"o{number}", "facets": facets}]}
    ).encode()


class Client:
    """A connection on which the first bytes of an answer were read, and no more."""

    def __init__(self, server: Server, path: str) -> None:
        parts = urlsplit(server.url)
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(60)
        self.socket.connect((parts.hostname, parts.port))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        self.status = int(self.socket.recv(100).split()[1])

    def reset(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def rest(self) -> bytes:
        """What else comes until the connection ends."""
        found = b""
        with self.socket, suppress(ConnectionError):
            while piece := self.socket.recv(1 << 20):
                found += piece
        return found


def in_use(server: Server) -> int:
    return server.get("/health/status").json()["pools"]["questions"]["in_use"]


def sockets(server: Server) -> int:
    found = 0
    for descriptor in Path(f"/proc/{server.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found += str(descriptor.readlink()).startswith("socket:")
    return found


def fill(server: Server) -> Server:
    server.send_all(large(number) for number in range(30))
    return server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    environment = {"HEADWATER_STALL_SECONDS": "2"}
    with Server(tmp_path_factory.mktemp("data"), "--query-processes", "0", environment=environment) as started:
        yield fill(started)


def test_streamed_answers_are_all_of_one_kind() -> None:
    """One class knows how to give back; Starlette's own do not."""
    assert "/api/v2/dump" in STREAMING
    source = Path(headwater.__file__).parent
    others = [
        path.name for path in source.rglob("*.py") if re.search(r"StreamingResponse|FileResponse", path.read_text())
    ]
    assert others == []


@pytest.mark.parametrize("path", STREAMING)
@pytest.mark.parametrize("is_reset", [True, False])
def test_clients_that_leave(server: Server, path: str, is_reset: bool) -> None:
    before = sockets(server)
    for _ in range(POOL + 5):
        client = Client(server, path)
        assert client.status == 200
        client.reset() if is_reset else client.socket.close()
        until(lambda: in_use(server) == 0)
    until(lambda: sockets(server) <= before)
    whole = server.get(path)
    assert (whole.status_code, len(whole.content) > 10_000_000) == (200, True)


@pytest.mark.parametrize("path", STREAMING)
def test_clients_that_stop_reading(server: Server, path: str) -> None:
    """Two at once of a tenant, no more; they are cut after the time-out."""
    before = sockets(server)
    stalled = [Client(server, path) for _ in range(2)]
    refused = server.get(path)
    assert (refused.status_code, refused.json()["error"]) == (429, "rate_limited")
    assert int(refused.headers["retry-after"]) > 0
    assert server.get("/api/v1/namespaces").status_code == 200
    until(lambda: in_use(server) == 0)
    until(lambda: sockets(server) <= before)
    for client in stalled:
        assert not client.rest().endswith(b"\r\n0\r\n\r\n"), "what was cut must not look complete"
    assert "stopped reading" in server.log()
    assert server.get(path).status_code == 200


@pytest.mark.parametrize("path", STREAMING)
def test_slow_clients_are_served(server: Server, path: str) -> None:
    """Who takes longer than the time-out in all, but never stops, gets everything."""
    began, size = time.monotonic(), 0
    with httpx.stream("GET", f"{server.url}{path}", timeout=60) as answer:
        for piece in answer.iter_raw(1 << 20):
            size += len(piece)
            time.sleep(0.3)
    assert size > 10_000_000
    assert time.monotonic() - began > 3


@pytest.mark.parametrize("path", STREAMING)
def test_only_the_head_is_asked_for(server: Server, path: str) -> None:
    answer = httpx.head(f"{server.url}{path}", timeout=60)
    assert (answer.status_code, answer.content) == (200, b"")
    assert "content-length" not in answer.headers


def test_answers_of_other_kinds_stall_too(server: Server) -> None:
    """One that was made at once, and is longer than what the kernel takes."""
    logged = server.log()
    client = Client(server, "/api/v1/events/lineage?limit=100")
    assert client.status == 200
    held = sockets(server)  # that of the client among them
    until(lambda: "stopped reading" in server.log()[len(logged) :])
    until(lambda: sockets(server) < held)
    assert len(client.rest()) < 10_000_000


@pytest.mark.parametrize("path", STREAMING)
def test_the_server_stops_meanwhile(tmp_path: Path, path: str) -> None:
    with Server(tmp_path, "--query-processes", "0") as server:
        clients = [Client(fill(server), path) for _ in range(2)]
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 20, "it does not wait until they have stalled for long enough"
        assert "Traceback" not in server.log()
        for client in clients:
            client.socket.close()
