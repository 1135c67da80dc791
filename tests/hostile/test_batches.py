"""Batches of very many events, most of which are none."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Self

import httpx
import pytest

from headwater.api.http.split_batch import MOST_EVENTS
from tests.api.test_ingest import event
from tests.server import Server

BATCH, LETTERS = "/api/v1/lineage/batch", "/api/v2/dead-letters"
NDJSON = {"content-type": "application/x-ndjson"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("data"), "--query-processes", "0") as started:
        yield started


class Others:
    """Somebody who sends single events all the while."""

    def __init__(self, server: Server) -> None:
        self.statuses: list[int] = []
        self.slowest = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._send, args=(server,))

    def _send(self, server: Server) -> None:
        with httpx.Client(base_url=server.url, timeout=120) as client:
            while not self._ended.is_set():
                began = time.monotonic()
                answer = client.post("/api/v1/lineage", content=event(f"other-{len(self.statuses)}"))
                self.slowest = max(self.slowest, time.monotonic() - began)
                self.statuses.append(answer.status_code)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


@pytest.mark.parametrize(
    ("body", "headers"),
    [(b"[" + b"{}," * 3_000_000 + b"{}]", {}), (b"{}\n" * 3_000_000, NDJSON), (b"\n" * 9_000_000 + b"{}", NDJSON)],
)
def test_more_than_a_batch_may_have(server: Server, body: bytes, headers: dict[str, str]) -> None:
    with Others(server) as others:
        answer = httpx.post(f"{server.url}{BATCH}", content=body, headers=headers, timeout=120)
    told = answer.json()
    assert (answer.status_code, told["error"]) == (413, "too_large")
    assert told["message"] == f"A batch may have {MOST_EVENTS:,} events; this one has more."
    assert set(others.statuses) <= {201}


def test_many_refused_events_are_all_kept_and_nobody_waits_for_them(server: Server) -> None:
    """They are written some at a time: events of others get in between."""
    count = 5_000
    before = server.get(LETTERS, limit=1).json()["total"]
    with Others(server) as others:
        answer = httpx.post(f"{server.url}{BATCH}", content=b"[" + b"{}," * (count - 1) + b"{}]", timeout=240)
    assert answer.json()["summary"] == {"received": count, "successful": 0, "failed": count}
    assert server.get(LETTERS, limit=1).json()["total"] - before == count
    assert set(others.statuses) == {201}
    assert others.slowest < 30
