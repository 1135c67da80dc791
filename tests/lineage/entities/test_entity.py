"""Entities: what is known of one thing, from the events about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from headwater.graph.facts import Activity
from headwater.lineage.entities.dataset import dataset_entity
from headwater.lineage.entities.entity import show
from headwater.lineage.entities.locations import list_locations, location_entity, merge_remarks, split_remarks
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.lineage.lists.listing import list_runs
from headwater.lineage.names.find import find_node
from headwater.store.read.lists.runs import RunFilter
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import read_events
from tests.edits import merge, split

Fill = Callable[[list[bytes]], Reader]
DB = "postgres://db:5432"


def event(second: int, outputs: list[Any], inputs: list[Any] | None = None, job: str = "load", **more: Any) -> bytes:
    body = {
        "eventTime": f"2026-02-01T00:00:{second:02d}Z",
        "eventType": "COMPLETE",
        "run": {"runId": f"0190c0de-0000-7000-8000-0000000000{second:02d}"},
        "job": {"namespace": "etl", "name": job},
        "inputs": inputs or [],
        "outputs": outputs,
    }
    return json.dumps({**body, **more}).encode()


def table(*columns: str, name: str = "orders", namespace: str = DB, **facets: Any) -> dict[str, Any]:
    fields = [{"name": column.partition(":")[0], "type": column.partition(":")[2] or "int"} for column in columns]
    schema = {"schema": {"fields": fields}} if fields else {}
    return {"namespace": namespace, "name": name, "facets": {**schema, **facets}}


def entity(reader: Reader, name: str = f"dataset:{DB}:orders") -> Any:
    return dataset_entity(reader, 1, find_node(reader, 1, name))


def columns(found: Any) -> list[str]:
    return [field.name for field in found.schema]


def test_one_schema_is_an_exact_match(filled: Fill) -> None:
    found = entity(filled([event(1, [table("a", "b")]), event(2, [], [table("a", "b")], job="read")]))
    assert (columns(found), found.schema_relevance, found.schema_versions) == (["a", "b"], "EXACT_MATCH", 1)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_of_several_schemas_the_latest_interaction_counts(filled: Fill, order: tuple[int, ...]) -> None:
    """A, A and B, then A again: A holds, but not everybody used it."""
    events = [event(1, [table("a")]), event(2, [table("a", "b")]), event(3, [table("a")])]
    found = entity(filled([events[place] for place in order]))
    assert (columns(found), found.schema_relevance) == (["a"], "LATEST_KNOWN")


def test_who_writes_knows_better_than_who_reads(filled: Fill) -> None:
    found = entity(filled([event(1, [table("a", "b")]), event(9, [], [table("b")], job="read")]))
    assert (columns(found), found.schema_relevance) == (["a", "b"], "LATEST_KNOWN")


def test_schema_history(filled: Fill) -> None:
    events = [event(1, [table("a", "b")]), event(2, [table("a:text", "c")]), event(5, [table("a:text", "c")])]
    first, second = entity(filled(events)).schema_history
    assert (first.added, first.removed, first.changed, first.used_as) == ([], [], [], ["OUTPUT"])
    assert (second.added, second.removed, second.changed) == (["c"], ["b"], ["a"])
    assert (second.first_seen, second.last_seen) == ("2026-02-01T00:00:02.000Z", "2026-02-01T00:00:05.000Z")


def test_profile_of_use(filled: Fill) -> None:
    readers = [event(second, [], [table()], job=f"read_{second % 2}") for second in (3, 4, 5)]
    found = entity(filled([event(1, [table()]), event(2, [table()]), *readers]))
    use = found.use
    assert (use.readers, use.writers, use.read_runs, use.write_runs) == (2, 1, 3, 2)
    assert (use.last_written, use.last_read) == ("2026-02-01T00:00:02.000Z", "2026-02-01T00:00:05.000Z")
    assert found.read_by == ["job:etl:read_0", "job:etl:read_1"]


def test_what_events_say_of_it(filled: Fill) -> None:
    old = table(documentation={"description": "old"}, tags={"tags": [{"key": "a"}]})
    new = table(
        documentation={"description": "new"},
        tags={"tags": [{"key": "b", "value": "1"}, "odd", {"value": "x"}]},
        ownership={"owners": [{"name": "me"}, {"type": "no name"}]},
    )
    for events in ([event(1, [old]), event(2, [new])], [event(2, [new]), event(1, [old])]):
        found = entity(filled(events))
        assert (found.description, found.tags, found.owners) == ("new", ["b=1"], ["me"])


def test_why_names_are_one(filled: Fill) -> None:
    link = {"symlinks": {"identifiers": [{"namespace": "hive://m", "name": "s.orders", "type": "TABLE"}]}}
    renamed = {
        "lifecycleStateChange": {
            "lifecycleStateChange": "RENAME",
            "previousIdentifier": {"namespace": "s3://lake", "name": "before"},
        }
    }
    reader = filled([event(1, [table(name="o", namespace="s3://lake", **link)])])
    reader = filled([event(2, [table(name="o", namespace="s3://lake", **renamed)])])
    found = entity(reader, "dataset:hive://m:s.orders")
    assert {(item.id, item.type) for item in found.links} == {
        ("dataset:s3://lake:o", "WAREHOUSE"),
        ("dataset:s3://lake:before", "RENAME"),
    }
    assert found.aliases == ["dataset:s3://lake:before", "dataset:s3://lake:o"]


def test_versions_and_runs_of_a_job(filled: Fill) -> None:
    events = [event(second, [table(name="a" if second < 4 else "b")]) for second in range(1, 15)]
    found = show(filled(events), 1, "job:etl:load")
    assert found["versions_total"] == 2
    assert [version["outputs"] for version in found["versions"]] == [[f"dataset:{DB}:b"], [f"dataset:{DB}:a"]]
    assert (found["runs_total"], found["runs_by_status"], len(found["runs"])) == (14, {"SUCCEEDED": 14}, 10)
    assert found["runs"][0]["first_seen"] == "2026-02-01T00:00:14.000Z"


def test_a_run_between_its_parents_and_its_operations(filled: Fill) -> None:
    reader = filled(read_events("written/spark.ndjson") + read_events("written/airflow.ndjson"))
    below = list_runs(reader, 1, RunFilter(activity=Activity.OPERATION), "first_seen", None, 100).items
    operation = next(item for item in below if item.parent and item.activity == ["OPERATION"])
    found, shown = show(reader, 1, operation.parent or ""), show(reader, 1, operation.id)
    assert (found["kind"], shown["kind"]) == ("run", "operation")
    assert operation.run in [item["run"] for item in found["operations"]]
    assert found["operations_total"] == len(found["operations"])
    assert shown["parents"][0]["run"] == found["run"]
    assert shown["parent_job"] == found["job"]
    assert shown["outputs"] or shown["inputs"]


def test_the_run_before_is_the_newest_earlier_one_of_the_same_job(filled: Fill) -> None:
    runs = [f"0190c0de-0000-7000-8000-00000000000{number}" for number in range(4)]

    def said(number: int, second: int, **job: str) -> bytes:
        body = json.loads(event(second, [], run={"runId": runs[number]}))
        body["job"] |= job
        return json.dumps(body).encode()

    reader = filled([said(2, 3), said(0, 1), said(1, 2, name="other"), said(3, 3)])
    assert show(reader, 1, runs[0])["previous"] is None
    assert show(reader, 1, runs[1])["previous"] is None  # the only one of its job
    assert show(reader, 1, runs[2])["previous"] == f"run:{runs[0]}"
    assert show(reader, 1, runs[3])["previous"] == f"run:{runs[2]}"  # of one moment, by their ids


def test_a_ring_of_parents_ends(filled: Fill) -> None:
    one, other = "0190c0de-0000-7000-8000-000000000001", "0190c0de-0000-7000-8000-000000000002"

    def child(run: str, parent: str, second: int) -> bytes:
        facet = {"parent": {"run": {"runId": parent}, "job": {"namespace": "etl", "name": "load"}}}
        return event(second, [], run={"runId": run, "facets": facet})

    found = show(filled([child(one, other, 1), child(other, one, 2)]), 1, one)
    assert [parent["run"] for parent in found["parents"]] == [other]


def test_users_and_statements(filled: Fill) -> None:
    reader = filled(read_events("written/spark.ndjson") + read_events("written/hive.ndjson"))
    user = show(reader, 1, "user:etl")
    assert (user["kind"], user["runs_total"]) == ("user", len(user["runs"]))
    with pytest.raises(NodeNotFound):
        show(reader, 1, "user:nobody")
    bodies = [json.loads(event(second, [table()])) for second in (1, 2)]
    for body in bodies:
        body["job"]["facets"] = {"sql": {"query": "select  1 -- one"}}
    reader = filled([json.dumps(body).encode() for body in bodies])
    job = show(reader, 1, "job:etl:load")
    statement = show(reader, 1, job["versions"][0]["sql"])
    assert (statement["executions"], statement["jobs"]) == (2, ["job:etl:load"])
    assert statement["outputs"] == [f"dataset:{DB}:orders"]


def test_a_misspelt_name_is_guessed(filled: Fill) -> None:
    reader = filled([event(1, [table(name="shop.public.customers")])])
    wrongs = ("custmers", "shop.public.customer_", "dataset:costumers", "shop.publc.customers", "public.csutomesr")
    for wrong in wrongs:
        with pytest.raises(NodeNotFound) as missing:
            find_node(reader, 1, wrong)
        assert missing.value.hint == f"Did you mean dataset:{DB}:shop.public.customers?", wrong
    with pytest.raises(NodeNotFound) as missing:
        find_node(reader, 1, "zzzzzz")
    assert "shorter part" in (missing.value.hint or "")


# --- locations -----------------------------------------------------------------------------------------------------


def names_of(reader: Reader, text: str) -> list[str]:
    return location_entity(reader, 1, text).namespaces


def test_locations_are_merged_and_split(filled: Fill, store: SqlStore) -> None:
    ip, host, other = "postgres://10.0.0.7:5432", "postgres://db:5432", "kafka://b1:9092,b2:9092"
    reader = filled(
        [
            event(1, [table("a", namespace=ip)]),
            event(2, [], [table("a", namespace=host)], job="read"),
            event(3, [table(name="t", namespace=other), table(name="t", namespace="kafka://b2")]),
        ]
    )
    assert names_of(reader, ip) == [ip]
    merge(store, [ip, host], 10)
    merged = location_entity(reader, 1, ip)
    assert (merged.namespaces, merged.merged, merged.datasets) == ([ip, host], [[ip, host]], 2)
    assert entity(reader, f"dataset:{ip}:orders").read_by == ["job:etl:read"], "the datasets are one now"
    assert names_of(reader, "location:kafka://b2") == [other, "kafka://b2"]
    split(store, ["kafka://b2"], 11)
    apart = location_entity(reader, 1, "kafka://b2")
    assert (apart.namespaces, apart.split) == (["kafka://b2"], [[other, "kafka://b2"]])
    assert names_of(reader, other) == [other]
    split(store, [ip], 12)
    assert names_of(reader, ip) == [ip]
    merge(store, ["kafka://b2", other], 13)
    assert names_of(reader, other) == [other, "kafka://b2"]
    page = list_locations(reader, 1, "kafka", None, "id", None, 10)
    assert [item.namespaces for item in page.items] == [[other, "kafka://b2"]]


@pytest.mark.parametrize(
    ("question", "namespaces", "error"),
    [
        (merge_remarks, [DB], BadQuestion),
        (merge_remarks, [DB, DB], BadQuestion),
        (merge_remarks, [DB, "nowhere"], NodeNotFound),
        (split_remarks, [DB], BadQuestion),
        (split_remarks, [], BadQuestion),
        (split_remarks, [DB, "etl"], BadQuestion),
    ],
)
def test_wrong_decisions(filled: Fill, question: Any, namespaces: list[str], error: type[Exception]) -> None:
    reader = filled([event(1, [table()])])
    with pytest.raises(error):
        question(reader, 1, namespaces)
