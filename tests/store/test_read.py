"""A dump is one moment, also while events come in."""

from __future__ import annotations

from headwater.graph.facts import Evidence, Node
from headwater.store.read import Reader
from headwater.store.sql import SqlStore
from tests.api.test_ingest import event
from tests.conftest import entry_of


def test_a_snapshot_does_not_move(store: SqlStore) -> None:
    store.write([entry_of(event("before"))])
    with Reader(store.engine).snapshot(1) as read:
        nodes = list(read(Node))
        store.write([entry_of(event("while it is read"))])
        assert list(read(Node)) == nodes
        assert len(list(read(Evidence))) == 1
    assert len(list(Reader(store.engine).all_facts(1, Evidence))) == 2
