"""Heads of requests without end, before anybody knows who sends them."""

from __future__ import annotations

import socket
import time
from contextlib import suppress

import pytest

from tests.api.test_ingest import event
from tests.hostile.wire import connected, head, memory_of, read_answer, read_to_the_end, watched
from tests.server import Server

MIB = 1 << 20
pytestmark = pytest.mark.alone


def sent(connection: socket.socket, piece: bytes, most: int) -> int:
    """How many bytes of this, again and again, the server takes before it closes the connection."""
    taken = 0
    with suppress(ConnectionError):
        while taken < most:
            connection.sendall(piece)
            taken += len(piece)
    return taken


@pytest.mark.parametrize(
    ("begin", "piece", "status"),
    [
        (b"GET / HTTP/1.1\r\nx: ", b"a" * MIB, 431),
        (b"GET / HTTP/1.1\r\n", b"a" * MIB, 431),
        (b"GET / HTTP/1.1\r\n", b"a: b\r\n" * 100_000, 431),
        (b"GET /", b"a" * MIB, 414),
        (b"POST /api/v1/lineage HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ", b"x" * MIB, 431),
        (b"POST /api/v1/lineage HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx: ", b"a" * MIB, 400),
        (b"POST /api/v1/lineage HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n" * 99_000, 431),
        (b"POST /api/v1/lineage HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1;", b"a" * MIB, 400),
    ],
)
def test_a_head_without_end(server: Server, begin: bytes, piece: bytes, status: int) -> None:
    """Two hundred megabytes of it cost a minute of work; sixty of small headers a gigabyte of memory."""
    before = memory_of(server)
    with connected(server) as connection, watched(server) as others:
        connection.sendall(begin)
        time.sleep(0.05)
        began = time.monotonic()
        assert sent(connection, piece, 200 * MIB) < 64 * MIB
        assert time.monotonic() - began < 10
    assert others.slowest < 3
    assert memory_of(server) - before < 60
    with connected(server) as connection:
        connection.sendall(begin + piece[:200_000])
        said = read_to_the_end(connection)
        assert said.startswith(b"HTTP/1.1 %d " % status)
        assert b"\r\nconnection: close\r\n" in said
        assert b'"hint"' in said or b'"message"' in said


@pytest.mark.parametrize("pieces", [1, 7])
def test_the_limits_to_the_byte(server: Server, pieces: int) -> None:
    for lines, status in (
        (["x: " + "a" * 32_600], 201),
        (["x: " + "a" * 32_800], 431),
        ([f"x{number}: y" for number in range(98)], 201),
        ([f"x{number}: y" for number in range(99)], 431),
    ):
        whole = head(*lines, f"content-length: {len(event())}") + event()
        size = len(whole) // pieces + 1
        with connected(server) as connection:
            for start in range(0, len(whole), size):
                connection.sendall(whole[start : start + size])
                time.sleep(0.01 if pieces > 1 else 0)
            assert read_answer(connection)[0] == status
    for length, status in ((16_384, 404), (16_385, 414)):
        with connected(server) as connection:
            connection.sendall(head(path="/" + "a" * (length - 1), method="GET"))
            assert read_answer(connection)[0] == status


def test_a_long_body_before_the_next_head_is_none_of_it(server: Server) -> None:
    body = event("long") + b" " * 500_000
    first = head(f"content-length: {len(body)}") + body
    with connected(server) as connection:
        for _ in range(3):
            connection.sendall(first + head(f"content-length: {len(event())}") + event())
            assert [read_answer(connection)[0] for _ in range(2)] == [201, 201]


def test_requests_without_waiting_for_an_answer(server: Server) -> None:
    with connected(server) as connection, watched(server) as others:
        taken = sent(connection, head(method="GET", path="/health/live") * 20_000, 200 * MIB)
        assert taken < 64 * MIB
        read_to_the_end(connection)
    assert others.slowest < 3
    with connected(server) as connection:
        connection.sendall(head(method="GET", path="/health/live") * 50)
        assert [read_answer(connection)[0] for _ in range(50)] == [200] * 50


def test_trailers_change_nothing(server: Server) -> None:
    body = b"%x\r\n%b\r\n0\r\ncontent-encoding: gzip\r\nexpect: 100-continue\r\n\r\n" % (len(event()), event())
    with connected(server) as connection:
        for _ in range(2):
            connection.sendall(head("transfer-encoding: chunked") + body)
            assert read_answer(connection)[0] == 201


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n",
        b"POST /api/v1/lineage HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /api/v1/lineage HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        b"POST /api/v1/lineage HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST /api/v1/lineage HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        b"GET / HTTP/1.1\r\nx: a\x00b\r\n\r\n",
        b"GET / HTTP/1.1\r\n x: folded\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\n\r\n",
        b"nothing like it\r\n\r\n",
    ],
)
def test_what_is_no_http(server: Server, sent: bytes) -> None:
    with connected(server) as connection:
        connection.sendall(sent)
        said = read_to_the_end(connection)
        assert said.startswith(b"HTTP/1.1 400 ")
        assert b'"error":"bad_request"' in said
        assert said.count(b"HTTP/1.1") == 1
