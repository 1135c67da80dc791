"""Connections that keep a server waiting, and many of them."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from tests.api.test_ingest import event
from tests.hostile.wire import connected, head, read_answer, read_to_the_end
from tests.server import Server
from tests.waiting import until

pytestmark = pytest.mark.alone

SETTINGS = {"HEADER_SECONDS": 1, "KEEP_ALIVE_SECONDS": 3, "BODY_SECONDS": 2, "BODY_RATE": 10_000}
SETTINGS |= {"CONNECTIONS": 30, "ADDRESS_CONNECTIONS": 20}


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with little patience."""
    environment = {f"HEADWATER_{name}": str(value) for name, value in SETTINGS.items()}
    with Server(tmp_path_factory.mktemp("data"), environment=environment) as started:
        yield started


def closed(server: Server, reason: str) -> float:
    found = re.search(rf'headwater_closed_connections_total{{reason="{reason}"}} ([\d.]+)', server.get("/metrics").text)
    return float(found.group(1)) if found else 0.0


def open_connections(server: Server) -> float:
    return float(re.findall(r"^headwater_connections ([\d.]+)", server.get("/metrics").text, re.MULTILINE)[0])


def until_closed(connection: socket.socket) -> tuple[bytes, float]:
    began = time.monotonic()
    return read_to_the_end(connection), time.monotonic() - began


@pytest.mark.parametrize("sent", [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nhost: localhost\r\n"])
def test_a_head_that_does_not_come(hasty: Server, sent: bytes) -> None:
    with connected(hasty) as connection:
        connection.sendall(sent)
        said, seconds = until_closed(connection)
    assert seconds < 15
    assert said.startswith(b"HTTP/1.1 408 ") if sent else said == b""


def test_a_head_that_comes_byte_by_byte(hasty: Server) -> None:
    before = closed(hasty, "slow_head")
    with connected(hasty) as connection:
        began = time.monotonic()
        with suppress(ConnectionError):
            for byte in b"GET /" + b"a" * 195:
                connection.sendall(bytes([byte]))
                time.sleep(0.1)
        assert time.monotonic() - began < 15
    assert closed(hasty, "slow_head") == before + 1


@pytest.mark.parametrize(("length", "slowly"), [(5_000, False), (5_000_000, False), (50_000, True), (5_000_000, True)])
def test_a_body_that_stalls(hasty: Server, length: int, slowly: bool) -> None:
    """By the short way and by the long one."""
    with connected(hasty) as connection:
        connection.sendall(head(f"content-length: {length}") + b'{"a": "' + b"x" * (length // 10))
        began = time.monotonic()
        with suppress(ConnectionError):
            while slowly and time.monotonic() - began < 25:
                connection.sendall(b"x" * 20)
                time.sleep(0.1)
        said = read_to_the_end(connection)
        assert time.monotonic() - began < 20
        assert slowly or said.startswith(b"HTTP/1.1 408 ")
    until(lambda: not hasty.get("/health/status").json()["body_bytes"])  # what it held is given back


def test_a_body_that_is_slow_but_comes(hasty: Server) -> None:
    body = event("slow") + b" " * 60_000
    with connected(hasty) as connection:
        connection.sendall(head(f"content-length: {len(body)}"))
        for start in range(0, len(body), 3_000):
            time.sleep(0.12)
            connection.sendall(body[start : start + 3_000])
        assert read_answer(connection)[0] == 201


def test_an_idle_connection(hasty: Server) -> None:
    """Used again within its time it stays, and is then closed without a word."""
    before = closed(hasty, "idle")
    with connected(hasty) as connection:
        for _ in range(3):
            connection.sendall(head(method="GET", path="/health/live"))
            assert read_answer(connection)[0] == 200
            answered = time.monotonic()
            time.sleep(1.2)
        said = read_to_the_end(connection)
        assert (said, 1.5 < time.monotonic() - answered < 20) == (b"", True)
    assert closed(hasty, "idle") > before


def test_many_connections_of_one_address(hasty: Server) -> None:
    until(lambda: open_connections(hasty) <= 1)  # those of other tests are counted no more
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(connected(hasty))
        with connected(hasty) as one_more:
            status, said, body = read_answer(one_more)
            assert (status, b"\r\nretry-after: 1\r\n" in said, b"proxies" in body) == (503, True, True)
    until(lambda: closed(hasty, "too_many_of_address") >= 1)
    assert hasty.post(event("after")).status_code == 201
    until(lambda: 0 <= open_connections(hasty) < 5)
    assert "connections are closed" in hasty.log()


def test_a_proxy_may_have_many_until_there_are_too_many(tmp_path: Path) -> None:
    settings = {"CONNECTIONS": 30, "ADDRESS_CONNECTIONS": 5, "PROXIES": "10.0.0.0/8, 127.0.0.1"}
    with (
        Server(tmp_path, environment={f"HEADWATER_{name}": str(value) for name, value in settings.items()}) as server,
        ExitStack() as stack,
    ):
        time.sleep(0.1)
        connections = [stack.enter_context(connected(server)) for _ in range(29)]
        for connection in connections[:10]:
            connection.sendall(head(method="GET", path="/health/live"))
            assert read_answer(connection)[0] == 200
        for number in range(5):  # there is room for new ones while others are idle
            assert server.post(event(f"idle-{number}")).status_code == 201
        for connection in connections[10:]:
            connection.sendall(b"GET ")
        busy = []
        for _ in range(20):
            busy.append(stack.enter_context(connected(server)))
            with suppress(ConnectionError):
                busy[-1].sendall(b"GET ")
        with pytest.raises(httpx.HTTPStatusError, match="503"):
            server.get("/health/live").raise_for_status()


def test_an_early_answer_is_read_by_who_is_still_sending(tmp_path: Path) -> None:
    """Nobody may be told nothing because they were still busy sending."""
    with (
        Server(tmp_path, environment={"HEADWATER_MAX_EVENT_BYTES": "100000"}) as server,
        connected(server) as connection,
    ):
        connection.sendall(head("content-length: 8000000") + b"x" * 8_000_000)
        assert read_answer(connection)[0] == 413
        connection.sendall(head(f"content-length: {len(event())}") + event())
        assert read_answer(connection)[0] == 201
