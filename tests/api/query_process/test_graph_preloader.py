"""Graphs are read before anybody asks, and again when they changed as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from headwater.api.query_process.graph_preloader import GraphPreloader
from headwater.lineage.walk.lineage import lineage
from headwater.store.cache.invalidation import note_change_of_all
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of
from tests.lineage.flows.test_neighbours import DB
from tests.lineage.test_aliases import event
from tests.waiting import until


@pytest.fixture
def reader(store: SqlStore) -> Iterator[Reader]:
    store.write([entry_of(event("x", [(DB, "a")], [(DB, "b")]))])
    reader = Reader(store.engine)
    graph_preloader = GraphPreloader(reader, lambda: [1], seconds=0.02)
    graph_preloader.start()
    yield reader
    graph_preloader.stop()


def jobs(reader: Reader) -> int:
    """How many jobs were read ahead, which cannot be seen from outside."""
    graph = reader.graph_cache._graphs.get(1)
    return len(graph.targets) if graph and graph.is_loaded else 0


def test_before_anybody_asks(reader: Reader) -> None:
    until(lambda: jobs(reader) == 1)


def test_again_when_anything_may_have_changed(reader: Reader, store: SqlStore) -> None:
    until(lambda: jobs(reader) == 1)
    store.write([entry_of(event("y", [(DB, "b")], [(DB, "c")], 2))])
    note_change_of_all(store.engine)
    lineage(reader, 1, f"dataset:{DB}:c")
    until(lambda: jobs(reader) == 2)


def test_what_changed_is_forgotten_before_anybody_asks(reader: Reader, store: SqlStore) -> None:
    until(lambda: jobs(reader) == 1)
    store.write([entry_of(event("x", [(DB, "a")], [(DB, "other")], 2))])
    until(lambda: jobs(reader) == 0)
    assert {node["name"] for node in lineage(reader, 1, f"dataset:{DB}:a")["downstream"]["nodes"]} >= {"b", "other"}
