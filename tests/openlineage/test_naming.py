"""When two spellings are one dataset, one job, one location."""

from __future__ import annotations

import pytest

from headwater.openlineage.naming import address_id, clean, dataset_name, job_id, location_of, namespace_id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("s3://lake", "orders"), ("s3a://lake/", "/orders/")),
        (("hdfs://NameNode:8020", "/data/orders"), ("hdfs://namenode:8020", "/data/orders/dt=2025-01-01/hour=3")),
        (("file", "/srv/a"), ("file://", "/srv//a")),
        (("postgres://DB:5432", "a.b.c"), ("postgresql://db:5432", "a.b.c")),
        (("bigquery", "p.d.t"), ("bigquery", "p.d.t$20250101")),
    ],
)
def test_one_dataset(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert dataset_name(*one).id == dataset_name(*other).id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("postgres://db:5432", "a.b.c"), ("postgres://db:5432", "a.b.C")),
        (("postgres://db:5432", "a.b.c"), ("postgres://db:5433", "a.b.c")),
        (("team", "a"), ("Team", "a")),
        (("a", "bc"), ("ab", "c")),
    ],
)
def test_two_datasets(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert dataset_name(*one).id != dataset_name(*other).id


def test_a_name_that_is_only_a_partition_stays() -> None:
    assert dataset_name("s3://lake", "dt=2025").name == "dt=2025"


def test_jobs_keep_their_case_and_datasets_are_no_jobs() -> None:
    assert job_id("n", "DAG") != job_id("n", "dag")
    assert job_id("n", "a") != dataset_name("n", "a").id
    assert job_id("http://Airflow:8080/", "a") == job_id("http://airflow:8080", "a")


@pytest.mark.parametrize(
    ("namespace", "kind", "addresses"),
    [
        ("kafka://b1:9092,b2:9093", "kafka", ["kafka://b1:9092", "kafka://b2:9093"]),
        ("kafka://b1,b1:9092", "kafka", ["kafka://b1:9092"]),
        ("postgresql://db", "postgres", ["postgres://db:5432"]),
        ("hive://metastore:9083", "hive", ["hive://metastore:9083"]),
        ("arn:aws:glue:eu-west-1:1", "arn", ["arn:aws:glue:eu-west-1:1"]),
        ("s3://bucket", "s3", ["s3://bucket"]),
        ("inmemory://", "inmemory", ["inmemory://"]),
    ],
)
def test_locations(namespace: str, kind: str, addresses: list[str]) -> None:
    location = location_of(namespace)
    assert location.type == kind
    assert list(location.addresses) == addresses
    assert len({address_id(url) for url in addresses}) == len(addresses)


def test_text_that_no_store_can_hold_is_replaced() -> None:
    assert clean("a\x00b\ud800") == "a\N{REPLACEMENT CHARACTER}b?"
    assert namespace_id("a\x00") == namespace_id("a\N{REPLACEMENT CHARACTER}")
