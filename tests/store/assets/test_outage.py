"""A graph server that is killed and comes back under load: senders are told, nothing is lost, nothing is there twice."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from headwater.store.assets.compare import compare_with_facts, repair
from headwater.store.assets.follow import AssetStore
from headwater.store.assets.neo4j import server as graph_servers
from headwater.store.assets.neo4j.server import GraphServer, GraphUnavailable, WrongGraph, read_password
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of, read_events
from tests.graph.catalog.cases import CASES, event_of
from tests.server import Server
from tests.servers.neo4j import Neo4j

pytestmark = pytest.mark.xdist_group("neo4j")
BODIES = [*read_events("written/gravitino.ndjson"), *[event_of(e) for _, _, case in CASES for e in case["events"]]]


def test_killed_and_started_again_under_load(tmp_path: Path, neo4j: Neo4j, graph_server: GraphServer) -> None:
    bodies = BODIES * 2
    random.Random(5).shuffle(bodies)
    answers: Counter[int] = Counter()
    left = list(bodies)
    lock, is_away = threading.Lock(), threading.Event()
    with Server(tmp_path, "--graph", neo4j.url) as server, httpx.Client(timeout=60) as client:

        def send() -> None:
            while True:
                with lock:
                    if not left:
                        return
                    body = left.pop()
                    is_late = len(left) < len(bodies) // 2
                if is_late:  # half of them meet a server that is away, however fast this machine is
                    assert is_away.wait(120)
                response = client.post(f"{server.url}/api/v1/lineage", content=body)
                answers[response.status_code] += 1
                if response.status_code == 503:
                    assert response.headers["retry-after"]
                    assert response.json()["error"] == "graph_unavailable"
                    time.sleep(0.3)
                    with lock:
                        left.append(body)

        with ThreadPoolExecutor(8) as threads:
            running = [threads.submit(send) for _ in range(8)]
            while answers[201] < len(bodies) // 4:
                time.sleep(0.01)
            neo4j.stop()
            is_away.set()
            began = time.monotonic()
            while not answers[503] and time.monotonic() - began < 60:  # the driver tries again for some seconds first
                time.sleep(0.05)
            # While it is away all but assets is answered.
            assert client.get(f"{server.url}/api/v2/datasets").status_code == 200
            assert client.get(f"{server.url}/api/v2/assets").status_code in (200, 503)
            neo4j.start()
            for one in running:
                one.result()
        assert set(answers) <= {201, 503}
        assert answers[201] == len(bodies)
        assert answers[503] > 0
        assert client.get(f"{server.url}/api/v2/assets").status_code == 200
        metrics = client.get(f"{server.url}/metrics").text
        assert "headwater_graph_seconds_count" in metrics
        assert "headwater_graph_failures_total" in metrics
    assert_same_as_facts(tmp_path, neo4j.url)


def assert_same_as_facts(data: Path, url: str) -> None:
    store = SqlStore(f"sqlite:///{data / 'headwater.db'}")
    assets = AssetStore(store, url)
    try:
        found = compare_with_facts(store.engine, 1, assets.graph)
        assert found.is_none, found
        assert found.nodes > 200
    finally:
        assets.close()
        store.close()


def test_what_was_not_delivered_is_later(
    embedded: SqlStore, neo4j: Neo4j, graph_server: GraphServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_servers, "_PAUSE_SECONDS", 4.0)
    assets = AssetStore(embedded, neo4j.url)
    assets.open()
    embedded.write([entry_of(body) for body in BODIES[:40]])
    assets.follow([1])
    neo4j.stop()
    try:
        embedded.write([entry_of(body) for body in BODIES[40:]])
        with pytest.raises(GraphUnavailable):
            assets.follow([1])
        began = time.monotonic()
        with pytest.raises(GraphUnavailable):
            assets.follow([1])
        assert time.monotonic() - began < 4  # nobody waits for it again and again
    finally:
        neo4j.start()
    time.sleep(4.1)
    assets.follow([1])
    assert compare_with_facts(embedded.engine, 1, assets.graph).is_none
    assets.close()


def test_repair(embedded: SqlStore, neo4j: Neo4j, graph_server: GraphServer) -> None:
    assets = AssetStore(embedded, neo4j.url)
    assets.open()
    embedded.write([entry_of(body) for body in BODIES])
    assets.follow([1])
    for statement in (
        "MATCH (n:Table) WITH n LIMIT 3 DETACH DELETE n",
        "MATCH (c:Column) WITH c LIMIT 5 SET c.dataType = 'wrong'",
        "CREATE (:Unit:Knowledge {tenantId: 1, id: 'unit:stray', name: 'stray'})",
    ):
        graph_server.write(lambda run, statement=statement: run.run(statement).consume())
    found = compare_with_facts(embedded.engine, 1, assets.graph)
    assert found.missing >= 3
    assert found.different >= 1
    assert found.extra == 1
    assert not repair(embedded.engine, 1, assets).is_none
    assert compare_with_facts(embedded.engine, 1, assets.graph).is_none
    assets.close()


def test_a_server_that_was_empty_is_filled(embedded: SqlStore, neo4j: Neo4j, graph_server: GraphServer) -> None:
    embedded.write([entry_of(body) for body in BODIES])
    embedded.projection.drain(1)
    assets = AssetStore(embedded, neo4j.url)
    assets.open()
    assets.follow([1])
    found = compare_with_facts(embedded.engine, 1, assets.graph)
    assert found.is_none, found
    assert found.edges > 200
    assets.close()


def test_passwords_come_by_reference(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from a file\n")
    assert read_password("", {}) is None
    assert read_password("env:P", {"P": "x"}) == "x"
    assert read_password(f"file:{tmp_path / 'secret'}", {}) == "from a file"
    for wrong in ("hunter2", "env:", "env:MISSING", "file:/no/such/file"):
        with pytest.raises(WrongGraph) as caught:
            read_password(wrong, {})
        assert "hunter2" not in caught.value.message
    for url in ("http://x:1", "neo4j://user:secret@x:7687", "x"):
        with pytest.raises(WrongGraph) as caught:
            GraphServer(url)
        assert "secret" not in caught.value.message
