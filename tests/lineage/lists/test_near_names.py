"""Searches that find nothing by whole words find names with the middle of one, and misspelt ones."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from headwater.demo.shop import shop_events
from headwater.lineage.lists.search import KINDS, search
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory):
    store = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('near') / 'headwater.db'}")
    store.open()
    store.write([entry_of(body) for body in shop_events(datetime(2026, 1, 31, 12, tzinfo=UTC))[-250:]])
    store.search.drain(1)
    yield Reader(store.engine)
    store.close()


def names(reader: Reader, text: str, **more) -> list[str]:
    return [hit.name for hit in search(reader, 1, text, **more).items]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("newsleter", "newsletter_audience"),
        ("newsletter audence", "newsletter_audience"),
        ("wsletter_aud", "newsletter_audience"),
        ("EWSLETTER", "newsletter_audience"),
        ("custmer 360", "warehouse.marts.customer_360"),
    ],
)
def test_found_all_the_same(reader: Reader, typed: str, wanted: str) -> None:
    assert wanted in names(reader, typed)


def test_what_is_found_by_its_words_is_not_mixed_with_others(reader: Reader) -> None:
    exact = search(reader, 1, "newsletter")
    assert exact.items
    assert all(hit.score > 0 for hit in exact.items)


def test_nothing_is_like_it(reader: Reader) -> None:
    for typed in ("zzzzqqqq", "qx", "x" * 5000, "newsletter zzzzqqqq"):
        found = search(reader, 1, typed)
        assert (found.items, found.total) == ([], 0), typed


def test_kinds_and_limits_hold(reader: Reader) -> None:
    assert names(reader, "efresh_", kinds=[KINDS["dataset"]]) == []
    jobs = search(reader, 1, "efresh_", kinds=[KINDS["job"]], limit=2)
    assert len(jobs.items) == 2
    assert search(reader, 2, "newsleter").items == []
