"""Names that mean one thing are one thing, whichever is asked for."""

from __future__ import annotations

import json

from headwater.lineage.entities.entity import show
from headwater.lineage.walk.lineage import lineage
from headwater.store.read.aliases import Aliases
from headwater.store.read.reader import Reader


def event(
    job: str,
    inputs: list,
    outputs: list,
    second: int = 1,
    namespace: str = "etl",
    *,
    run: int | None = None,
    state: str = "COMPLETE",
) -> bytes:
    body = {
        "eventTime": f"2026-02-01T00:00:{second:02d}Z",
        "eventType": state,
        "run": {"runId": f"0190c0de-0000-7000-8000-0000000000{second if run is None else run:02d}"},
        "job": {"namespace": namespace, "name": job},
        "inputs": [dataset(*item) for item in inputs],
        "outputs": [dataset(*item) for item in outputs],
    }
    return json.dumps(body).encode()


def dataset(namespace: str, name: str, facets: dict | None = None) -> dict:
    return {"namespace": namespace, "name": name, "facets": facets or {}}


def symlink(namespace: str, name: str, kind: str = "TABLE") -> dict:
    return {"symlinks": {"identifiers": [{"namespace": namespace, "name": name, "type": kind}]}}


HIVE, PATH = ("hive://metastore:9083", "sales.orders"), ("s3://lake", "warehouse/sales/orders")


def reached(reader: Reader, name: str) -> set[str]:
    found = lineage(reader, 1, name, depth=10)
    return {node["id"] for side in ("upstream", "downstream") for node in found[side]["nodes"]}


def test_written_by_path_and_read_by_table(filled) -> None:
    reader = filled(
        [
            event("write", [], [(*PATH, symlink(*HIVE))], 1),
            event("read", [HIVE], [("s3://lake", "report")], 2),
        ]
    )
    table = "dataset:hive://metastore:9083:sales.orders"
    for name in (table, "dataset:s3://lake:warehouse/sales/orders"):
        assert reached(reader, name) == {table, "job:etl:write", "job:etl:read", "dataset:s3://lake:report"}
    shown = show(reader, 1, "dataset:s3://lake:warehouse/sales/orders")
    assert shown["id"] == table
    assert shown["aliases"] == ["dataset:s3://lake:warehouse/sales/orders"]
    assert (shown["written_by"], shown["read_by"]) == (["job:etl:write"], ["job:etl:read"])


def test_symlinks_of_symlinks(filled) -> None:
    """Three names, each event knows two of them."""
    glue = ("arn:aws:glue:eu-west-1:1", "table/sales/orders")
    reader = filled(
        [
            event("a", [], [(*PATH, symlink(*HIVE))], 1),
            event("b", [(*HIVE, symlink(*glue))], [("s3://lake", "b")], 2),
            event("c", [glue], [("s3://lake", "c")], 3),
        ]
    )
    assert {"job:etl:a", "job:etl:b", "job:etl:c"} <= reached(reader, "dataset:s3://lake:warehouse/sales/orders")


def test_namespaces_that_share_a_broker_are_one_location(filled) -> None:
    reader = filled(
        [
            event("in", [], [("kafka://b1:9092,b2:9092", "clicks")], 1),
            event("out", [("kafka://b2,b3", "clicks")], [("s3://lake", "clicks")], 2),
            event("far", [("kafka://b3:9092", "clicks")], [("s3://lake", "far")], 3),
            event("other", [("kafka://b3:9092", "views")], [], 4),
        ]
    )
    found = reached(reader, "dataset:kafka://b1:9092,b2:9092:clicks")
    assert {"job:etl:in", "job:etl:out", "job:etl:far"} <= found
    assert "job:etl:other" not in found


def test_a_default_port_may_be_left_out(filled) -> None:
    reader = filled(
        [
            event("w", [], [("postgres://db:5432", "a.b.c")], 1),
            event("r", [("postgres://db", "a.b.c")], [], 2),
            event("x", [("postgres://db:5433", "a.b.c")], [], 3),
        ]
    )
    found = reached(reader, "dataset:postgres://db:a.b.c")
    assert {"job:etl:w", "job:etl:r"} <= found
    assert "job:etl:x" not in found


def test_a_job_is_never_taken_for_a_dataset_of_its_name(filled) -> None:
    reader = filled(
        [
            event("same", [], [("s3://lake", "one")], 1, namespace="http://airflow"),
            event("reader", [("http://airflow:80", "same")], [("s3://lake", "two")], 2),
        ]
    )
    assert reached(reader, "job:http://airflow:same") == {"job:http://airflow:same", "dataset:s3://lake:one"}


def test_jobs_at_two_addresses_of_one_place_are_one(filled) -> None:
    reader = filled(
        [
            event("dag", [], [("s3://lake", "one")], 1, namespace="http://airflow"),
            event("dag", [], [("s3://lake", "two")], 2, namespace="http://airflow:80"),
        ]
    )
    assert {"dataset:s3://lake:one", "dataset:s3://lake:two"} <= reached(reader, "job:http://airflow:dag")


def rename(old: str, new: str, second: int) -> bytes:
    change = {"lifecycleStateChange": "RENAME", "previousIdentifier": {"namespace": "db", "name": old}}
    return event("rename", [], [("db", new, {"lifecycleStateChange": change})], second)


def test_a_renamed_dataset_keeps_its_past(filled) -> None:
    reader = filled(
        [event("fill", [], [("db", "old")], 1), rename("old", "new", 2), event("use", [("db", "new")], [], 3)]
    )
    assert {"job:etl:fill", "job:etl:use"} <= reached(reader, "dataset:db:new")
    assert show(reader, 1, "dataset:db:old")["id"] == "dataset:db:new"


def test_an_old_name_given_away_is_a_dataset_of_its_own(filled) -> None:
    create = {"lifecycleStateChange": {"lifecycleStateChange": "CREATE"}}
    reader = filled([rename("old", "new", 2), event("again", [], [("db", "old", create)], 5)])
    aliases = Aliases(reader, 1)
    assert show(reader, 1, "dataset:db:old")["id"] == "dataset:db:old"
    assert aliases is not None


def test_dropped_and_written_again(filled) -> None:
    drop = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
    reader = filled([event("w", [], [("db", "t")], 1), event("d", [], [("db", "t", drop)], 5)])
    assert show(reader, 1, "dataset:db:t")["exists"] is False
    reader = filled([event("late", [], [("db", "t")], 3)])
    assert show(reader, 1, "dataset:db:t")["exists"] is False
    reader = filled([event("w2", [], [("db", "t")], 9)])
    assert show(reader, 1, "dataset:db:t")["exists"] is True
