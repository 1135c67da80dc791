"""TLS handshakes that are never finished are bounded in number and in time, and hold up nobody."""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from tests.api.test_ingest import event
from tests.hostile.test_slow import until_closed
from tests.hostile.test_tls_and_metrics import TlsServer, write_certificate
from tests.hostile.wire import connected
from tests.processes import open_files
from tests.waiting import until

ADDRESS_CONNECTIONS = 20
pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    write_certificate(folder, "one.example")
    return folder


@pytest.fixture(scope="module")
def hasty(folder: Path) -> Iterator[TlsServer]:
    """A server with little patience."""
    limits = {"HEADER_SECONDS": 2, "KEEP_ALIVE_SECONDS": 3, "ADDRESS_CONNECTIONS": ADDRESS_CONNECTIONS}
    environment = {f"HEADWATER_{name}": str(value) for name, value in limits.items()}
    paths = ("--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem"))
    with TlsServer(folder, *paths, environment=environment) as started:
        yield started


@pytest.fixture
def client(hasty: TlsServer) -> Iterator[httpx.Client]:
    """Is served again after connections of the test before are gone."""
    context = ssl.create_default_context(cafile=str(hasty.data / "cert.pem"))
    context.check_hostname = False
    with httpx.Client(verify=context, base_url=hasty.url, timeout=60) as client:
        until(lambda: is_answered(client))
        yield client


def is_answered(client: httpx.Client) -> bool:
    try:
        return client.get("/health/live").is_success
    except httpx.TransportError:
        return False


def first_flight() -> bytes:
    """What a client says first."""
    said = ssl.MemoryBIO()
    context = ssl.create_default_context()
    with pytest.raises(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), said, server_hostname="localhost").do_handshake()
    return said.read()


def closed(client: httpx.Client, reason: str) -> float:
    found = re.search(rf'closed_connections_total{{reason="{reason}"}} ([\d.]+)', client.get("/metrics").text)
    return float(found.group(1)) if found else 0.0


@pytest.mark.parametrize(
    "sent", [b"", b"\x16", first_flight()[:50], first_flight()], ids=["nothing", "a byte", "a part", "a whole hello"]
)
def test_a_handshake_that_is_not_finished(hasty: TlsServer, client: httpx.Client, sent: bytes) -> None:
    before = closed(client, "slow_handshake")
    with connected(hasty) as connection:
        connection.sendall(sent)
        _, seconds = until_closed(connection)
    assert 1 < seconds < 15, "long before the default is over"
    assert closed(client, "slow_handshake") == before + 1


@pytest.mark.parametrize(
    "sent",
    [b"\x16\x03\x01\xff\xff" + b"\0" * 100_000, b"GET / HTTP/1.1\r\n\r\n", b"\0" * 9],
    ids=["a long record", "plain HTTP", "zeros"],
)
def test_what_is_no_handshake(hasty: TlsServer, client: httpx.Client, sent: bytes) -> None:
    """It ends at once, or when its time is over, and leaves nothing behind."""
    files = open_files(hasty.process.pid)
    for _ in range(5):
        with connected(hasty) as connection:
            connection.sendall(sent)
            until_closed(connection)
    assert client.get("/health/live").status_code == 200
    until(lambda: open_files(hasty.process.pid) <= files)
    assert "Traceback" not in hasty.log()


def test_many_of_one_address(hasty: TlsServer, client: httpx.Client) -> None:
    before = closed(client, "too_many_of_address")
    with ExitStack() as stack:
        for _ in range(3 * ADDRESS_CONNECTIONS):
            stack.enter_context(connected(hasty))
        until(lambda: closed(client, "too_many_of_address") - before >= 2 * ADDRESS_CONNECTIONS)
        assert client.post("/api/v1/lineage", content=event("beside")).status_code == 201  # it was there before them
    assert closed(client, "too_many_of_address") - before <= 2 * ADDRESS_CONNECTIONS + 1, "the client is one"


def test_a_request_with_the_end_of_the_handshake(hasty: TlsServer, client: httpx.Client) -> None:
    """The request comes in the same packet as the client's last word of the handshake."""
    came, said = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context(cafile=str(hasty.data / "cert.pem"))
    context.check_hostname = False
    peer = context.wrap_bio(came, said)
    with connected(hasty) as connection:
        while True:
            try:
                peer.do_handshake()
                break
            except ssl.SSLWantReadError:
                connection.sendall(said.read())
                came.write(connection.recv(65536))
        body = event("early")
        peer.write(b"POST /api/v1/lineage HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n")
        peer.write(b"content-length: %d\r\n\r\n" % len(body) + body)
        connection.sendall(said.read())
        answer = b""
        while not answer:  # the server then waits for our word that we are done
            came.write(connection.recv(65536))
            with suppress(ssl.SSLWantReadError):
                answer = peer.read(65536)
        assert answer.startswith(b"HTTP/1.1 201 ")


def test_stopping_with_handshakes_open(folder: Path) -> None:
    paths = ("--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem"))
    with TlsServer(folder / "other", *paths) as server, connected(server) as silent, connected(server) as begun:
        begun.sendall(first_flight())
        silent.settimeout(0.2)
        with pytest.raises(TimeoutError):
            silent.recv(1)
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 15, "it does not wait for the end of their time"
        begun.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\0" * 8)
    assert "Traceback" not in server.log()
