"""Lists on every database: pages add up to the whole, totals are exact, filters mean what they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from headwater.graph.facts import Activity, NodeKind, Role, RunStatus
from headwater.lineage.entities.annotations import chosen_by_tag, tagged
from headwater.lineage.lists.listing import list_datasets, list_jobs, list_runs, list_statements, list_tags, list_users
from headwater.lineage.names.filters import node_ids, place_ids
from headwater.openlineage.times import parse_time
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.catalog import NodeFilter, SqlFilter
from headwater.store.read.lists.runs import RunFilter
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of, read_events

FILES = ("spec", "spark", "airflow", "hive", "dbt")
RUNS, OPERATIONS = RunFilter(activity=Activity.RUN), RunFilter(activity=Activity.OPERATION)
EVERY_RUN = RunFilter()
LISTS: dict[str, tuple[Callable[..., Any], Any, tuple[str, ...]]] = {
    "datasets": (list_datasets, NodeFilter(), ("name", "-name", "first_seen", "-first_seen")),
    "jobs": (list_jobs, NodeFilter(), ("name", "-name", "first_seen", "-first_seen")),
    "runs": (list_runs, RUNS, ("first_seen", "-first_seen")),
    "every run": (list_runs, EVERY_RUN, ("first_seen", "-first_seen")),
    "operations": (list_runs, OPERATIONS, ("first_seen", "-first_seen")),
    "sql": (list_statements, SqlFilter(), ("id", "-id")),
    "users": (list_users, None, ("name", "-name")),
    "tags": (list_tags, None, ("tag", "-tag")),
}


@pytest.fixture
def full(store: SqlStore) -> Reader:
    for name in FILES:
        store.write([entry_of(body) for body in read_events(f"written/{name}.ndjson")])
    parent = {"parent": {"run": {"runId": f"0190c0de{'0' * 24}"}, "job": {"namespace": "etl", "name": "mentioned"}}}
    body = {"eventTime": "2026-03-01T00:00:00Z", "run": {"runId": "x", "facets": parent}}
    store.write([entry_of(json.dumps({**body, "job": {"namespace": "etl", "name": "child"}}).encode())])
    store.search.drain(1)
    return Reader(store.engine)


def whole(question: Callable[..., Any], reader: Reader, wanted: Any, order: str, limit: int = 1000) -> list[Any]:
    items: list[Any] = []
    cursor = None
    while True:
        page = question(reader, 1, wanted, order, cursor, limit)
        items += page.items
        cursor = page.next
        if cursor is None:
            assert page.total == len(items)
            return items


def test_pages_add_up(full: Reader) -> None:
    for name, (question, wanted, orders) in LISTS.items():
        for order in orders:
            at_once = whole(question, full, wanted, order)
            assert len(at_once) > 1, name
            assert whole(question, full, wanted, order, limit=4) == at_once, (name, order)
            key = order.removeprefix("-")
            values = [getattr(item, key) or getattr(item, "created_at", None) for item in at_once]
            known = [value.lower() for value in values if value is not None]
            if key != "id" or name != "sql":
                assert known == sorted(known, reverse=order.startswith("-")), (name, order)
            assert values[: len(known)].count(None) == 0, "what has no value comes last"


def test_filters_of_datasets_and_jobs(full: Reader) -> None:
    datasets = whole(list_datasets, full, NodeFilter(), "name")
    jobs = whole(list_jobs, full, NodeFilter(), "name")
    since = sorted(item.first_seen for item in datasets if item.first_seen)[len(datasets) // 2]
    place, kind = datasets[0].namespace, "postgres"
    tag = next(item.tags[0] for item in datasets if item.tags)
    aliases, lookup = Aliases(full, 1), Lookup(full.engine)
    chosen = chosen_by_tag(1, lookup, aliases, tag.upper())
    found = tagged(1, lookup, aliases, tag)
    carrying = {name.node_id for name in full.names(1, {id_ for node in found for id_ in aliases.group(node)}).values()}
    assert {item.id for item in datasets if tag in item.tags} <= carrying
    for wanted, means in (
        (NodeFilter(name="ORD"), lambda item: "ord" in item.name.lower()),
        (NodeFilter(name="100%_!"), lambda item: "100%_!" in item.name),
        (NodeFilter(namespaces=place_ids(full, 1, place, None)), lambda item: item.namespace == place),
        (NodeFilter(location_type=kind), lambda item: item.namespace.startswith("postgres")),
        (NodeFilter(first_seen_from=parse_time(since)), lambda item: (item.first_seen or "") >= since),
        (NodeFilter(first_seen_before=parse_time(since)), lambda item: item.first_seen and item.first_seen < since),
        (NodeFilter(chosen=(chosen,)), lambda item: item.id in carrying),
        (NodeFilter(seen=4), lambda item: "OUTPUT" in item.seen),
    ):
        assert whole(list_datasets, full, wanted, "name") == [item for item in datasets if means(item)], wanted
    assert [job.type for job in jobs if job.id.endswith(":mentioned")] == ["UNKNOWN"], "known by reference only"
    for kind in {job.type for job in jobs}:
        listed = whole(list_jobs, full, NodeFilter(job_type=kind), "name")
        assert [job.id for job in listed] == [job.id for job in jobs if job.type == kind], kind
    parent = next(job.parent for job in jobs if job.parent)
    children = whole(list_jobs, full, NodeFilter(parents=node_ids(full, 1, parent, NodeKind.JOB)), "name")
    assert children == [job for job in jobs if job.parent == parent]


def test_who_uses_what(full: Reader) -> None:
    """A job's datasets have the job among their jobs, in the same role."""
    for job in whole(list_jobs, full, NodeFilter(), "name")[:10]:
        own = node_ids(full, 1, job.id, NodeKind.JOB)
        for role in (Role.INPUT, Role.OUTPUT):
            for dataset in whole(list_datasets, full, NodeFilter(others=own, roles=(int(role),)), "name")[:3]:
                used = NodeFilter(others=node_ids(full, 1, dataset.id, NodeKind.DATASET), roles=(int(role),))
                assert job.id in [user.id for user in whole(list_jobs, full, used, "name")]


def test_filters_of_runs(full: Reader) -> None:
    for base in (RUNS, OPERATIONS, EVERY_RUN):
        runs = whole(list_runs, full, base, "first_seen")
        some = runs[len(runs) // 2]
        job, began = some.job, some.first_seen or some.created_at
        for members, means in (
            ({"statuses": (RunStatus.FAILED,)}, lambda run: run.status == "FAILED"),
            ({"statuses": (RunStatus.UNKNOWN, RunStatus.KILLED)}, lambda run: run.status in ("UNKNOWN", "KILLED")),
            ({"user": "etl"}, lambda run: run.user == "etl"),
            ({"jobs": node_ids(full, 1, some.job, NodeKind.JOB)}, lambda run, job=job: run.job == job),
            (
                {"seen_from": parse_time(began)},
                lambda run, began=began: (run.first_seen or run.created_at or "") >= began,
            ),
            (
                {"seen_before": parse_time(began)},
                lambda run, began=began: (run.first_seen or run.created_at or "9") < began,
            ),
        ):
            wanted = RunFilter(activity=base.activity, **members)
            assert whole(list_runs, full, wanted, "first_seen") == [run for run in runs if means(run)], members


def test_runs_of_a_dataset_and_a_statement(full: Reader) -> None:
    statements = whole(list_statements, full, SqlFilter(), "id")
    statement = bytes.fromhex(statements[0].id.removeprefix("sql:"))
    listed = whole(list_runs, full, RunFilter(activity=Activity.OPERATION, sql=statement), "first_seen")
    assert listed
    job = node_ids(full, 1, listed[0].job, NodeKind.JOB)
    assert statements[0] in whole(list_statements, full, SqlFilter(jobs=job), "id")
    dataset = whole(list_datasets, full, NodeFilter(others=job), "name")[0]
    used = node_ids(full, 1, dataset.id, NodeKind.DATASET)
    wanted = RunFilter(activity=Activity.OPERATION, datasets=used)
    assert listed[0].run in [run.run for run in whole(list_runs, full, wanted, "first_seen")]
    text = statements[0].text.split()[0]
    assert statements[0] in whole(list_statements, full, SqlFilter(text=text.lower()), "id")
