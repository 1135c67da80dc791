"""Pages of nodes, and the jobs that were heard of last, on every database."""

from __future__ import annotations

import pytest

from headwater.graph.annotations.notes import SOURCES, note_id
from headwater.graph.facts import NodeKind, Note, Role
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.naming import dataset_name, job_id, namespace_id
from headwater.store.read.lists import newest_jobs as recency
from headwater.store.read.lists.nodes import Listing, NodeFilter
from headwater.store.read.reader import Reader
from headwater.store.read.runs.activity import ActivityReader
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Entry, Tenant
from tests.api.marquez.events import DB, JOBS, LAKE, SHOP, dataset, facet, run_event, run_id

TENANT = Tenant(1, "default", "Default")
LOAD, SUM, NIGHTLY = (job_id(JOBS, name) for name in ("load", "sum", "nightly"))
TOTALS = dataset_name(LAKE, "marts/totals").id


@pytest.fixture
def shop(store: SqlStore) -> SqlStore:
    for body in SHOP:
        event = decode_event(body)
        store.write([Entry(TENANT, event, interpret(event, TENANT.id), 7)])
    return store


def test_nodes(shop: SqlStore) -> None:
    listing = Listing(shop.engine)
    datasets = NodeFilter(kind=NodeKind.DATASET)
    names = [name.name for name in listing.nodes(1, datasets, limit=10)]
    assert names == ["marts/totals", "shop.public.orders", "staged/orders"]
    assert [name.name for name in listing.nodes(1, datasets, limit=1, offset=1)] == ["shop.public.orders"]
    assert listing.count_nodes(1, datasets) == 3
    assert listing.count_nodes(1, NodeFilter(namespace=namespace_id(LAKE))) == 2
    assert [name.name for name in listing.nodes(1, NodeFilter(text="ORDERS"), limit=10)] == names[1:]
    assert listing.nodes(1, NodeFilter(text="%"), limit=10) == []
    assert listing.count_nodes(1, NodeFilter(kind=NodeKind.JOB, without=frozenset({SUM}))) == 2
    assert [place.text for place in listing.namespaces(1, limit=9, offset=0)] == sorted([DB, LAKE, JOBS])
    (source,) = Reader(shop.engine).facts(1, Note, about=SOURCES, note=note_id("source", name="shop"))
    assert (source.name, source.text, source.value) == ("shop", DB, None)


def test_recent_jobs(shop: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whichever of its ways it finds them."""
    listing = Listing(shop.engine)
    ordered = [NIGHTLY, SUM, LOAD]
    for place in (None, namespace_id(JOBS)):
        found = listing.newest_jobs(1, NodeFilter(namespace=place), 10)
        assert [job for job, _ in found] == ordered
        assert listing.newest_jobs(1, NodeFilter(namespace=place), 2) == found[:2]
        hidden = NodeFilter(namespace=place, without=frozenset({SUM}))
        assert [job for job, _ in listing.newest_jobs(1, hidden, 10)] == [NIGHTLY, LOAD]
    monkeypatch.setattr(recency, "_FAR", 0)
    assert listing.newest_jobs(1, NodeFilter(), 10) == found
    monkeypatch.setattr(recency, "_SMALL", 0)
    assert listing.newest_jobs(1, NodeFilter(namespace=namespace_id(JOBS)), 10) == found
    assert listing.newest_jobs(1, NodeFilter(namespace=namespace_id("nowhere")), 10) == []


def test_the_walk_back_turns_pages(shop: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recency, "_FIRST_CHUNK", 1)
    monkeypatch.setattr(recency, "_CHUNK", 2)
    assert [job for job, _ in Listing(shop.engine).newest_jobs(1, NodeFilter(), 10)] == [NIGHTLY, SUM, LOAD]


def test_a_parent_that_sent_nothing_is_heard_of_through_its_children(store: SqlStore) -> None:
    parent = {"parent": {"run": {"runId": run_id(9)}, "job": {"namespace": "p", "name": "silent"}}}
    event = decode_event(run_event("COMPLETE", "01:00:00", 8, "child", namespace="c", run_facets=parent))
    store.write([Entry(TENANT, event, interpret(event, 1), 0)])
    found = dict(Listing(store.engine).newest_jobs(1, NodeFilter(), 10))
    assert set(found) == {job_id("c", "child"), job_id("p", "silent")}
    assert set(found.values()) == {event.time}


def test_runs(shop: SqlStore) -> None:
    activity = ActivityReader(shop.engine)
    of_sum = [bytes.fromhex(run_id(number).replace("-", "")) for number in (3, 2)]
    assert activity.latest_runs(1, [SUM, LOAD], 1)[SUM] == of_sum[:1]
    assert activity.latest_runs(1, [SUM], 9) == {SUM: of_sum}
    assert activity.latest_runs(1, [SUM], 9, ended=True) == {SUM: of_sum[:1]}
    assert activity.runs_of_job(1, SUM, limit=1, offset=1) == of_sum[1:]
    assert activity.count_runs(1, SUM) == 2
    events = activity.events_of_runs(1, of_sum)
    assert [len(events[run]) for run in of_sum] == [2, 2]
    written = Listing(shop.engine).mentions(1, [TOTALS], Role.OUTPUT, 9)[TOTALS]
    shapes = [shape for shape, _ in written]
    assert activity.runs_with(1, [SUM], shapes, limit=9, offset=0) == of_sum
    assert activity.count_runs_with(1, [SUM], shapes) == 2
    stamps = [(int.from_bytes(stamp[:8], "big") - (1 << 63), stamp[8:]) for _, stamp in written]
    assert set(activity.events_at(1, stamps)) == set(stamps)
    assert len(activity.events_of_namespace(1, JOBS, limit=3, offset=0)) == 3
    assert set(Listing(shop.engine).jobs_using(1, [TOTALS], 9)) == {(TOTALS, SUM)}


def test_a_second_name_is_not_listed(store: SqlStore) -> None:
    link = facet(identifiers=[{"namespace": "meta", "name": "db.t", "type": "TABLE"}])
    for body in (
        run_event("COMPLETE", "01:00:00", 1, "write", [], [dataset(LAKE, "t", symlinks=link)]),
        run_event("COMPLETE", "02:00:00", 2, "read", [dataset("meta", "db.t")], []),
    ):
        event = decode_event(body)
        store.write([Entry(TENANT, event, interpret(event, TENANT.id), 7)])
    listing = Listing(store.engine)
    assert [name.name for name in listing.nodes(1, NodeFilter(kind=NodeKind.DATASET), limit=10)] == ["t"]
    assert listing.count_nodes(1, NodeFilter(text="db.t")) == 0
