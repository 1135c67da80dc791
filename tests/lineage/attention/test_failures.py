"""Runs that failed, and what lies downstream of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.lineage.attention.failures import FailureList, failures
from headwater.lineage.errors import BadQuestion
from headwater.store.read.reader import Reader
from tests.lineage.test_aliases import event

SINCE, UNTIL = 1_769_900_000_000_000, 1_769_910_000_000_000  # around 2026-02-01T00:00
DB = "postgres://db:5432"
RUN = "run:0190c0de-0000-7000-8000-0000000000"


def table(name: str, kind: str | None = None) -> tuple[Any, ...]:
    return (DB, name, {"datasetType": {"datasetType": kind}}) if kind else (DB, name)


def child(body: bytes, parent: int, job: str) -> bytes:
    said = json.loads(body)
    facet = {
        "run": {"runId": f"0190c0de-0000-7000-8000-0000000000{parent:02d}"},
        "job": {"namespace": "etl", "name": job},
    }
    said["run"]["facets"] = {"parent": facet}
    return json.dumps(said).encode()


CHAIN = [
    event("load", [table("raw")], [table("orders")], 1),
    event("sum", [table("orders")], [table("daily")], 2),
    event("show", [table("daily")], [table("board", "DASHBOARD"), table("bars", "Chart")], 3),
]


def asked(reader: Reader, tenant: int = 1, limit: int = 100) -> FailureList:
    return failures(reader, tenant, since=SINCE, until=UNTIL, now=UNTIL, limit=limit)


def test_what_a_failed_run_feeds(filled) -> None:
    answer = asked(filled([*CHAIN, event("load", [table("raw")], [table("orders")], 4, state="FAIL")]))
    (item,) = answer.items
    assert (item.run.id, item.run.status, item.recovered, item.within) == (f"{RUN}04", "FAILED", None, None)
    assert item.feeds is not None
    assert (item.feeds.datasets, item.feeds.reports) == (2, 2)
    assert [(node.name, node.kind) for node in item.feeds.nearest][:2] == [("orders", "dataset"), ("daily", "dataset")]
    assert (answer.total, answer.recovered, answer.feeds.datasets, answer.feeds.reports) == (1, 0, 2, 2)


def test_two_that_feed_the_same_count_it_once(filled) -> None:
    broken = [event(job, [], [], second, state="ABORT") for job, second in (("load", 5), ("sum", 6))]
    answer = asked(filled([*CHAIN, *broken]))
    assert [item.feeds.datasets for item in answer.items if item.feeds] == [1, 2]  # sum, then load
    assert (answer.feeds.datasets, answer.feeds.reports) == (2, 2)


def test_what_succeeded_since_has_recovered_and_feeds_nothing_any_more(filled) -> None:
    again = [
        event("load", [], [table("orders")], 4, state="FAIL"),
        event("load", [], [table("orders")], 5),
    ]
    answer = asked(filled([*CHAIN, *again]))
    assert [item.recovered for item in answer.items] == [f"{RUN}05"]
    assert (answer.total, answer.recovered, answer.feeds.datasets) == (1, 1, 0)


def test_the_part_is_told_and_the_outermost_run_around_it(filled) -> None:
    dag = event("dag", [], [], 7, state="FAIL")
    task = child(event("dag.task", [], [], 8, state="FAIL"), 7, "dag")
    step = child(event("load", [table("raw")], [table("orders")], 9, state="FAIL"), 8, "dag.task")
    answer = asked(filled([*CHAIN, dag, task, step]))
    assert [(item.run.id, item.within.id if item.within else None) for item in answer.items] == [
        (f"{RUN}09", f"{RUN}07")
    ]
    assert answer.total == 1


def test_runs_around_each_other_end(filled) -> None:
    one = child(event("a", [], [], 10, state="FAIL"), 11, "b")
    other = child(event("b", [], [], 11, state="FAIL"), 10, "a")
    inside = child(event("c", [], [], 12, state="FAIL"), 10, "a")
    answer = asked(filled([one, other, inside]))
    assert [item.run.id for item in answer.items] == [f"{RUN}12"]


def test_only_of_the_window_and_the_tenant(filled) -> None:
    reader = filled([event("load", [], [table("orders")], 4, state="FAIL")])
    assert asked(reader, tenant=2).total == 0
    assert failures(reader, 1, since=None, until=None, now=UNTIL).total == 1
    assert failures(reader, 1, since=None, until=None, now=UNTIL + 2 * 86_400_000_000).total == 0
    with pytest.raises(BadQuestion):
        failures(reader, 1, since=UNTIL, until=SINCE, now=UNTIL)


def test_the_list_is_cut_and_counted(filled) -> None:
    reader = filled([event(f"job{second}", [], [table("t")], second, state="FAIL") for second in range(1, 9)])
    answer = asked(reader, limit=3)
    assert (len(answer.items), answer.total, answer.feeds.datasets) == (3, 8, 1)
    assert [item.run.id for item in answer.items] == [f"{RUN}08", f"{RUN}07", f"{RUN}06"]
