from __future__ import annotations

import pytest

from headwater.lineage.marquez.graph.node_ids import parse_node_id

VERSION = "0197a5b0-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("text", "namespace", "name"),
    [
        ("dataset:ns:t", "ns", "t"),
        ("dataset:postgresql://h:5432:db.t", "postgresql://h:5432", "db.t"),
        ("dataset:postgresql://h:5432/db:t", "postgresql://h:5432/db", "t"),
        ("dataset:s3://lake:a/b", "s3://lake", "a/b"),
        ("dataset:kafka://h1:9092,h2:9092:topic", "kafka://h1:9092,h2:9092", "topic"),
        ("dataset:ns:2024_orders", "ns", "2024_orders"),
        ("job:ns:publish::abc", "ns", "publish::abc"),
        ("job:ns:5", "ns", "5"),
        ("datasetField:ns:t:my_struct<a:bigint>", "ns", "t:my_struct<a:bigint>"),
    ],
)
def test_the_likeliest_reading(text: str, namespace: str, name: str) -> None:
    found = parse_node_id(text)
    assert found is not None
    assert (found.type, found.readings[0]) == (text.partition(":")[0], (namespace, name))


def test_every_reading_is_there() -> None:
    found = parse_node_id("dataset:file:/data:t")
    assert found is not None
    assert ("file:/data", "t") in found.readings


def test_versions() -> None:
    found = parse_node_id(f"dataset:ns:t#{VERSION}")
    assert found is not None
    assert (found.readings, found.version) == ([("ns", "t")], VERSION)
    hash_in_name = parse_node_id("dataset:ns:t#1")
    assert hash_in_name is not None
    assert (hash_in_name.readings, hash_in_name.version) == ([("ns", "t#1")], None)


@pytest.mark.parametrize("text", ["", "dataset", "dataset:", "dataset:x", "table:a:b", "dataset::t"])
def test_what_is_none(text: str) -> None:
    assert parse_node_id(text) is None
