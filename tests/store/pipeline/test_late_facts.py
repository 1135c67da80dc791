"""Events whose facts came later than they themselves are told to whoever follows the log."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from headwater.store.pipeline import late_facts as module
from headwater.store.pipeline.late_facts import LateFacts, LateRange, forget_late, late_ranges, opened_late_facts
from headwater.store.sql_store import SqlStore
from headwater.store.tables import late_facts
from tests.store.test_contract import entry, event


def opened(url: str, count: int) -> SqlStore:
    store = SqlStore(url)
    store.open()
    write(store, 0, count)
    return store


def write(store: SqlStore, start: int, end: int) -> None:
    store.write([entry(event(f"job{number}")) for number in range(start, end)])


def noted(store: SqlStore) -> list[tuple[int, int]]:
    with store.engine.connect() as connection:
        return [(part.first, part.last) for part in late_ranges(connection)]


def test_parts_of_a_job_are_told_when_they_are_merged(database: Callable[[], str]) -> None:
    url = database()
    store = opened(url, 3)
    with opened_late_facts(url, "import") as late:
        assert noted(store) == []
        before = late.newest()
        write(store, 3, 5)
        late.merged(before)
        assert noted(store) == [(before + 1, before + 2)]
    assert noted(store) == [(before + 1, before + 2)], "the end tells nothing that a part has told"
    with opened_late_facts(url, "stream"):
        write(store, 5, 6)
    with opened_late_facts(url, "stream"):
        pass
    assert noted(store) == [(before + 1, before + 2), (before + 3, before + 3)]
    store.close()


def test_a_job_that_was_cut_off_tells_all_that_it_appended(database: Callable[[], str]) -> None:
    url = database()
    store = opened(url, 1)
    cut_off = LateFacts(store.engine, "import")
    cut_off.begin()
    first = cut_off.newest() + 1
    write(store, 1, 3)  # and then it was killed
    other = LateFacts(store.engine, "another import")
    other.begin()
    other.end()
    with pytest.raises(ZeroDivisionError), opened_late_facts(url, "import"):
        raise ZeroDivisionError  # its facts are not there yet
    assert noted(store) == []
    with opened_late_facts(url, "import") as late:
        late.merged(late.newest())
        assert noted(store) == []
    assert noted(store) == [(first, first + 1)]
    with opened_late_facts(url, "import"):
        pass
    assert noted(store) == [(first, first + 1)]
    store.close()


def test_what_was_read_is_forgotten(database: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    url = database()
    store = opened(url, 1)
    for start in range(1, 9, 2):
        with opened_late_facts(url, None):
            write(store, start, start + 2)
    with store.engine.connect() as connection:
        one, two, *others = late_ranges(connection)
    forget_late(store.engine, [one, LateRange(two.row, two.first, two.first)])
    assert noted(store) == [(two.last, two.last), *((part.first, part.last) for part in others)]

    monkeypatch.setattr(module, "_MOST", 3)
    with opened_late_facts(url, None):
        write(store, 9, 10)
    assert noted(store) == [(two.last, others[-1].last + 1)], "one for all, rather than none for some"
    with store.engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(late_facts)).scalar_one() == 1
    store.close()
