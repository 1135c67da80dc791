"""A dump is one moment, also while events come in; one that is given up leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.graph.facts import Evidence, Node
from headwater.store.pools import pool_use
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
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


def test_a_snapshot_that_is_given_up(store: SqlStore) -> None:
    """Whoever uses the connection next must not have to read the rest, nor be in the middle of something."""
    store.write([entry_of(event(f"j{number}")) for number in range(600)])
    reader = Reader(store.engine)
    for _ in range(25):  # more than there are connections

        def rows() -> Iterator[object]:
            with reader.snapshot(1) as read:
                yield from read(Node)

        opened = rows()
        next(opened)
        opened.close()
        assert pool_use(store.engine).in_use == 0
        reader.ping()
    assert len(list(reader.all_facts(1, Node))) == 1200
