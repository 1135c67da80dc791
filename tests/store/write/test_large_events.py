"""What a large event says is written in short transactions; one that was interrupted is finished from the log."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.facts import Shape
from headwater.graph.fold import fold
from headwater.store.pipeline.late_facts import late_ranges
from headwater.store.read.dump import dump_facts, dump_graph
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.write.large_events.slices import MOST_ROWS, in_slices
from headwater.store.write.large_events.unfinished_events import has_unfinished
from headwater.store.write.upsert import UpsertStatement
from tests.api.test_ingest import event
from tests.conftest import entry_of

INPUTS = 1400


class Crash(Exception):
    pass


def large(job: str = "huge") -> bytes:
    facet = {"_producer": "https://tests", "_schemaURL": "https://tests"}
    symlink = {"identifiers": [{"namespace": "other", "name": f"{job}.linked", "type": "TABLE"}]}
    inputs: list[dict[str, Any]] = [{"namespace": "tests", "name": f"{job}.in{place}"} for place in range(INPUTS)]
    inputs[0]["facets"] = {"symlinks": {**facet, **symlink}}
    return event(job, inputs=inputs)


def dumped(store: SqlStore) -> list[str]:
    with Reader(store.engine).snapshot(1) as read:
        return list(dump_facts(read))


def folded(bodies: list[bytes]) -> list[str]:
    entries = [entry_of(body) for body in bodies]
    return list(dump_graph(fold(fact for entry in entries for fact in entry.interpretation.facts())))


def logged(store: SqlStore) -> list[bytes]:
    return [one.body for one in Reader(store.engine).log(1)]


def crash_after(store: SqlStore, monkeypatch: pytest.MonkeyPatch, transactions: int) -> list[int]:
    """After so many transactions the store fails in a way that nobody expects. Gives the rows of each."""
    sizes: list[int] = []
    transact = store._transact

    def counted(log: list[Any], facts: list[Any], *more: Any) -> int:
        if len(sizes) >= transactions:
            raise Crash
        sizes.append(len(log) + sum(len(rows) for _, rows in facts))
        return transact(log, facts, *more)

    monkeypatch.setattr(store, "_transact", counted)
    return sizes


def test_it_says_the_same_in_slices(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = crash_after(store, monkeypatch, 1000)
    body = large()
    assert store.write_large(entry_of(body)) == 1
    assert len(sizes) > 4
    assert max(sizes) <= MOST_ROWS
    assert dumped(store) == folded([body])
    assert not has_unfinished(store.engine)
    before = len(sizes)
    assert store.write_large(entry_of(body)) == 0
    assert len(sizes) == before + 1, "what is known already is not written again"


def test_whoever_follows_the_log_reads_it_once_more(store: SqlStore) -> None:
    store.write([entry_of(event("small"))])
    store.write_large(entry_of(large()))
    with store.engine.connect() as connection:
        ranges = late_ranges(connection)
    newest = max(one.id for one in Reader(store.engine).log(1))
    assert [(part.first, part.last) for part in ranges] == [(newest, newest)]


def test_a_small_one_is_one_transaction(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = crash_after(store, monkeypatch, 1000)
    assert store.write_large(entry_of(event("small"))) == 1
    assert len(sizes) == 1


@pytest.mark.parametrize("transactions", [0, 1, 2, 4, 5])
def test_interrupted(store: SqlStore, monkeypatch: pytest.MonkeyPatch, transactions: int) -> None:
    body, other = large(), event("other")
    store.write([entry_of(other)])
    with monkeypatch.context() as patched:
        sizes = crash_after(store, patched, transactions)
        with pytest.raises(Crash):
            store.write_large(entry_of(body))
        assert len(sizes) == transactions
    assert logged(store) == [other, body][: 1 + min(transactions, 1)], "the event comes first"
    assert has_unfinished(store.engine) == (transactions > 0)
    assert len(list(Reader(store.engine).all_facts(1, Shape))) == 1, "half of an event does not count"
    again = SqlStore(store.engine.url.render_as_string(hide_password=False))
    again.attach()
    assert again.finish_events() == min(transactions, 1)
    assert not has_unfinished(store.engine)
    assert dumped(store) == folded(logged(store))
    again.search.drain(1)
    with store.engine.connect() as connection:
        found = connection.execute(sa.text("SELECT COUNT(*) FROM search_source WHERE tenant = 1")).scalar_one()
    assert (found > INPUTS) == (transactions > 0)
    assert again.finish_events() == 0
    again.close()


def test_sent_again_instead(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who got no answer sends it once more: that finishes it, too."""
    body = large()
    with monkeypatch.context() as patched:
        crash_after(store, patched, 3)
        with pytest.raises(Crash):
            store.write_large(entry_of(body))
    assert store.write_large(entry_of(body)) == 0
    assert logged(store) == [body]
    assert dumped(store) == folded([body])
    assert not has_unfinished(store.engine)


def test_what_fails_every_time_is_left_alone(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        crash_after(store, patched, 2)
        with pytest.raises(Crash):
            store.write_large(entry_of(large()))
        assert [store.finish_events() for _ in range(4)] == [1, 1, 1, 0]
    assert not has_unfinished(store.engine)


def test_an_event_that_was_removed_meanwhile(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        crash_after(store, patched, 2)
        with pytest.raises(Crash):
            store.write_large(entry_of(large()))
    with store.engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM lineage_events WHERE tenant_id = 1"))
    assert store.finish_events() == 1
    assert not has_unfinished(store.engine)


def test_a_large_value_is_a_slice_by_itself(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = crash_after(store, monkeypatch, 1000)
    facet = {"_producer": "https://tests", "_schemaURL": "https://tests"}
    outputs = [
        {
            "namespace": "tests",
            "name": f"wide{place}",
            "facets": {"schema": {**facet, "fields": [{"name": "c", "description": f"{place}" + "x" * 900_000}]}},
        }
        for place in range(3)
    ]
    body = json.dumps(json.loads(event("wide")) | {"outputs": outputs}).encode()
    store.write_large(entry_of(body))
    assert len(sizes) >= 5
    assert dumped(store) == folded([body])


@given(st.lists(st.lists(st.binary(max_size=20), max_size=12), max_size=5), st.integers(1, 7), st.integers(1, 60))
def test_slices_are_all_rows_in_their_order(values: list[list[bytes]], most_rows: int, most_bytes: int) -> None:
    writes = [(UpsertStatement(str(number), ()), [(value,) for value in rows]) for number, rows in enumerate(values)]
    parts = list(in_slices(writes, most_rows, most_bytes))
    flat = [(statement.sql, row) for part in parts for statement, rows in part for row in rows]
    assert flat == [(statement.sql, row) for statement, rows in writes for row in rows]
    for part in parts:
        rows = [row for _, some in part for row in some]
        assert 0 < len(rows) <= most_rows
        assert len(rows) == 1 or sum(len(row[0]) for row in rows) <= most_bytes


def test_others_write_in_between(tmp_path: Path) -> None:
    """SQLite has one writer at a time: small events wait for a slice of a large one, not for all of it."""
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    one, other = SqlStore(url), SqlStore(url)
    one.open()
    other.attach()
    inputs = [{"namespace": "tests", "name": f"in{place}"} for place in range(12_000)]
    entry = entry_of(event("huge", inputs=inputs))
    writer = threading.Thread(target=one.write_large, args=(entry,))
    writer.start()
    while not has_unfinished(other.engine):
        time.sleep(0.001)
    written = 0
    while writer.is_alive():
        other.write([entry_of(event(f"small{written}"))])
        written += has_unfinished(other.engine)
    writer.join()
    assert written > 5
    assert dumped(one) == folded(logged(one))
    one.close()
    other.close()
