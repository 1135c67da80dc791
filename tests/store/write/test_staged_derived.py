"""Derived tables built aside and swapped in: all at once, for one tenant, and only what differs."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import sqlalchemy as sa

from headwater.graph.derived import JobDay, RunTotal
from headwater.graph.facts import OutputType
from headwater.store.sql_store import SqlStore
from headwater.store.write.derived import DerivedStore, Replacement
from headwater.store.write.inferred_shapes import InferredStore
from headwater.store.write.staged_derived import StagedDerived, StagedWriter

ID = b"0123456789abcdef"
OTHER = b"fedcba9876543210"


def day(tenant: int, number: int, runs: int | None) -> JobDay:
    return JobDay(tenant, ID, number, runs=runs)


def values(row: JobDay | RunTotal) -> tuple:
    return tuple(getattr(row, name) for name in row.__struct_fields__)


def test_swap(database: Callable[[], str]) -> None:
    url = database()
    store = SqlStore(url)
    store.open()
    derived = DerivedStore(url)
    before = [day(1, 1, 5), day(1, 2, None), day(1, 3, 7)]
    derived.replace(1, [Replacement(JobDay, (), (), before)])
    derived.replace(2, [Replacement(JobDay, (), (), [day(2, 1, 9)])])

    staged = StagedDerived(url, "aside_test")
    with staged.open():
        writer = StagedWriter(url, "aside_test")
        after = [day(1, 1, 5), day(1, 2, 0), day(1, 4, 1)]
        writer.write(JobDay, [values(row) for row in after])
        writer.write(JobDay, [values(row) for row in after])  # a task that was run twice
        total = RunTotal(1, ID, OTHER, 2, rows=3, types=OutputType.APPEND)
        writer.write(RunTotal, [values(total)])
        writer.close()
        assert sorted(derived.rows(1, JobDay), key=values_key) == before
        # Two are gone, two came, one had another value (which is both), and a total is new.
        assert staged.swap(1, lambda _: None) == 5
        assert staged.swap(1, lambda _: None) == 0
    assert sorted(derived.rows(1, JobDay), key=values_key) == after
    assert derived.rows(1, RunTotal) == [total]
    assert derived.rows(2, JobDay) == [day(2, 1, 9)]
    assert not [name for name in sa.inspect(store.engine).get_table_names() if name.startswith("aside_")]
    derived.close()
    store.close()


def test_replacing_by_keys(database: Callable[[], str]) -> None:
    url = database()
    store = SqlStore(url)
    store.open()
    store.close()
    derived = DerivedStore(url)
    rows = [JobDay(1, job, number, runs=number) for job in (ID, OTHER) for number in range(3)]
    derived.replace(1, [Replacement(JobDay, (), (), rows)])
    derived.replace(1, [Replacement(JobDay, ("job", "day"), [(ID, 1), (OTHER, 2)], [day(1, 1, 99)])])
    found = {(row.job, row.day): row.runs for row in derived.rows(1, JobDay)}
    assert found == {(ID, 0): 0, (ID, 1): 99, (ID, 2): 2, (OTHER, 0): 0, (OTHER, 1): 1}
    assert {row.day for row in derived.rows(1, JobDay, ("job",), [(OTHER,)])} == {0, 1}
    assert [row.runs for row in derived.rows(1, JobDay, ("job", "day"), [(ID, 1), (OTHER, 7)])] == [99]
    derived.replace(2, [Replacement(JobDay, (), (), [])])  # of another tenant
    assert len(derived.rows(1, JobDay)) == 5
    assert derived.rows(2, JobDay) == []
    derived.close()


def test_the_tenant_comes_first() -> None:
    for kind in (DerivedStore, InferredStore, StagedDerived):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and name not in ("open", "close"):
                assert list(inspect.signature(method).parameters)[1] == "tenant", f"{kind.__name__}.{name}"


def values_key(row: JobDay) -> tuple[bytes, int]:
    return row.job, row.day
