"""While nobody writes, search is brought up to date by itself."""

from __future__ import annotations

import time
from collections.abc import Callable

from headwater.ingest.search_indexer import Indexer
from headwater.lineage.lists.search import search
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of, read_events

BODIES = [entry_of(body) for body in read_events("written/spec.ndjson")]


def _until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_what_waits_is_worked_out(store: SqlStore) -> None:
    indexer = Indexer(store.engine, [store.search], lambda: [1], lambda: 0, seconds=0.02)
    indexer.start()
    store.write(BODIES)
    _until(lambda: not store.search.waiting())
    indexer.stop()
    assert search(Reader(store.engine), 1, "customers").total > 0


def test_what_was_never_noted_is_found_at_the_start(store: SqlStore) -> None:
    for entry in BODIES:
        for fact in entry.interpretation.facts():
            store.merge({type(fact): {fact.key(): fact}})
    indexer = Indexer(store.engine, [store.search], lambda: [1], lambda: 0, seconds=0.02)
    indexer.start()
    _until(lambda: search(Reader(store.engine), 1, "customers").total > 0)
    indexer.stop()


def test_it_outlives_a_database_that_is_away(store: SqlStore, monkeypatch) -> None:
    import sqlalchemy as sa

    asked = []

    def away() -> list[int]:
        asked.append(1)
        raise sa.exc.OperationalError("SELECT 1", {}, Exception("gone"))

    monkeypatch.setattr(store.search, "waiting", away)
    indexer = Indexer(store.engine, [store.search], list, lambda: 0, seconds=0.02)
    indexer.start()
    _until(lambda: len(asked) > 2)
    indexer.stop()
