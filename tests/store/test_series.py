"""Figures by day, on every database."""

from __future__ import annotations

import pytest

from headwater.graph.derived import DatasetDay, JobDay
from headwater.graph.rollup.totals import LARGEST
from headwater.store.derived import DerivedStore, Replacement
from headwater.store.lookup import Lookup
from headwater.store.series import FIRST_DAY, LAST_DAY, dataset_series, job_series
from headwater.store.sql import SqlStore

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
