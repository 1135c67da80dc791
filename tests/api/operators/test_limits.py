"""Too many events of one tenant are answered 429, too many bytes of all 503, and both say when to come again."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client import REGISTRY

from headwater.api.app import Application
from headwater.settings import Settings
from headwater.store.sql_store import SqlStore
from tests.access.gravitino import gravitino_event
from tests.api.test_ingest import event
from tests.application import InProcess


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path, tenant_rate=1, tenant_burst=3) as started:
        started.key = started.make_key(roles=["admin"], name="operator")
        started.make_tenant("a", 7)
        started.make_tenant("b", 8)
        yield started


def limited(app: InProcess, code: str) -> float:
    labels = {"reason": "rate_limited", "tenant": code}
    return REGISTRY.get_sample_value("headwater_deferred_events_total", labels) or 0


def test_single_events(app: InProcess) -> None:
    a, b = app.make_key(tenant="a"), app.make_key(tenant="b")
    before = limited(app, "a")
    assert [app.send(event(f"j{number}"), key=a).status_code for number in range(3)] == [201] * 3
    answer = app.send(event("late"), key=a)
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 3
    assert answer.json()["error"] == "rate_limited"
    assert "hint" in answer.json()
    assert app.send(event("other"), key=b).status_code == 201
    assert limited(app, "a") == before + 1
    assert app.get("/api/v2/dead-letters?state=any").json()["total"] == 0, "the sender is told to send it again"


def test_a_batch_counts_its_events(app: InProcess) -> None:
    a = app.make_key(tenant="a")
    batch = b"\n".join(event(f"j{number}") for number in range(2))
    path, kind = "/api/v1/lineage/batch", {"content-type": "application/x-ndjson"}
    assert app.post(path, content=batch, headers=kind, key=a).json()["status"] == "success"
    assert app.post(path, content=batch, headers=kind, key=a).status_code == 429


def test_a_tenant_that_the_event_names(app: InProcess) -> None:
    """The credential is for no tenant; each event of a batch counts for its own."""
    key = app.make_key(source="GRAVITINO")
    bodies = [gravitino_event(tenant) for tenant in (7, 7, 7, 7, 8)]
    answer = app.post("/api/v1/lineage/batch", content=b"[" + b",".join(bodies) + b"]", key=key).json()
    assert answer["status"] == "partial_success"
    (failed,) = answer["failed_events"]
    assert (failed["index"], failed["code"], failed["error"], failed["retriable"]) == (3, 429, "rate_limited", True)


def test_an_operator_sets_the_limit(app: InProcess) -> None:
    a, admin = app.make_key(tenant="a"), app.make_key(tenant="a", roles=["admin"])
    path = "/api/v2/tenants/a/limit"
    changed = app.post(path, json={"rate": 50, "burst": 5}).json()
    assert (changed["rate"], changed["burst"]) == (50, 5)
    assert app.get("/api/v2/tenants/a").json() == changed
    assert [app.send(event(f"j{number}"), key=a).status_code for number in range(5)] == [201] * 5
    assert app.post(path, json={"rate": 0}).json()["rate"] == 0
    assert [app.send(event(f"j{number}"), key=a).status_code for number in range(20)] == [201] * 20
    assert app.post(path, json={}).json()["rate"] is None
    assert app.post(path, key=admin, json={"rate": 0}).status_code == 403
    assert app.post("/api/v2/tenants/nobody/limit", json={"rate": 1}).status_code == 404
    for body in ({"rate": -1}, {"rate": 1, "burst": 0}, {"burst": 5}, {"rate": "x"}):
        assert app.post(path, json=body).status_code == 400


def test_retried_dead_letters_are_not_limited(app: InProcess) -> None:
    key = app.make_key(source="GRAVITINO")
    app.post("/api/v2/tenants/a/disable")
    for number in range(6):
        assert app.send(gravitino_event(7, name=f"t{number}"), key=key).status_code == 403
    app.post("/api/v2/tenants/a/enable")
    assert app.post("/api/v2/dead-letters/retry").json() == {"taken": 6, "refused": 0}


def test_bodies_under_way_are_bounded(tmp_path: Path) -> None:
    """A second request is turned away while a first one holds most of the memory; afterwards it is taken."""
    store = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
    store.open()

    async def work() -> None:
        application = Application(Settings(data=str(tmp_path), body_bytes=10_000), store)
        application.start()
        arrived, go_on = asyncio.Event(), asyncio.Event()

        async def slow():
            yield b"x" * 9_000
            arrived.set()
            await go_on.wait()
            yield b"y"

        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            first = asyncio.ensure_future(client.post("/api/v1/lineage", content=slow()))
            await arrived.wait()
            packed = gzip.compress(json.dumps({**json.loads(event("j")), "padding": "z" * 3000}).encode())
            for sent, headers in ((event("j") + b" " * 3000, {}), (packed, {"content-encoding": "gzip"})):
                answer = await client.post("/api/v1/lineage", content=sent, headers=headers)
                assert answer.status_code == 503
                assert answer.json()["error"] == "overloaded"
                assert answer.headers["retry-after"] == "1"
            assert (await client.post("/api/v1/lineage", content=event("small"))).status_code == 201
            go_on.set()
            assert (await first).status_code == 400
            assert application.memory.used == 0
            alone = await client.post("/api/v1/lineage", content=event("j") + b" " * 20_000)
            assert alone.status_code == 201, "a request alone is always held"
        await application.stop()

    asyncio.run(asyncio.wait_for(work(), 30))


def test_status_tells_how_busy_the_server_is(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        assert app.get("/health/status").json()["last_minute"]["p99_seconds"] is None
        assert app.send(event("j")).status_code == 201
        found = app.get("/health/status").json()
        assert 0 < found["last_minute"]["p50_seconds"] <= found["last_minute"]["p99_seconds"] < 10
        assert (found["queued"], found["body_bytes"]) == ({"events": 0, "bytes": 0}, 0)
        assert set(found["pools"]) == {"questions", "writer", "threads"}
        assert all(0 <= pool["in_use"] <= pool["most"] for pool in found["pools"].values())
