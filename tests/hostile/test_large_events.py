"""Large events are worked on beside the server, senders by turns, and their tenant pays for what they cost."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.access.identity import SINGLE_USER, TenantIndex
from headwater.ingest.large_events.pool import LargeEvents
from headwater.ingest.read_event import cost_of, is_large
from headwater.settings import Settings
from headwater.store.engine import make_engine
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.write.large_events.unfinished_events import has_unfinished
from tests.access.gravitino import gravitino_event
from tests.api.test_ingest import event
from tests.application import InProcess
from tests.processes import children_of
from tests.server import Server


def large(job: str, inputs: int = 5000, **changes: Any) -> bytes:
    named = [{"namespace": "tests", "name": f"{job}.in{place}"} for place in range(inputs)]
    return event(job, inputs=named, **changes)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path, "--query-processes", "0") as started:
        yield started


def _ticks(process: int) -> int:
    """What a process has had of the processor."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_what_is_large() -> None:
    assert not is_large(event("small"))
    assert not is_large(event("long", producer="x" * 200_000))
    assert is_large(event("longer", producer="x" * 300_000))
    assert is_large(large("many", 2100))
    assert cost_of(event("small")) == 1
    assert cost_of(event("long", producer="x" * 200_000)) == 4
    assert cost_of(large("many", 3000)) == 7


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux how long processes worked")
def test_a_server_does_not_work_on_large_events_itself(server: Server) -> None:
    assert server.post(event("first")).status_code == 201
    assert server.post(large("warm")).status_code == 201
    child = children_of(server.process.pid)[-1]
    own, beside = _ticks(server.process.pid), _ticks(child)
    for number in range(2):
        assert server.post(large(f"huge{number}", 15_000)).status_code == 201
    assert _ticks(child) - beside > 2 * (_ticks(server.process.pid) - own)
    assert len(server.get("/api/v1/lineage", nodeId="job:tests:huge1", depth=1).json()["graph"]) > 1000
    metrics = server.get("/metrics").text
    assert 'headwater_events_total{tenant="default"} 4.0' in metrics


def test_what_is_wrong_with_a_large_event_is_said_and_kept(server: Server) -> None:
    answer = server.post(large("broken")[:-1])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_json")
    answer = server.post(large("timeless", eventTime="soon"))
    assert (answer.status_code, answer.json()["path"]) == (400, "$.eventTime")
    kept = server.get("/api/v2/dead-letters").json()
    assert len(kept["dead_letters"]) == 2


def test_large_events_in_a_batch(server: Server) -> None:
    """Each for itself, in its place; the small ones around them too."""
    bodies = [event("a"), large("b"), event("c"), large("d", eventTime="never"), event("e"), b"[]", large("f")]
    answer = server.post(b"\n".join(bodies), "/api/v1/lineage/batch", **{"content-type": "application/x-ndjson"})
    told = answer.json()
    assert told["summary"] == {"received": 7, "successful": 5, "failed": 2}
    assert [failed["index"] for failed in told["failed_events"]] == [3, 5]
    for job in "abcef":
        assert server.get(f"/api/v1/namespaces/tests/jobs/{job}").status_code == 200


def test_the_same_large_event_twice_counts_once(server: Server) -> None:
    body = large("twice")
    assert [server.post(body).status_code for _ in range(2)] == [201, 201]
    assert 'headwater_duplicate_events_total{tenant="default"} 1.0' in server.get("/metrics").text


def test_the_process_is_killed(server: Server) -> None:
    """The next event has another process."""
    assert server.post(large("before")).status_code == 201
    os.kill(children_of(server.process.pid)[-1], signal.SIGKILL)
    answers = [server.post(large(f"after{number}")).status_code for number in range(3)]
    assert set(answers) <= {201, 500}
    assert answers[1:] == [201, 201]
    assert server.post(event("small")).status_code == 201


def test_a_stop_waits_for_large_events_and_leaves_no_process(tmp_path: Path) -> None:
    with Server(tmp_path, "--query-processes", "0") as server, ThreadPoolExecutor(3) as pool:
        assert server.post(large("first")).status_code == 201
        children = children_of(server.process.pid)
        sent = [pool.submit(server.post, large(f"job{number}", 10_000)) for number in range(3)]
        time.sleep(0.2)
        assert server.stop() == 0
        answers = []
        for one in sent:
            try:
                answers.append(one.result().status_code)
            except httpx.TransportError:
                answers.append(0)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
    reader = Reader(make_engine(f"sqlite:///{tmp_path / 'headwater.db'}"))
    assert sum(1 for _ in reader.log(1)) >= 1 + answers.count(201)


def test_killed_in_the_middle(tmp_path: Path) -> None:
    """Server and process die while a large event is written; the next server finishes it by itself."""
    engine = make_engine(f"sqlite:///{tmp_path / 'headwater.db'}")
    with Server(tmp_path, "--query-processes", "0") as server, ThreadPoolExecutor(1) as pool:
        assert server.post(large("first")).status_code == 201
        child = children_of(server.process.pid)[-1]
        sent = pool.submit(server.post, large("huge", 20_000))
        until = time.monotonic() + 60
        while not has_unfinished(engine) and time.monotonic() < until:
            time.sleep(0.005)
        os.kill(child, signal.SIGKILL)
        server.kill()
        with pytest.raises(httpx.TransportError):
            sent.result()
    assert has_unfinished(engine), "it was over too soon to show anything"
    with Server(tmp_path, "--query-processes", "0") as again:
        until = time.monotonic() + 120
        while has_unfinished(engine) and time.monotonic() < until:
            time.sleep(0.05)
        over_http = again.get("/api/v2/dump").text
        found = again.get("/api/v1/namespaces/tests/datasets/huge.in19999")
    assert found.status_code == 200
    assert over_http == folded_log(tmp_path)
    assert not has_unfinished(engine)


def folded_log(data: Path) -> str:
    command = [sys.executable, "-m", "headwater", "fold", "--data", str(data)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_tenant_pays_for_what_an_event_costs(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        app.make_tenant("a")
        app.make_tenant("b")
        app.key = app.make_key(source="ANY", roles=["admin"])
        keys = {code: app.make_key(tenant=code, source="SPARK", roles=["writer"]) for code in "ab"}
        for code in "ab":
            path = f"/api/v2/tenants/{code}/limit"
            assert app.post(path, json={"rate": 1, "burst": 10}).status_code == 200
        assert app.send(large("huge", 10_000), key=keys["a"]).status_code == 201  # as 21
        refused = app.send(event("next"), key=keys["a"])
        assert (refused.status_code, refused.json()["error"]) == (429, "rate_limited")
        assert int(refused.headers["retry-after"]) > 5
        assert [app.send(event(f"b{n}"), key=keys["b"]).status_code for n in range(10)] == [201] * 10
        assert app.post("/api/v1/lineage/batch", content=large("more", 3000), key=keys["b"]).status_code == 429


def test_a_key_of_no_tenant(tmp_path: Path) -> None:
    """Whose a large event is it says itself; its limit holds, and what is over it is not written."""
    with Server(tmp_path, "--query-processes", "0") as server:

        def ask(path: str, body: Any, key: str | None = None) -> httpx.Response:
            headers = {"authorization": f"Bearer {key}"} if key else {}
            return httpx.post(f"{server.url}{path}", json=body, headers=headers, timeout=120)

        assert ask("/api/v2/tenants", {"code": "seven", "id": 7}).status_code == 201
        assert ask("/api/v2/tenants/seven/limit", {"rate": 1, "burst": 5}).status_code == 200
        shared = ask("/api/v2/keys", {"source": "GRAVITINO", "roles": ["writer"]}).json()["key"]
        inputs = [{"namespace": "gravitino://tenant/7/lake", "name": f"in{place}"} for place in range(9000)]
        answers = []
        for tenant in (8, 7, 7):
            body = json.loads(gravitino_event(tenant)) | {"inputs": inputs, "run": {"runId": str(uuid.uuid4())}}
            answers.append(ask("/api/v1/lineage", body, shared).status_code)
        assert answers == [409, 201, 429]
    reader = Reader(make_engine(f"sqlite:///{tmp_path / 'headwater.db'}"))
    assert sum(1 for _ in reader.log(7)) == 1


def test_senders_by_turns(tmp_path: Path) -> None:
    """One that comes later waits for one event of a sender who has queued many."""
    SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}").open()

    async def work() -> list[str]:
        waiting = LargeEvents(Settings(data=str(tmp_path)))
        order: list[str] = []
        passages = []
        for name in ("a1", "a2", "a3", "b1", "b2"):
            passage = waiting.submit(name[0], SINGLE_USER, large(name, 10), TenantIndex(), lambda _: None)
            passage.written.add_done_callback(lambda _, name=name: order.append(name))
            passages.append(passage)
        passages[1].settled.cancel()  # whoever sent it has gone
        await passages[0].written
        assert len({waiting.written for _ in range(3)}) == 3, "busy: the indexer must not take it for idle"
        await asyncio.gather(*(passage.written for passage in passages))
        await waiting.stop()
        assert [waiting.written, waiting.written] == [5, 5]
        return order

    assert asyncio.run(work()) == ["a1", "b1", "a2", "b2", "a3"]
