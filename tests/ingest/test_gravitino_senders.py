"""Gravitino's listener sends from a hundred threads, in no order, and again after a failure: the graph is the same."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from headwater.graph.fold import fold
from headwater.store.engine import make_engine
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from tests.conftest import entry_of, read_events
from tests.graph.catalog.cases import CASES, event_of
from tests.server import Server

THREADS = 100


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hundred_threads(tmp_path: Path, seed: int) -> None:
    bodies = [*read_events("written/gravitino.ndjson"), *[event_of(e) for _, _, case in CASES for e in case["events"]]]
    chance = random.Random(seed)
    sent = bodies + chance.sample(bodies, len(bodies) // 3)
    chance.shuffle(sent)
    with Server(tmp_path) as server, httpx.Client(timeout=60, limits=httpx.Limits(max_connections=THREADS)) as client:

        def send(body: bytes) -> int:
            return client.post(f"{server.url}/api/v1/lineage", content=body).status_code

        with ThreadPoolExecutor(THREADS) as threads:
            assert set(threads.map(send, sent)) == {201}
    reader = Reader(make_engine(f"sqlite:///{tmp_path / 'headwater.db'}"))
    facts = [fact for body in bodies if (said := entry_of(body).interpretation) for fact in said.facts()]
    with reader.snapshot(1) as read:
        stored = list(dump_facts(read))
    assert stored == list(dump_graph(fold(facts)))
    assert any('"asset":"CompositeMetric"' in line for line in stored)
