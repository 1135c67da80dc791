"""Look-ups by many ids, what shapes say and which of them hold: on every database, and for one tenant only."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.lineage.difference.diff import diff
from headwater.lineage.impact.impact import impact
from headwater.lineage.walk.lineage import lineage
from headwater.lineage.walk.paths import paths
from headwater.store.read.dataset_changes import changes_of, renames_of
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Reader
from headwater.store.read.runs.totals import measured, progress, totals_of_jobs, totals_of_runs
from headwater.store.read.shapes.as_of import dropped_at_moment, newest_runs
from headwater.store.read.shapes.current_shapes import ALWAYS, ApplyingShapes, Window
from headwater.store.read.shapes.newest_shapes import newest_shapes
from headwater.store.sql_store import SqlStore
from tests.lineage.difference.test_diff import DROPPED, FLIPS, STATIC, SWAPPED, UNDONE, check
from tests.lineage.flows.test_collapsed_jobs import application, dag, uuid
from tests.lineage.model import BASE, Said, dataset
from tests.lineage.walk.test_lineage import event, of_columns, run_of, symlink, tagged
from tests.store.test_isolation import IDS, A, B, _entries

LATE = 3_000_000_000_000_000


def test_more_ids_than_one_statement_takes(store: SqlStore) -> None:
    with looking(store.engine) as lookup:
        store.write(_entries(A))
        wanted = [*IDS, *(number.to_bytes(16, "big") for number in range(2_500))]
        few = lookup.rows("SELECT node FROM node WHERE tenant = ? AND node {ids}", A.id, IDS)
    with looking(store.engine) as lookup:
        many = lookup.rows("SELECT node FROM node WHERE tenant = ? AND node {ids}", A.id, wanted)
        assert lookup.rows("SELECT node FROM node WHERE tenant = ? AND node {ids}", A.id, []) == []
    assert sorted(many)
    assert not few or sorted(few) == sorted(many)


QUESTIONS = {
    "bodies": lambda lookup, reader: reader.shapes.bodies(A.id, lookup, IDS),
    "columns": lambda lookup, reader: {
        shape: (found.down, found.up) for shape, found in reader.shapes.columns(A.id, lookup, IDS).items() if found.size
    },
    "of_jobs": lambda lookup, reader: ApplyingShapes(A.id, lookup, reader.shapes).of_jobs(
        {node: (node,) for node in IDS}
    ),
    "of_jobs_then": lambda lookup, reader: ApplyingShapes(A.id, lookup, reader.shapes, Window(as_of=LATE)).of_jobs(
        {node: (node,) for node in IDS}
    ),
    "of_jobs_between": lambda lookup, reader: ApplyingShapes(
        A.id, lookup, reader.shapes, Window(since=0, until=LATE)
    ).of_jobs({node: (node,) for node in IDS}),
    "of_datasets": lambda lookup, reader: ApplyingShapes(A.id, lookup, reader.shapes).of_datasets(
        {node: [node] for node in IDS}
    ),
    "newest_runs": lambda lookup, reader: newest_runs(
        A.id, lookup, IDS, LATE, lambda shapes: reader.shapes.bodies(A.id, lookup, shapes)
    ),
    "totals_of_jobs": lambda lookup, _: totals_of_jobs(A.id, lookup, IDS, ALWAYS).sums,
    "measured": lambda lookup, _: measured(A.id, lookup, IDS),
    "newest_shapes": lambda lookup, _: newest_shapes(lookup, A.id, IDS),
    "dataset_changes": lambda lookup, _: changes_of(A.id, lookup, IDS, LATE),
    "renames": lambda lookup, _: renames_of(A.id, lookup, IDS, LATE),
}


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_isolated(store: SqlStore, name: str) -> None:
    store.write(_entries(A))

    def ask() -> Any:
        with looking(store.engine) as lookup:
            return QUESTIONS[name](lookup, Reader(store.engine))

    alone = ask()
    store.write(_entries(B))
    assert ask() == alone
    assert alone


def test_nothing_of_others_and_nothing_derived(store: SqlStore) -> None:
    store.write(_entries(B))
    with looking(store.engine) as lookup:
        assert totals_of_runs(A.id, lookup, IDS) == {}
        assert dropped_at_moment(A.id, lookup, {node: (node,) for node in IDS}, LATE, lambda _: {}) == set()
        assert progress(lookup) is None


@pytest.mark.parametrize(
    "said", [FLIPS, DROPPED, STATIC, SWAPPED, UNDONE], ids=["flips", "dropped", "static", "swapped", "undone"]
)
def test_the_past_on_every_database(store: SqlStore, said: list[Said]) -> None:
    check(store, said, 1)


def test_every_question_on_every_database(store: SqlStore) -> None:
    from tests.conftest import entry_of

    linked = {"rows": 3} | tagged("pii") | symlink("hive://m:9083", "x.a")
    known = {"rows": 4} | of_columns(
        v=[{"namespace": "postgres://db:5432", "name": "a", "field": "v", "transformations": [{"type": "DIRECT"}]}]
    )
    store.write([entry_of(event("j", {"a": linked}, {"b": known}, 1))])
    reader = Reader(store.engine)
    for granularity in ("OPERATION", "RUN", "JOB", "DATASET", "COLUMN"):
        found = lineage(reader, 1, dataset("b"), granularity=granularity, columns=True, keep_symlinks=True)
        assert found["upstream"]["edges"], granularity
    assert lineage(reader, 1, dataset("b"), window=Window(since=0, until=LATE))["upstream"]["edges"]
    assert lineage(reader, 1, f"run:{run_of(1)}")["downstream"]["edges"]
    store.write([entry_of(body) for body in (*dag(101), *application())])
    wholes = {"job:airflow:daily": 3, f"run:{uuid(101)}": 3, "job:spark:app": 8, f"run:{uuid(11)}": 8}
    for start, rows in wholes.items():
        for window in (ALWAYS, Window(since=0, until=LATE)):
            (edge,) = lineage(reader, 1, start, depth=1, window=window)["downstream"]["edges"]
            assert edge["rows"] == rows
    assert impact(reader, 1, dataset("a"))["affected"]
    assert impact(reader, 1, tag="pii")["affected"]
    assert paths(reader, 1, dataset("a"), dataset("b"))["paths"]
    assert diff(reader, 1, BASE, LATE)["nodes"]["appeared"]
