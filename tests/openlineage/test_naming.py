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
        (("bigquery://x", "p.d.t"), ("bigquery://x", "p.d.t$2025")),
        (("hdfs://nn:8020/A/", "x"), ("HDFS://NN:8020/A", "x")),
        (("file:", "/srv/a"), ("file:///", "/srv/a/")),
        (("gs://lake", "a/b"), ("gcs://lake", "/a/b//")),
        (("custom", "a/dt=1/x"), ("custom", "a")),
        ((" team ", " a "), ("team", "a")),
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
        (("hdfs://nn:8020", "/A"), ("hdfs://nn:8020", "/a")),
        (("hdfs://nn:8020/A", "x"), ("hdfs://nn:8020/a", "x")),
        (("s3://lake", "a/b"), ("s3://lake", "a/b=c/d")),
        (("bigquery", "p.d.t"), ("bigquery", "p.d.t$1")),
        (("postgres://db:5432", "a.t$20250101"), ("postgres://db:5432", "a.t")),
        (("s3://lake", "orders"), ("s3", "orders")),
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


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("hdfs://nn:8020/A", "hdfs://nn:8020/a", False),
        ("hdfs://nn:8020/A/", "hdfs://NN:8020/A", True),
        ("postgresql://DB:5432", "postgres://db:5432", True),
        ("team", "Team", False),
        ("s3a://Lake", "s3n://lake", True),
        ("s3://lake", "gs://lake", False),
        ("file", "file://", True),
        ("file", "file://x", False),
        ("file:", "file", True),
        ("/", "//", False),
        ("sqlserver://h", "mssql://h", True),
    ],
)
def test_namespaces_keep_the_case_of_paths_and_lose_that_of_hosts(one: str, other: str, is_one: bool) -> None:
    assert (namespace_id(one) == namespace_id(other)) is is_one
    assert (dataset_name(one, "x").id == dataset_name(other, "x").id) is is_one
    assert (job_id(one, "x") == job_id(other, "x")) is is_one


@pytest.mark.parametrize(
    ("namespace", "name", "shown"),
    [
        ("s3a://Lake/", "/orders//daily/", ("s3a://Lake", "/orders/daily")),
        ("hdfs://nn", "/", ("hdfs://nn", "/")),
        ("s3://lake", "a/b=c/d", ("s3://lake", "a")),
        ("s3://lake", "/a/b=c/d", ("s3://lake", "/a")),
        ("s3://lake", "a=b/c", ("s3://lake", "a=b/c")),
        ("postgres://db:5432", "a.b=c", ("postgres://db:5432", "a.b=c")),
        ("kafka://b:9092", "topic/", ("kafka://b:9092", "topic")),
        ("s3://", "x", ("s3://", "x")),
        ("bigquery", "p.d.t$20250101", ("bigquery", "p.d.t")),
        ("bigquery", "p.d.t$20250101120", ("bigquery", "p.d.t$20250101120")),
    ],
)
def test_how_a_dataset_is_shown(namespace: str, name: str, shown: tuple[str, str]) -> None:
    assert dataset_name(namespace, name)[1:] == shown


def test_text_that_no_store_can_hold_is_replaced() -> None:
    assert clean("a\x00b\ud800") == "a\N{REPLACEMENT CHARACTER}b?"
    assert namespace_id("a\x00") == namespace_id("a\N{REPLACEMENT CHARACTER}")
