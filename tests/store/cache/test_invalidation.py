"""Whoever writes a graph notes what changed, on every database; whoever remembers some of it needs no more."""

from __future__ import annotations

import json

import sqlalchemy as sa

from headwater.graph.derived import JobDataset
from headwater.graph.facts import Node, NodeKind, Shape
from headwater.graph.rollup.totals import INFERRED
from headwater.lineage.flows.preload import warm
from headwater.lineage.walk.lineage import lineage
from headwater.store.cache.invalidation import (
    EVERY_TENANT,
    GraphChange,
    changes_after,
    note_change_of_all,
    prune_changes,
)
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from headwater.store.tables import graph_changes
from headwater.store.write.derived import DerivedStore, Replacement
from headwater.store.write.inferred_shapes import InferredStore
from tests.conftest import entry_of, read_events
from tests.lineage.flows.test_neighbours import DB, static
from tests.lineage.test_aliases import HIVE, PATH, event, symlink
from tests.servers import DatabaseServer


def notes(store: SqlStore, after: int = 0) -> list[GraphChange]:
    _, found = changes_after(Lookup(store.engine), after)
    assert found is not None
    return found


def again(body: bytes, second: int) -> bytes:
    """The same by another run."""
    changed = json.loads(body)
    changed["run"]["runId"] = f"0190c0de-0000-7000-8000-0000000001{second:02d}"
    changed["eventTime"] = f"2026-02-01T00:01:{second:02d}Z"
    return json.dumps(changed).encode()


def test_new_shapes_are_named_and_known_ones_are_not(store: SqlStore) -> None:
    one, other = event("x", [(DB, "a")], [(DB, "b")]), event("y", [(DB, "b")], [(DB, "c")], 9)
    store.write([entry_of(one)])
    first = notes(store)[-1]
    assert first.names  # the address of the namespace is new as well
    store.write([entry_of(again(one, 2)), entry_of(again(one, 3))])
    assert notes(store)[-1] == first
    store.write([entry_of(other), entry_of(again(one, 4))])
    shapes = {shape.shape for shape in Reader(store.engine).facts(1, Shape)}
    (change,) = notes(store, first.number)
    assert (change.tenant, change.names, len(change.shapes or ())) == (1, False, 1)
    assert set(change.shapes or ()) < shapes


def test_a_symlink_is_told(store: SqlStore) -> None:
    store.write([entry_of(event("x", [PATH], [HIVE]))])
    before = notes(store)[-1]
    store.write([entry_of(event("x", [(*PATH, symlink(*HIVE))], [], 2))])
    (change,) = notes(store, before.number)
    assert change.names


def test_what_is_declared_again_is_named_again(store: SqlStore) -> None:
    store.write([entry_of(static("x", ["b"], 1))])
    store.write([entry_of(static("x", ["c"], 2))])
    before = notes(store)[-1]
    store.write([entry_of(static("x", ["b"], 3))])
    (change,) = notes(store, before.number)
    assert len(change.shapes or ()) == 1


def test_what_was_inferred_is_noted(store: SqlStore) -> None:
    store.write([entry_of(event("x", [(DB, "a")], [(DB, "b")]))])
    before = notes(store)[-1]
    (shape,) = Reader(store.engine).facts(1, Shape)
    inferred = InferredStore(store.engine.url.render_as_string(hide_password=False))
    table = sa.text("UPDATE shape SET origin = :origin")
    with store.engine.begin() as connection:
        connection.execute(table, {"origin": INFERRED})
    assert inferred.replace(1, [shape.job or b""], {}) == (0, 1)
    inferred.close()
    assert [change.shapes for change in notes(store, before.number)] == [None]


def test_jobs_whose_sums_change_are_named(server: DatabaseServer) -> None:
    url = server.make_database()
    store = SqlStore(url)
    store.open()
    derived = DerivedStore(url)
    jobs = [number.to_bytes(16, "big") for number in range(2_500)]
    rows = [JobDataset(1, job, b"d" * 16, 1, rows=1) for job in jobs]
    derived.replace(1, [Replacement(JobDataset, (), (), rows)])
    assert [(change.tenant, change.names, change.shapes, len(change.jobs)) for change in notes(store)] == [
        (1, False, (), size) for size in (1_000, 1_000, 500)
    ]
    assert [job for change in notes(store) for job in change.jobs] == jobs
    last = notes(store)[-1].number
    derived.replace(1, [Replacement(JobDataset, (), (), rows)])
    assert notes(store, last) == [], "nothing changed"
    other = JobDataset(1, jobs[1], b"d" * 16, 1, rows=2)
    derived.replace(1, [Replacement(JobDataset, (), (), [rows[0], other, *rows[3:]])])
    assert [change.jobs for change in notes(store, last)] == [(jobs[1], jobs[2])], "one has other sums, one has none"
    derived.close()
    store.close()


def test_who_looks_for_the_first_time_or_after_long_starts_anew(store: SqlStore) -> None:
    lookup = Lookup(store.engine)
    assert changes_after(lookup, None) == (0, None)
    assert changes_after(lookup, 0) == (0, [])
    note_change_of_all(store.engine)
    last, found = changes_after(lookup, 0)
    assert found == [GraphChange(last, EVERY_TENANT, True, None)]
    with store.engine.begin() as connection:
        connection.execute(graph_changes.insert(), {"id": last + 20_000, "tenant": 1, "names": 0, "shapes": None})
    assert changes_after(lookup, last) == (last + 20_000, None)
    prune_changes(store.engine)
    with store.engine.connect() as connection:
        assert connection.execute(sa.select(graph_changes.c.id)).scalars().all() == [last + 20_000]


def test_a_graph_read_ahead_answers_as_one_that_is_looked_up(store: SqlStore) -> None:
    recorded = [entry_of(body) for body in read_events("recorded/spark.ndjson")]
    store.write(recorded[: len(recorded) // 2])
    lasting = Reader(store.engine)
    assert warm(lasting, 1)
    store.write(recorded[len(recorded) // 2 :])
    names = lasting.names(1, {node.node for node in lasting.all_facts(1, Node)}).values()
    assert names
    for name in names:
        for granularity in ("JOB", "COLUMN") if name.kind is NodeKind.DATASET else ("JOB",):
            options = {"depth": 20, "granularity": granularity}
            found = lineage(lasting, 1, name.node_id, **options)
            assert found == lineage(Reader(store.engine), 1, name.node_id, **options)


def test_a_note_that_becomes_visible_late(server: DatabaseServer) -> None:
    """Two writers, which SQLite does not have: the one with the smaller number commits second."""
    store = SqlStore(server.make_database())
    store.open()
    for number in (1, 2, 3):
        store.write([entry_of(event(f"job{number}", [(DB, "a")], [(DB, f"b{number}")], number))])
    reader = Reader(store.engine)
    asked = f"dataset:{DB}:a"
    assert len(lineage(reader, 1, asked)["downstream"]["nodes"]) == 7
    with store.engine.connect() as late:
        late.execute(graph_changes.insert(), {"tenant": EVERY_TENANT, "names": 0, "shapes": None})
        note_change_of_all(store.engine)
        assert len(lineage(reader, 1, asked)["downstream"]["nodes"]) == 7
        graph = reader.graph_cache._graphs[1]  # whether it is remembered cannot be seen from outside
        late.commit()
    lineage(reader, 1, asked)
    assert reader.graph_cache._graphs[1] is not graph
    store.close()
