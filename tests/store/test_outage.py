"""The database goes away under load and comes back: clients are told to come again, and nothing acknowledged is lost."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Self

import httpx
import pytest

from headwater.graph.fold import fold
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.identity import fingerprint
from headwater.store.engine import make_engine
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from tests.ingest.test_kill import event
from tests.server import Server
from tests.servers import SERVERS, DatabaseServer

WORKERS = 4


class Load:
    """Clients that do as they are told: after 503 they wait, and send the same event again."""

    def __init__(self, url: str) -> None:
        self.url, self.acknowledged, self.answers = url, set[bytes](), Counter[int]()
        self.failures: list[str] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._send, args=(worker,)) for worker in range(WORKERS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def _send(self, worker: int) -> None:
        number = 0
        with httpx.Client(timeout=30) as client:
            while not self._stop.is_set():
                number += 1
                body = event(worker, number, "outage")
                while not self._stop.is_set():
                    answer = client.post(f"{self.url}/api/v1/lineage", content=body)
                    self.answers[answer.status_code] += 1
                    if answer.status_code == 201:
                        self.acknowledged.add(fingerprint(body))
                        break
                    if answer.status_code != 503 or "retry-after" not in answer.headers:
                        self.failures.append(f"{answer.status_code} {answer.text}")
                    time.sleep(0.05)

    def wait_for_more(self, count: int) -> None:
        goal = len(self.acknowledged) + count
        _until(lambda: len(self.acknowledged) >= goal)

    def wait_for_refusals(self, count: int) -> None:
        goal = self.answers[503] + count
        _until(lambda: self.answers[503] >= goal)


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.05)


@pytest.fixture(params=list(SERVERS))
def own_server(request: pytest.FixtureRequest, server_of: Callable[[str], DatabaseServer]) -> Iterator[DatabaseServer]:
    """A server of this test alone: it is going to be stopped."""
    server_of(request.param)  # skips where there is none
    with SERVERS[request.param]() as started:
        yield started


@pytest.mark.slow
def test_outage(own_server: DatabaseServer, tmp_path: Path) -> None:
    url = own_server.make_database()
    with Server(tmp_path, environment={"HEADWATER_STORE": url}) as headwater, Load(headwater.url) as load:
        load.wait_for_more(50)
        for end in (own_server.stop, own_server.kill):
            assert headwater.get("/health/ready").status_code == 200
            end()
            _until(lambda: headwater.get("/health/ready").status_code == 503)
            load.wait_for_refusals(WORKERS)
            away = headwater.get("/health/ready")
            assert away.json()["checks"] == {"store": "down"}
            assert "retry-after" in away.headers
            assert headwater.get("/health/live").status_code == 200
            question = headwater.get("/api/v1/namespaces")
            assert question.status_code == 503
            assert question.json()["error"] == "store_unavailable"
            assert "retry-after" in question.headers
            own_server.start()
            load.wait_for_more(50)
            _until(lambda: headwater.get("/health/ready").status_code == 200)
            assert headwater.get("/api/v1/namespaces").status_code == 200
    assert load.failures == []
    assert set(load.answers) == {201, 503}
    assert "headwater:headwater" not in headwater.log()

    engine = make_engine(url)
    reader = Reader(engine)
    bodies = [item.body for item in reader.log(1)]
    stored = Counter(map(fingerprint, bodies))
    assert max(stored.values()) == 1, "an event is there twice"
    assert load.acknowledged <= set(stored), "an acknowledged event is lost"
    expected = fold(fact for body in bodies for fact in interpret(decode_event(body), 1).facts())
    assert list(dump_facts(partial(reader.all_facts, 1))) == list(dump_graph(expected))
    engine.dispose()


@pytest.mark.slow
def test_ready_again_without_any_event(own_server: DatabaseServer, tmp_path: Path) -> None:
    """A balancer that sends nothing to a server that is not ready must see it become ready."""
    with Server(tmp_path, environment={"HEADWATER_STORE": own_server.make_database()}) as headwater:
        own_server.stop()
        assert headwater.post(event(1, 1, "alone")).status_code == 503
        assert headwater.get("/health/ready").status_code == 503
        own_server.start()
        _until(lambda: headwater.get("/health/ready").status_code == 200)
        assert headwater.post(event(1, 1, "alone")).status_code == 201
