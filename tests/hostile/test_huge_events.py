"""Huge events: what is worked out of it for search is written in slices, and once."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from headwater.deadline import Deadline, TooSlow, within
from headwater.store.sql_store import SqlStore
from headwater.store.write.search_index import SearchIndex
from tests.api.test_ingest import event
from tests.conftest import entry_of

EVENTS, COLUMNS = 4, 1500


@pytest.fixture
def huge(store: SqlStore) -> SqlStore:
    for number in range(EVENTS):
        fields = [{"name": f"column{number}x{place}"} for place in range(COLUMNS)]
        facets = {"schema": {"_producer": "https://tests", "_schemaURL": "https://tests", "fields": fields}}
        outputs = [{"namespace": "tests", "name": f"wide{number}", "facets": facets}]
        body = json.loads(event(f"huge{number}")) | {"outputs": outputs}
        store.write([entry_of(json.dumps(body).encode())])
    return store


def test_postings_are_written_in_slices(huge: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two of them others may write."""
    sizes: list[int] = []
    write = SearchIndex._write

    def noted(self: SearchIndex, writes: list[tuple[Any, list[Any]]], done: Any) -> None:
        sizes.append(sum(len(rows) for _, rows in writes))
        write(self, writes, done)

    monkeypatch.setattr(SearchIndex, "_write", noted)
    huge.search.drain(1)
    assert sum(sizes) > EVENTS * COLUMNS
    assert max(sizes) <= 2000
    assert huge.search.waiting() == []


def test_many_searches_work_it_out_once(huge: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []
    postings = SearchIndex._postings
    worked: list[int] = []

    def noted(self: SearchIndex, tenant: int, ids: list[bytes]) -> Any:
        worked.append(len(ids))
        return postings(self, tenant, ids)

    monkeypatch.setattr(SearchIndex, "_postings", noted)
    threads = [threading.Thread(target=lambda: found.append(huge.search.drain(1))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found)[:4] == [0, 0, 0, 0]
    assert sum(worked) == max(found)


def test_a_search_whose_time_is_over_leaves_the_rest_to_the_next(huge: SqlStore, tmp_path: Path) -> None:
    with within(Deadline(0)), pytest.raises(TooSlow):
        huge.search.drain(1)
    assert huge.search.waiting() == [1]
    huge.search.drain(1)
    assert huge.search.waiting() == []
