"""Requests that wait for another server, which never answers: their tenant waits, and nobody else."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from headwater.api.operators.tenants.sync_process import SyncStarter
from headwater.api.peer_turns import PeerTurns
from headwater.ingest.errors import RateLimited
from headwater.settings import Settings
from tests.application import InProcess
from tests.server import Server


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=500) as peer:
        yield f"http://127.0.0.1:{peer.getsockname()[1]}"


def test_a_tenant_whose_overlay_is_silent(tmp_path: Path, silent: str) -> None:
    """Its requests have two turns; another tenant is answered while both of them wait."""
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("slow")
        app.make_tenant("other")
        slow = {"authorization": f"Bearer {app.make_key(tenant='slow', roles=['admin', 'reader'])}"}
        other = {"authorization": f"Bearer {app.make_key(tenant='other', roles=['writer', 'reader'])}"}
    overlay = {"name": "o", "url": silent, "producer_host": "h.example", "check_seconds": 0}

    async def attack(server: Server) -> Counter[int]:
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=server.url, timeout=120, limits=limits) as client:
            assert (await client.post("/api/v2/emit/overlays", json=overlay, headers=slow)).status_code == 200
            asked = {"version": "CyhAIpDVkiER/naXP8LNCA=="}
            flood = [
                asyncio.ensure_future(client.post(f"/api/v2/emit/{path}", json=body, headers=slow))
                for path, body in [("check", None), ("verify", asked), ("work", None)] * 25
            ]
            await asyncio.wait(flood, return_when=asyncio.FIRST_COMPLETED)
            made = await client.put("/api/v1/namespaces/n", json={"ownerName": "x"}, headers=other)
            assert made.status_code in (200, 201)
            assert not all(one.done() for one in flood), "they wait for ten seconds"
            return Counter([answer.status_code for answer in await asyncio.gather(*flood)])

    environment = {"HEADWATER_OUTGOING_PRIVATE": "127.0.0.1"}
    with Server(tmp_path, "--query-processes", "0", environment=environment) as server:
        statuses = asyncio.run(attack(server))
    assert set(statuses) <= {200, 429, 502}
    assert statuses[429] >= 40, statuses


def test_turns_of_one_tenant_and_of_all() -> None:
    turns = PeerTurns(at_once=3, of_one=2)
    with turns.of(1), turns.of(1):
        with pytest.raises(RateLimited, match="2 requests of this tenant"), turns.of(1):
            pass
        with turns.of(2), pytest.raises(RateLimited, match="3 in all"), turns.of(3):
            pass
        with turns.of(3):
            pass
    with turns.of(1), turns.of(1):
        pass


def test_readings_of_metalakes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.api.operators.tenants.sync_process._AT_ONCE", 2)
    syncs = SyncStarter(Settings(data=str(tmp_path)))
    processes = []
    try:
        for tenant in ("a", "b"):
            syncs.start(tenant, "lake")
            processes.append(syncs._running[tenant])
        with pytest.raises(RateLimited, match="2 metalakes"):
            syncs.start("c", "lake")
        processes[0].kill()
        processes[0].wait()
        syncs.start("c", "lake")
        processes.append(syncs._running["c"])
    finally:
        for process in processes:
            process.kill()
            process.wait()
