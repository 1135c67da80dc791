"""Offers to speak another protocol on the connection: the request that carries one is read like any other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from headwater.pipeline.spark.java import find_java_home
from tests.api.test_ingest import event
from tests.hostile.wire import connected, head, read_answer
from tests.server import Server

JAVA = (
    "connection: Upgrade, HTTP2-Settings",
    "http2-settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAA",
    "upgrade: h2c",
)
SMUGGLED = b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n"


def jobs(server: Server) -> set[str]:
    return {job["name"] for job in server.get("/api/v1/jobs", limit=1000).json()["jobs"]}


@pytest.mark.parametrize(
    "offer",
    [
        JAVA,
        ("connection: upgrade", "upgrade: websocket", "sec-websocket-key: x", "sec-websocket-version: 13"),
        ("Connection: keep-alive, Upgrade", "Upgrade: TLS/1.0, HTTP/2.0"),
        ("connection: upgrade", "upgrade: h2c", "connection: keep-alive"),
    ],
)
@pytest.mark.parametrize("pieces", [1, 2, 40])
def test_the_body_is_read_as_the_body(server: Server, offer: tuple[str, ...], pieces: int) -> None:
    name = f"{'-'.join(offer)}-{pieces}"
    body = event(name)
    whole = head(*offer, f"content-length: {len(body)}") + body
    with connected(server) as connection:
        for _ in range(2):
            size = len(whole) // pieces + 1
            for start in range(0, len(whole), size):
                connection.sendall(whole[start : start + size])
            assert read_answer(connection)[0] == 201
        connection.sendall(head(*offer, "transfer-encoding: chunked") + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
        assert read_answer(connection)[0] == 201
        connection.sendall(head(*offer, method="GET", path="/health/live"))
        assert read_answer(connection)[0] == 200
    assert name in jobs(server)


def test_a_request_hidden_in_a_body(server: Server) -> None:
    """It is answered once: what is hidden in it is no request."""
    with connected(server) as connection:
        connection.sendall(head(*JAVA, f"content-length: {len(SMUGGLED)}") + SMUGGLED)
        assert read_answer(connection)[0] == 400
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            connection.recv(1)


def test_several_at_once(server: Server) -> None:
    one = head(*JAVA, f"content-length: {len(event())}") + event()
    with connected(server) as connection:
        connection.sendall(one * 20)
        assert [read_answer(connection)[0] for _ in range(20)] == [201] * 20


def test_a_client_that_wants_no_more(server: Server) -> None:
    closing = ("connection: Upgrade, HTTP2-Settings, close", *JAVA[1:])
    with connected(server) as connection:
        connection.sendall(head(*closing, f"content-length: {len(event())}") + event())
        status, said, _ = read_answer(connection)
        assert (status, b"connection: close" in said) == (201, True)
        assert connection.recv(1) == b""


@pytest.fixture(scope="module")
def java() -> Iterator[JavaGateway]:
    """Java itself, to be called from here: no compiler is needed, which a runtime does not have."""
    (jar,) = (Path(pyspark.__file__).parent / "jars").glob("py4j-*.jar")
    opened = "--add-opens=java.net.http/jdk.internal.net.http=ALL-UNNAMED"
    port, token, process = launch_gateway(
        classpath=str(jar),
        jarpath=str(jar),
        javaopts=[opened],
        die_on_exit=True,
        enable_auth=True,
        return_proc=True,
        java_path=str(Path(find_java_home()) / "bin" / "java"),
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token))
    yield gateway
    gateway.shutdown()
    process.stdin.close()
    process.wait(60)


def test_java_s_own_client(server: Server, java: JavaGateway) -> None:
    """It offers HTTP/2 with its first request to a server, until it is told not to."""
    http, uri = java.jvm.java.net.http, java.jvm.java.net.URI
    publishers, handlers = java.jvm.java.net.http.HttpRequest.BodyPublishers, http.HttpResponse.BodyHandlers
    client = http.HttpClient.newHttpClient()
    large = event("from_java_large", padding="x" * 300_000)
    for name, body in (("from_java", event("from_java")), ("again", event("from_java_again")), ("large", large)):
        request = (
            http.HttpRequest.newBuilder(uri.create(f"{server.url}/api/v1/lineage"))
            .header("Content-Type", "application/json")
            .POST(publishers.ofString(body.decode()))
            .build()
        )
        answer = client.send(request, handlers.ofString())
        assert (name, answer.statusCode(), answer.body()) == (name, 201, "")
        assert answer.version().toString() == "HTTP_1_1"
    assert {"from_java", "from_java_again", "from_java_large"} <= jobs(server)
    asked = http.HttpRequest.newBuilder(uri.create(f"{server.url}/health/ready")).build()
    assert client.send(asked, handlers.ofString()).statusCode() == 200
