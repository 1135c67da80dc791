"""The Gravitino server of a tenant: its events are held until a full reading, which the API begins."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.application import InProcess
from tests.pipeline.gravitino.gravitino_server import GravitinoServer, generated
from tests.pipeline.gravitino.test_sync import columns, live
from tests.server import Server

T0 = "gravitino://lake/hive:sales.t0"


@pytest.fixture
def gravitino() -> Iterator[GravitinoServer]:
    with GravitinoServer(generated(tables=8, columns=3), token="secret") as server:
        yield server


def ask(server: Server, path: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
    answer = server.post(json.dumps(body).encode(), f"/api/v2/tenants/default/{path}")
    assert answer.status_code == status, answer.text
    return answer.json()


def wait(server: Server, wanted: Any) -> dict[str, Any]:
    deadline = time.monotonic() + 120
    while True:
        status = server.get("/api/v2/tenants/default/status").json()
        if wanted(status):
            return status
        assert time.monotonic() < deadline, (status, server.log())
        time.sleep(0.1)


def tables(server: Server) -> set[str]:
    found = server.get("/api/v2/assets", kind="Table", limit=1000).json()["items"]
    return {item["id"] for item in found}


def test_held_then_read(tmp_path: Path, gravitino: GravitinoServer) -> None:
    environment = {"THE_TOKEN": "secret"}
    source = {"metalake": "lake", "url": gravitino.url, "token": "env:THE_TOKEN", "rate": 0}
    now = time.time_ns() // 1000
    with Server(tmp_path, environment=environment) as server:
        server.send_all([live("create_table", "sales.before", now - 60_000_000, columns("a"))])
        assert server.get("/api/v2/tenants/default/status").json()["state"] == "LIVE"
        status = ask(server, "sources", source)
        assert status["state"] == "WAITING"
        expected = {"metalake": "lake", "url": gravitino.url, "has_token": True, "rate": 0}
        assert status["sources"] == [expected]
        assert "secret" not in json.dumps(status)
        assert ask(server, "sources", source)["catalogs"] == status["catalogs"], "said again it changes nothing"
        late = time.time_ns() // 1000 + 60_000_000
        server.send_all([live("create_table", "sales.during", late, columns("b"))])
        assert tables(server) == {"gravitino://lake/hive:sales.before"}, "until it was read nothing changes"

        gravitino.fail = [400]
        ask(server, "sync", {}, 202)
        failed = wait(server, lambda status: status["job"] is not None and not status["job"]["running"])
        assert failed["state"] == "SYNCING"
        assert "answers 400" in failed["job"]["error"]

        held = {"on": True}
        gravitino.on_request = lambda _: _wait_while(held)
        ask(server, "sync", {"metalake": "lake"}, 202)
        wait(server, lambda status: status["job"] is not None and status["job"]["running"])
        assert ask(server, "sync", {}, 409)["error"] == "sync_running"
        held["on"] = False
        done = wait(server, lambda status: status["state"] == "READY" and not status["job"]["running"])
        assert done["job"]["error"] is None
        assert done["catalogs"][0]["cutover_time"] == status["catalogs"][0]["sync_started"]
        assert tables(server) >= {T0, "gravitino://lake/hive:sales.during"}
        assert "gravitino://lake/hive:sales.before" not in tables(server)
        assert "secret" not in server.log()
        assert ask(server, "sources/remove", {"metalake": "lake"})["sources"] == []
        assert ask(server, "sync", {}, 404)["error"] == "not_found"


def _wait_while(held: dict[str, bool]) -> None:
    deadline = time.monotonic() + 60
    while held["on"] and time.monotonic() < deadline:
        time.sleep(0.02)


def test_who_may(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"], name="operator")
        app.make_tenant("a", 7)
        app.make_tenant("b", 8)
        keys = {role: app.make_key(tenant="a", roles=[role]) for role in ("reader", "editor", "admin")}
        source = {"metalake": "lake", "url": "http://127.0.0.1:9", "hold": False}
        for key in keys.values():
            assert app.post("/api/v2/tenants/a/sources", json=source, key=key).status_code == 403
        assert app.post("/api/v2/tenants/a/sources", json=source).json()["state"] == "LIVE", "nothing is held"
        assert app.post("/api/v2/tenants/a/sync", key=keys["editor"]).status_code == 403
        assert app.post("/api/v2/tenants/a/sync", key=app.make_key(tenant="b", roles=["admin"])).status_code == 404
        assert app.get("/api/v2/tenants/a/status", key=keys["admin"]).json()["sources"][0]["metalake"] == "lake"
        assert app.get("/api/v2/tenants/b/status").json()["sources"] == []
        assert app.post("/api/v2/tenants/b/sync").status_code == 404


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"metalake": ""}, "$.metalake"),
        ({"metalake": "a/b"}, "$.metalake"),
        ({"metalake": "x" * 129}, "$.metalake"),
        ({"url": "ftp://x"}, "$.url"),
        ({"url": "http://user:pw@x"}, "$.url"),
        ({"url": "http://"}, "$.url"),
        ({"token": "hunter2"}, "$.token"),
        ({"token": "env:NO_SUCH_VARIABLE_HERE"}, "$.token"),
        ({"rate": -1}, "$.rate"),
    ],
)
def test_wrong_sources(tmp_path: Path, change: dict[str, Any], path: str) -> None:
    with InProcess(tmp_path) as app:
        body = {"metalake": "lake", "url": "http://127.0.0.1:9", **change}
        answer = app.post("/api/v2/tenants/default/sources", json=body)
        assert answer.status_code == 400, answer.text
        assert answer.json()["path"] == path
        assert "hunter2" not in answer.text
        assert app.get("/api/v2/tenants/default/status").json()["state"] == "LIVE"
