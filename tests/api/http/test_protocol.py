"""The short way through HTTP answers as the long one does."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from headwater.access.authenticate import Credentials
from headwater.access.identity import SINGLE_USER, Role
from headwater.store.access.tenants import Tenants
from headwater.store.engine import make_engine
from headwater.store.read.reader import Reader
from headwater.store.scope import EVERY_TENANT
from tests.api.test_ingest import event
from tests.application import InProcess
from tests.server import Server

HEAD = b"POST /api/v1/lineage HTTP/1.1\r\nhost: localhost\r\n%scontent-length: %d\r\n\r\n"


def request(body: bytes, *headers: bytes) -> bytes:
    return HEAD % (b"".join(header + b"\r\n" for header in headers), len(body)) + body


@contextmanager
def connected(server: Server) -> Iterator[socket.socket]:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def answer(connection: socket.socket) -> tuple[bytes, bytes]:
    """Head and body of the next answer; nothing beyond it is read."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = connection.recv(1)
        assert piece, head
        head += piece
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    body = b""
    while len(body) < length:
        body += connection.recv(length - len(body))
    return head, body


def known_jobs(server: Server) -> set[str]:
    from headwater.graph.facts import Node

    reader = Reader(make_engine(f"sqlite:///{server.data}/headwater.db"))
    return {node.name for node in reader.facts(1, Node)}


def test_many_events_on_one_connection(server: Server) -> None:
    with connected(server) as connection:
        for number in range(5):
            connection.sendall(request(event(f"kept_alive_{number}")))
            head, body = answer(connection)
            assert head.startswith(b"HTTP/1.1 201 Created\r\n")
            assert b"\r\ndate: " in head
            assert b"connection" not in head
            assert body == b""
    assert {f"kept_alive_{number}" for number in range(5)} <= known_jobs(server)


def test_the_log_has_what_was_sent_by_each_way(server: Server) -> None:
    with connected(server) as connection:
        for name, header in (("short", b"content-type: application/json"), ("long", b"content-encoding: identity")):
            connection.sendall(request(event(f"by_the_{name}_way"), header))
            assert answer(connection)[0].startswith(b"HTTP/1.1 201 ")
    assert {"by_the_short_way", "by_the_long_way"} <= known_jobs(server)


def test_requests_sent_without_waiting_are_answered_in_their_order(server: Server) -> None:
    with connected(server) as connection:
        bodies = [event("pipelined_1"), b'{"bad"', event("pipelined_2"), event("pipelined_3")]
        connection.sendall(b"".join(map(request, bodies)))
        statuses = [answer(connection)[0][9:12] for _ in bodies]
        assert statuses == [b"201", b"400", b"201", b"201"]
    assert {"pipelined_1", "pipelined_2", "pipelined_3"} <= known_jobs(server)


def test_a_body_that_comes_in_pieces(server: Server) -> None:
    whole = request(event("in_pieces"))
    with connected(server) as connection:
        for start in range(0, len(whole), 50):
            connection.sendall(whole[start : start + 50])
        assert answer(connection)[0].startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("body", [b"", b"[]", b"nothing", b'{"eventTime": "2026-01-01T00:00:00Z"}', b"\xff"])
def test_what_is_wrong_is_said_as_on_the_long_way(server: Server, body: bytes) -> None:
    with connected(server) as connection:
        connection.sendall(request(body))
        short = answer(connection)
        connection.sendall(request(body, b"content-encoding: identity"))
        long = answer(connection)
        assert short[0].startswith(b"HTTP/1.1 400 ")
        assert short[1] == long[1]
        connection.sendall(request(event("after_a_refusal")))
        assert answer(connection)[0].startswith(b"HTTP/1.1 201 ")


def test_a_client_that_wants_no_more(server: Server) -> None:
    for whole in (
        request(event("closing"), b"connection: close"),
        request(event("old")).replace(b"HTTP/1.1", b"HTTP/1.0"),
    ):
        with connected(server) as connection:
            connection.sendall(whole)
            head, _ = answer(connection)
            assert head.startswith(b"HTTP/1.1 201 ")
            assert b"\r\nconnection: close\r\n" in head
            assert connection.recv(1) == b""


def test_a_client_that_asks_first(server: Server) -> None:
    body = event("asks_first")
    with connected(server) as connection:
        connection.sendall(HEAD % (b"expect: 100-continue\r\n", len(body)))
        assert connection.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert answer(connection)[0].startswith(b"HTTP/1.1 201 ")


def test_a_client_that_goes_away_leaves_its_event(server: Server) -> None:
    with connected(server) as connection:
        connection.sendall(request(event("gone")))
    with connected(server) as connection:
        connection.sendall(request(event("stayed")))
        assert answer(connection)[0].startswith(b"HTTP/1.1 201 ")
    assert {"gone", "stayed"} <= known_jobs(server)


def test_what_is_under_way_is_answered_before_the_server_stops(tmp_path: Path) -> None:
    with Server(tmp_path) as server, connected(server) as connection:
        whole = request(event("last"))
        connection.sendall(whole[:-10])
        server.get("/health/live")  # what was sent before has arrived
        server.process.send_signal(signal.SIGTERM)
        connection.settimeout(0.5)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(20)
        connection.sendall(whole[-10:])
        head, _ = answer(connection)
        assert head.startswith(b"HTTP/1.1 201 ")
        assert b"\r\nconnection: close\r\n" in head


def test_senders_with_keys(tmp_path: Path) -> None:
    """Each twice: the first time the key is looked up, the second time it is known."""
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("acme")
        writer, reader = app.make_key(tenant="acme"), app.make_key(tenant="acme", roles=["reader"])
    expected = {writer: b"201", reader: b"403", f"{writer}x": b"401", "nothing": b"401"}
    with Server(tmp_path) as server, connected(server) as connection:
        for number in range(2):
            for key, status in expected.items():
                header = b"authorization: Bearer " + key.encode()
                connection.sendall(request(event(f"sent_{number}_{status.decode()}"), header))
                assert answer(connection)[0][9:12] == status
        connection.sendall(request(event("without")))
        assert answer(connection)[0][9:12] == b"401"
    engine = make_engine(f"sqlite:///{tmp_path}/headwater.db")
    tenant = next(tenant for tenant in Tenants(engine).list(EVERY_TENANT) if tenant.code == "acme")
    assert [json.loads(item.body)["job"]["name"] for item in Reader(engine).log(tenant.id)] == [
        "sent_0_201",
        "sent_1_201",
    ]
    assert list(Reader(engine).log(1)) == []
    engine.dispose()


def test_who_is_known_without_asking(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        assert app.send(event("j")).status_code == 201
        authenticator = app._application._authenticator
        assert authenticator.known(Credentials()) is SINGLE_USER
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("acme")
        writer = app.make_key(tenant="acme")
        assert authenticator.known(Credentials(key=writer)) is None, "nobody has looked it up yet"
        assert app.send(event("j"), key=writer).status_code == 201
        known = authenticator.known(Credentials(key=writer))
        assert known is not None
        assert (known.tenant.code, known.may(Role.WRITER), known.may(Role.EDITOR)) == ("acme", True, False)
        for key in (f"{writer}x", "nothing", app.key, None):  # the last key is bound to no tenant
            assert authenticator.known(Credentials(key=key)) is None
