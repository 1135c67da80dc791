"""The stored asset graph is what follows from the facts, after every batch and in whatever order events come."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from typing import Any

import pytest

from headwater.graph.assets.assets import owned_assets
from headwater.store.assets.rows import rows_of
from headwater.store.assets.tables import asset_edges, asset_nodes
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of, read_events
from tests.graph.catalog.cases import CASES, IDS, event_of


def expected(store: SqlStore) -> tuple[dict[str, Any], dict[Any, Any]]:
    reader = Reader(store.engine)
    rows = rows_of(owned_assets(lambda kind: list(reader.all_facts(1, kind))))
    nodes = {row.id: (row.label, json.loads(row.properties)) for row in rows.nodes.values()}
    edges = {(row.source_id, row.kind, row.target_id): json.loads(row.properties) for row in rows.edges.values()}
    return nodes, edges


def stored(store: SqlStore) -> tuple[dict[str, Any], dict[Any, Any]]:
    with store.engine.connect() as connection:
        found = connection.execute(asset_nodes.select()).all()
        ids = {bytes(row.node): row.id for row in found}
        nodes = {row.id: (row.label, json.loads(row.properties)) for row in found}
        edges = {
            (ids.get(bytes(row.source), "tenant"), row.kind, ids.get(bytes(row.target))): json.loads(row.properties)
            for row in connection.execute(asset_edges.select())
        }
    return nodes, edges


def check(store: SqlStore, batches: Iterable[list[bytes]]) -> None:
    for batch in batches:
        store.write([entry_of(body) for body in batch])
        store.projection.drain(1)
        wanted, found = expected(store), stored(store)
        assert found[0] == wanted[0]
        assert found[1] == wanted[1]
    assert store.projection.waiting() == []


@pytest.mark.parametrize(("name", "number", "case"), CASES, ids=IDS)
@pytest.mark.parametrize("order", ["as sent", "reversed"])
def test_after_each_event(embedded: SqlStore, name: str, number: int, case: dict[str, Any], order: str) -> None:
    bodies = [event_of(short) for short in case["events"]]
    check(embedded, ([body] for body in (bodies if order == "as sent" else bodies[::-1])))


@pytest.mark.parametrize("seed", [1, 3])
def test_all_together(store: SqlStore, seed: int) -> None:
    bodies = [*read_events("written/gravitino.ndjson"), *[event_of(e) for _, _, case in CASES for e in case["events"]]]
    chance = random.Random(seed)
    chance.shuffle(bodies)
    check(store, [bodies[start : start + 60] for start in range(0, len(bodies), 60)])


@pytest.mark.parametrize(
    "name", ["written/spark.ndjson", "written/flink.ndjson", "written/dbt.ndjson", "recorded/airflow.ndjson"]
)
def test_engines(embedded: SqlStore, name: str) -> None:
    bodies = read_events(name)
    random.Random(1).shuffle(bodies)
    check(embedded, [bodies[start : start + 25] for start in range(0, len(bodies), 25)])
