"""Questions of lineage are answered by a process of their own, or, while there is none, by the server."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.api.app import Application
from headwater.settings import Settings
from headwater.store.sql_store import SqlStore
from tests.api.test_ingest import event
from tests.processes import children_of, is_alive
from tests.server import Server
from tests.waiting import until

ASKED = {"/api/v2/lineage": {"name": "job:tests:orders"}, "/api/v1/lineage": {"nodeId": "job:tests:orders", "depth": 3}}


def ready(server: Server) -> int:
    return server.get("/health/status").json()["query_processes"]["ready"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path) as started:
        assert started.post(event("orders")).status_code == 201
        yield started


def test_the_same_answers_with_and_without(server: Server) -> None:
    own = {path: server.get(path, **query) for path, query in ASKED.items()}
    until(lambda: ready(server) == 1)
    for path, query in ASKED.items():
        answer = server.get(path, **query)
        assert (answer.status_code, answer.json()) == (200, own[path].json())
        assert answer.headers["content-type"] == own[path].headers["content-type"]
    wrong = server.get("/api/v2/lineage", name="job:tests:ordres")
    assert (wrong.status_code, wrong.json()["code"]) == (404, 404)
    assert server.get("/api/v2/lineage", name="x", depth="many").status_code == 400


def test_what_was_just_sent_is_in_the_answer(server: Server) -> None:
    until(lambda: ready(server) == 1)
    for number in range(20):
        assert server.post(event(f"job-{number}")).status_code == 201
        found = server.get("/api/v2/lineage", name=f"job:tests:job-{number}").json()
        assert [node["name"] for node in found["downstream"]["nodes"]] == [f"job-{number}", f"job-{number}.out"]


def test_one_that_ends_is_replaced_and_nobody_notices(server: Server) -> None:
    until(lambda: ready(server) == 1)
    (process,) = children_of(server.process.pid)
    os.kill(process, signal.SIGKILL)
    assert server.get("/api/v2/lineage", name="job:tests:orders").status_code == 200
    until(lambda: children_of(server.process.pid) not in ([process], []) and ready(server) == 1)
    assert server.get("/api/v2/lineage", name="job:tests:orders").status_code == 200


def test_it_ends_with_the_server(server: Server) -> None:
    until(lambda: ready(server) == 1)
    (process,) = children_of(server.process.pid)
    server.process.kill()
    until(lambda: not is_alive(process))


def test_none_when_none_is_wanted(tmp_path: Path) -> None:
    with Server(tmp_path, "--query-processes", "0") as started:
        assert started.post(event("orders")).status_code == 201
        assert started.get("/api/v2/lineage", name="job:tests:orders").status_code == 200
        assert started.get("/health/status").json()["query_processes"] == {"ready": 0, "processes": 0, "questions": 0}
        assert children_of(started.process.pid) == []


def test_a_defect_is_answered_and_not_waited_for(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starlette answers 500 and then raises; who asked over the socket must get the answer."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("headwater.api.v2.lineage.lineage", broken)

    async def ask() -> int:
        application = Application(Settings(), store)
        application.start()
        try:
            status, _ = await application.ask_as_operator("GET", "/api/v2/lineage", "name=x&tenant=default", b"")
        finally:
            await application.stop()
        return status

    assert asyncio.run(ask()) == 500
