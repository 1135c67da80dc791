"""Several processes on one port: they share the work, replace each other, count together and stop together."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.api.test_ingest import event
from tests.cli.test_main import headwater
from tests.processes import children_of, is_alive
from tests.server import Server
from tests.servers import SERVERS, DatabaseServer, ServerMissing
from tests.waiting import until


@pytest.fixture(scope="module")
def postgresql() -> Iterator[DatabaseServer]:
    try:
        with SERVERS["postgresql"]() as started:
            yield started
    except ServerMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


@pytest.fixture(params=["postgresql", "sqlite"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    store = []
    if request.param == "postgresql":
        store = ["--store", request.getfixturevalue("postgresql").make_database()]
    with Server(tmp_path, "--workers", "2", *store) as started:
        yield started


def workers_of(server: Server) -> list[int]:
    return children_of(server.process.pid)


class Load:
    """Senders on connections of their own that send each event again until it is taken."""

    def __init__(self, server: Server, senders: int, each: int) -> None:
        self.taken: list[bytes] = []
        self._server = server
        self._threads = [threading.Thread(target=self._send, args=(name, each)) for name in range(senders)]
        for thread in self._threads:
            thread.start()

    def _send(self, sender: int, count: int) -> None:
        for number in range(count):
            body = event(f"job-{sender}-{number % 7}")
            until(lambda body=body: self._is_taken(body))
            self.taken.append(body)

    def _is_taken(self, body: bytes) -> bool:
        try:
            return self._server.post(body).status_code == 201  # a new connection each time: any of the workers
        except httpx.TransportError:
            return False

    def join(self) -> None:
        for thread in self._threads:
            thread.join(120)
            assert not thread.is_alive()


def in_log(server: Server) -> list[str]:
    found = server.get("/api/v1/events/lineage", limit=10_000).json()
    return sorted(one["run"]["runId"] for one in found["events"])


def _run_id(body: bytes) -> str:
    found = re.search(rb'"runId": "([^"]+)"', body)
    assert found is not None
    return found.group(1).decode()


def test_they_share_the_work_and_count_together(server: Server) -> None:
    assert len(workers_of(server)) == 2
    load = Load(server, senders=4, each=25)
    load.join()
    assert in_log(server) == sorted(_run_id(body) for body in load.taken)
    text = server.get("/metrics").text
    assert 'headwater_events_total{tenant="default"} 100.0' in text, "whichever process is asked"
    until(lambda: "\nheadwater_queued_events 0.0" in server.get("/metrics").text)  # each tells once a second


def test_one_that_dies_is_replaced_and_nothing_is_lost(server: Server) -> None:
    first, second = workers_of(server)
    load = Load(server, senders=4, each=60)
    until(lambda: len(load.taken) > 40)
    os.kill(first, signal.SIGKILL)
    load.join()
    until(lambda: len(workers_of(server)) == 2 and first not in workers_of(server))
    assert second in workers_of(server), "the other one was left alone"
    assert in_log(server) == sorted(_run_id(body) for body in load.taken)
    assert "started again" in server.log()
    until(lambda: all(server.get("/health/ready").status_code == 200 for _ in range(10)))


def test_they_stop_together(server: Server) -> None:
    workers = workers_of(server)
    assert server.post(event()).status_code == 201
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 30
    assert not any(map(is_alive, workers))


def test_they_end_with_their_parent(postgresql: DatabaseServer, tmp_path: Path) -> None:
    with Server(tmp_path, "--workers", "2", "--store", postgresql.make_database()) as server:
        workers = workers_of(server)
        server.kill()
        until(lambda: not any(map(is_alive, workers)))


def test_a_taken_port_is_said(server: Server, tmp_path: Path) -> None:
    port = server.url.rpartition(":")[2]
    for more in ([], ["--workers", "2", "--store", "postgresql+psycopg://nobody@127.0.0.1/nothing"]):
        refused = headwater("up", "--port", port, "--data", tmp_path, *more)
        assert refused.returncode == 1
        assert "Cannot listen" in refused.stderr
