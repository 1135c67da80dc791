"""Figures by day, on every database."""

from __future__ import annotations

import pytest

from headwater.graph.current.sums import LARGEST
from headwater.graph.derived import DatasetDay, JobDay, SqlUse
from headwater.graph.facts import SqlText
from headwater.graph.fold import fold
from headwater.store.read.lists.catalog import Catalog, SqlFilter
from headwater.store.read.lookup import Lookup
from headwater.store.read.runs.statement_use import StatementRuns, statement_runs
from headwater.store.read.series import FIRST_DAY, LAST_DAY, dataset_series, job_series
from headwater.store.sql_store import SqlStore
from headwater.store.write.derived import DerivedStore, Replacement

ONE, OTHER, THIRD = (bytes([number]) * 16 for number in range(3))


@pytest.fixture
def derived(store: SqlStore) -> DerivedStore:
    made = DerivedStore(store.engine.url.render_as_string(hide_password=False))
    yield made
    made.close()


def test_days_of_a_job(store: SqlStore, derived: DerivedStore) -> None:
    rows = [JobDay(1, ONE, day, runs=day, succeeded=1, duration_p50=5) for day in (-2, 0, 3, 4)]
    derived.replace(1, [Replacement(JobDay, (), (), [*rows, JobDay(1, OTHER, 9, runs=9)])])
    derived.replace(2, [Replacement(JobDay, (), (), [JobDay(2, ONE, 5, runs=99)])])

    def found(first: int = FIRST_DAY, last: int = LAST_DAY, most: int = 9) -> list[JobDay]:
        return job_series(Lookup(store.engine), 1, ONE, first, last, most)

    assert found() == rows[::-1]
    assert found(0, 3) == rows[2:0:-1]
    assert found(most=1) == rows[3:]
    assert found(last=-3) == []


def test_days_of_a_dataset_under_all_its_names(store: SqlStore, derived: DerivedStore) -> None:
    one = [DatasetDay(1, ONE, 7, 1, 2, 3, 4, None, LARGEST, 6, 7), DatasetDay(1, ONE, 5, reads=1)]
    other = [DatasetDay(1, OTHER, 7, 10, 20, None, 40, None, 50, 60, 8), DatasetDay(1, OTHER, 6, reads=2)]
    third = [DatasetDay(1, THIRD, 8, reads=3)]
    derived.replace(1, [Replacement(DatasetDay, (), (), [*one, *other, *third])])
    derived.replace(2, [Replacement(DatasetDay, (), (), [DatasetDay(2, ONE, 7, reads=99)])])
    both = DatasetDay(1, ONE, 7, 11, 22, 3, 44, None, LARGEST, 66, 8)
    lookup = Lookup(store.engine)
    assert dataset_series(lookup, 1, [ONE, OTHER], FIRST_DAY, LAST_DAY, 9) == [both, other[1], one[1]]
    assert dataset_series(lookup, 1, [ONE, OTHER], 5, 6, 9) == [other[1], one[1]]
    assert dataset_series(lookup, 1, [ONE, OTHER, THIRD], FIRST_DAY, LAST_DAY, 2) == [third[0], both]
    assert dataset_series(lookup, 2, [OTHER], FIRST_DAY, LAST_DAY, 9) == []


def statements(store: SqlStore, *, descending: bool, by: str | None = "runs", limit: int = 9, after=None, days=None):
    page = Catalog(store.engine).statements(
        1, SqlFilter(days=days), descending=descending, after=after, limit=limit, by=by
    )
    return [tuple(row) for row in page.rows], page.total


def test_statements_by_how_often_they_ran(store: SqlStore, derived: DerivedStore) -> None:
    never = bytes([9]) * 16
    texts = [SqlText(tenant, sql, text="SELECT 1") for tenant in (1, 2) for sql in (ONE, OTHER, THIRD, never)]
    store.merge(fold(texts))
    rows = [
        SqlUse(1, ONE, ONE, 1, runs=2, failures=1, duration_total=LARGEST, first_seen=1, last_seen=30),
        SqlUse(1, ONE, OTHER, 2, runs=3, failures=0, duration_total=LARGEST, first_seen=1, last_seen=20),
        SqlUse(1, OTHER, ONE, 2, runs=5, failures=2, duration_total=7, first_seen=1, last_seen=10),
        SqlUse(1, THIRD, ONE, 3, runs=1, failures=0, first_seen=1, last_seen=40),
    ]
    derived.replace(1, [Replacement(SqlUse, (), (), rows)])
    derived.replace(2, [Replacement(SqlUse, (), (), [SqlUse(2, THIRD, ONE, 2, runs=99, last_seen=99)])])
    listed = [(OTHER, 5), (ONE, 5), (THIRD, 1), (never, None)]
    assert statements(store, descending=True) == (listed, 4)
    assert statements(store, descending=True, limit=1, after=(5, OTHER))[0] == [(ONE, 5)]
    assert statements(store, descending=True, after=(1, THIRD))[0] == [(never, None)]
    assert statements(store, descending=False)[0] == [(THIRD, 1), (ONE, 5), (OTHER, 5), (never, None)]
    assert statements(store, descending=True, by="last_run")[0][:2] == [(THIRD, 40), (ONE, 30)]
    assert statements(store, descending=True, days=(2, 2)) == ([(OTHER, 5), (ONE, 3)], 2)
    assert statements(store, descending=False, by=None, days=(1, 1)) == ([(ONE,)], 1)
    found = statement_runs(store.engine, 1, [ONE, OTHER, THIRD, never])
    assert found == {
        ONE: StatementRuns(5, 1, LARGEST, 30),
        OTHER: StatementRuns(5, 2, 7, 10),
        THIRD: StatementRuns(1, 0, None, 40),
    }
    assert statement_runs(store.engine, 1, [ONE], (2, 3)) == {ONE: StatementRuns(3, 0, LARGEST, 20)}
