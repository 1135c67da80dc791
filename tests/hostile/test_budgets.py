"""Bodies that never end, or are without bound: who sends is settled before any of it is kept, and each has a part."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from headwater.api.http.body import EVERYBODY, BodyMemory
from headwater.api.routes import ROUTES
from headwater.ingest.errors import Overloaded
from tests.access.assertions import ISSUER, Signer, publish
from tests.api.test_ingest import event
from tests.application import InProcess
from tests.hostile.wire import connected, head, memory_of, read_answer
from tests.server import Server
from tests.waiting import until

LINEAGE = "/api/v1/lineage"
MIB = 1 << 20
pytestmark = pytest.mark.alone


class Setup:
    """A server with a gateway, a tenant with a key each, and little memory for bodies."""

    def __init__(self, folder: Path) -> None:
        self.signer = Signer()
        keys = publish(folder / "keys.toml", self.signer)
        with InProcess(folder / "data") as app:
            app.key = app.make_key(roles=["admin"])
            app.make_tenant("a", 7)
            app.make_tenant("b", 8)
            self.a, self.b = app.make_key(tenant="a"), app.make_key(tenant="b")
            self.reader = app.make_key(tenant="a", roles=["reader"])
        environment = {"GATEWAY_KEYS": str(keys), "GATEWAY_ISSUER": ISSUER, "BODY_BYTES": str(MIB)}
        environment |= {"UNKNOWN_BODY_BYTES": "130000"}
        self.server = Server(folder / "data", environment={f"HEADWATER_{key}": it for key, it in environment.items()})

    def stalled(self, stack: ExitStack, *lines: str, sent: int, declared: int = 900_000) -> socket.socket:
        connection = stack.enter_context(connected(self.server))
        connection.sendall(head(*lines, f"content-length: {declared}") + b"x" * sent)
        return connection

    def send(self, key: str, size: int, name: str) -> int:
        body = event(name) + b" " * size
        return self.server.post(body, authorization=f"Bearer {key}").status_code


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setup]:
    made = Setup(tmp_path_factory.mktemp("budgets"))
    yield made
    made.server.stop()


def bearer(key: str) -> str:
    return f"authorization: Bearer {key}"


@pytest.mark.parametrize("size", [300, 60_000, 200_000])
def test_ten_stalled_bodies_of_one_tenant(setup: Setup, size: int) -> None:
    with ExitStack() as stack:
        stalled = [setup.stalled(stack, bearer(setup.a), sent=400_000) for _ in range(10)]
        refused = until(
            lambda: (found := _readable(stalled)) and len(found) >= 8 and found, "more than its part was kept"
        )
        assert setup.send(setup.b, size, f"beside-{size}") == 201
        assert setup.send(setup.a, 200_000, "same") == 503
        assert {read_answer(connection)[0] for connection in refused} == {503}
    until(lambda: setup.server.get("/health/status").json()["body_bytes"] == 0)
    assert setup.send(setup.a, 200_000, f"afterwards-{size}") == 201


def _readable(connections: list[socket.socket]) -> list[socket.socket]:
    import select

    return select.select(connections, [], [], 0.5)[0]


@pytest.mark.parametrize("declared", [60_000, 900_000])
def test_peers_without_a_credential(setup: Setup, declared: int) -> None:
    """They are answered before their body comes, or have a part of their own: by the long way and by the short one."""
    with ExitStack() as stack:
        forged = Signer().sign("POST", LINEAGE, b"x")
        credentials = ("x-nothing: 1", bearer("hw_000000000000_nothing"), f"x-gateway-assertion: {forged}")
        stalled = [
            setup.stalled(stack, credentials[number % 3], sent=declared // 2, declared=declared) for number in range(30)
        ]
        most = 30 if declared > 65_536 else 25
        answered = until(lambda: (found := _readable(stalled)) and len(found) >= most and found)
        for size in (300, 60_000, 200_000):
            assert setup.send(setup.b, size, f"unknown-{declared}-{size}") == 201
        assert {read_answer(connection)[0] for connection in answered} == {401}
        assert setup.server.get("/health/status").json()["body_bytes"] <= 130_000


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"exp": 1.0, "iat": 0.0}, 401),
        ({"iss": "somebody"}, 401),
        ({"path": "/elsewhere"}, 401),
        ({"head": {"crit": ["exp"]}}, 401),
        ({"tenantId": 7, "roles": ["reader"]}, 403),
    ],
)
def test_an_assertion_is_refused_before_the_body(setup: Setup, changes: dict, status: int) -> None:
    token = setup.signer.sign(**{"method": "POST", "path": LINEAGE, "body": b"x", **changes})
    with ExitStack() as stack:
        connection = setup.stalled(stack, f"x-gateway-assertion: {token}", sent=0)
        assert read_answer(connection)[0] == status


def test_bodies_that_a_gateway_signed_for_count_for_their_tenant(setup: Setup) -> None:
    with ExitStack() as stack:
        stalled = []
        for _ in range(10):
            token = setup.signer.sign("POST", LINEAGE, b"never", tenantId=7, source="SPARK")
            stalled.append(setup.stalled(stack, f"x-gateway-assertion: {token}", sent=400_000))
        until(lambda: _readable(stalled))
        assert setup.send(setup.b, 200_000, "beside-gateway") == 201
        assert setup.send(setup.a, 200_000, "same-gateway") == 503
    until(lambda: setup.server.get("/health/status").json()["body_bytes"] == 0)
    body = event("vouched")
    token = setup.signer.sign("POST", LINEAGE, body, tenantId=7, source="SPARK")
    for sent, status in ((body + b" ", 401), (body, 201), (body, 401)):
        assert setup.server.post(sent, **{"x-gateway-assertion": token}).status_code == status


def test_a_body_that_is_not_what_was_signed_for_is_not_kept(setup: Setup) -> None:
    """Neither as an event nor, where its tenant is unknown, as a dead letter."""
    token = setup.signer.sign("POST", LINEAGE, event("signed"), tenantId=70, source="SPARK")
    assert setup.server.post(event("other"), **{"x-gateway-assertion": token}).status_code == 401
    listed = setup.signer.sign("GET", "/api/v2/dead-letters", roles=["admin"])
    letters = httpx.get(f"{setup.server.url}/api/v2/dead-letters", headers={"x-gateway-assertion": listed}).json()
    assert [letter for letter in letters["dead_letters"] if letter["reason"] == "unknown_tenant"] == []


def test_a_gateway_that_is_taken_away_leaves_no_open_door(tmp_path: Path) -> None:
    """Without it, and without keys, nobody is let in: everything it kept apart would be everybody's."""
    signer = Signer()
    file = publish(tmp_path / "keys.toml", signer)
    body = event("vouched")
    with InProcess(tmp_path / "data", gateway_keys=str(file), gateway_issuer=ISSUER) as app:
        token = signer.sign("POST", LINEAGE, body, roles=["writer"], source="GRAVITINO")
        app.send(body, headers={"x-gateway-assertion": token})
    with InProcess(tmp_path / "data") as app:
        for headers in ({}, {"x-gateway-assertion": signer.sign("GET", "/api/v1/namespaces", roles=["admin"])}):
            answer = app.get("/api/v1/namespaces", headers=headers)
            assert (answer.status_code, answer.json()["error"]) == (401, "unauthenticated")
        assert app.send(event("open")).status_code == 401


# --- every route ---------------------------------------------------------------------------------------------------

_VALUES = {"code": "default", "run": "0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b", "id": "1", "kind": "embedding"}
"""By the name of a path's parameter; the others are any word."""
CHANGING = sorted(
    {
        (method, re.sub(r"{(\w+)}", lambda found: _VALUES.get(found[1], "x"), route.path))
        for route in ROUTES
        if "{id:" not in route.path
        for method in (route.methods or set()) - {"GET", "HEAD"}
    }
)


@pytest.mark.parametrize("declared", [True, False])
def test_no_route_takes_a_body_without_bound(server: Server, declared: bool) -> None:
    before = memory_of(server)
    body = b'{"a": "' + b"x" * (12 * MIB) + b'"}'

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(body), MIB):
            yield body[start : start + MIB]

    reads = 0
    for method, path in CHANGING:
        with suppress(httpx.WriteError, httpx.RemoteProtocolError):
            answer = httpx.request(method, f"{server.url}{path}", content=body if declared else pieces(), timeout=120)
            assert (path, answer.status_code < 500) == (path, True)
            if answer.status_code in (200, 201):
                assert len(answer.content) < MIB, path
            reads += answer.status_code == 413
    assert reads >= 9, "of routes that read a body"
    assert memory_of(server) - before < 150


def test_a_body_that_only_just_fits(server: Server) -> None:
    for size, status in ((3 * MIB, 201), (5 * MIB, 413)):
        said = json.dumps({"ownerName": "somebody", "description": "x" * size})
        for sent in (said.encode(), iter([said.encode()])):
            answer = httpx.put(f"{server.url}/api/v1/namespaces/large", content=sent, timeout=120)
            assert answer.status_code in (status, 200 if status == 201 else 413)


# --- the rule ------------------------------------------------------------------------------------------------------


def test_parts_of_the_memory() -> None:
    memory = BodyMemory(1000, of_one=400, unknown=100)
    memory.hold("a", 900, 0)  # the only request of a sender is always held
    with pytest.raises(Overloaded):
        memory.hold("a", 1, 0)
    memory.hold("b", 100, 0)
    with pytest.raises(Overloaded):
        memory.hold("c", 1, 0)
    memory.release("a", 900)
    memory.hold("b", 300, 100)  # of the same request
    with pytest.raises(Overloaded):
        memory.hold("b", 1, 0)
    memory.hold("c", 100, 0)
    assert memory.hold_unknown(60)
    assert not memory.hold_unknown(60)
    memory.release_unknown(60)
    memory.release("b", 400)
    memory.release("c", 100)
    assert (memory.used, memory._lanes) == (0, {})


def test_a_sender_gets_as_much_as_is_left_free() -> None:
    memory = BodyMemory(1000)
    for sender, most in (("a", 5), ("b", 3), ("c", 1)):
        held = 0
        with suppress(Overloaded):
            while True:
                memory.hold(sender, 100, 0)
                held += 1
        assert held == most
    whole = BodyMemory(1000)
    for _ in range(10):
        whole.hold(EVERYBODY, 100, 0)
