"""Names and ids as producers send them, and what they are shown as."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_answers import ask, nodes, send, short
from tests.application import InProcess
from tests.lineage.test_questions import event, run_of


@pytest.fixture
def app(tmp_path: Path) -> Iterator[InProcess]:
    with InProcess(tmp_path) as started:
        yield started


# --- names -------------------------------------------------------------------------------------------------------------

ONE_PLACE = [
    ("hdfs://nn:8020", "/A/b", "hdfs://NN:8020", "/A/b/"),
    ("s3a://lake", "/A//b", "s3://lake", "A/b"),
    ("file", "/srv/a", "file:", "/srv/a/"),
]
TWO_PLACES = [
    ("hdfs://nn:8020", "/A", "hdfs://nn:8020", "/a"),
    ("s3://lake", "A/b", "s3://lake", "a/b"),
    ("s3://lake", "a/b", "s3://lake2", "a/b"),
    ("s3://lake", "a/b", "gs://lake", "a/b"),
    ("hdfs://nn:8020", "/a", "file", "/a"),
    ("hdfs://nn:8020", "/a", "hdfs://nn:9000", "/a"),
    ("s3://lake", "a/b", "s3://lake", "a/bc"),
    ("s3://lake", "a/b", "s3://lake", "b"),
    ("s3://lake", "a/../b", "s3://lake", "b"),
    ("s3://lake", "a b", "s3://lake", "ab"),
]


@pytest.mark.parametrize("names", ONE_PLACE + TWO_PLACES, ids=str)
def test_whether_two_names_are_one_dataset(app: InProcess, names: tuple[str, str, str, str]) -> None:
    """What writes one and what reads the other are connected, or they are not."""
    facets = {"namespace": names[0]}, {"namespace": names[2]}
    send(app, event("write", {}, {names[1]: facets[0]}, 1), event("read", {names[3]: facets[1]}, {}, 2))
    found = nodes(ask(app, "lineage", name="job:etl:write", direction="downstream", depth=9), "downstream")
    assert ("read" in found) is (names in ONE_PLACE)
    assert len(ask(app, "datasets")["items"]) == (1 if names in ONE_PLACE else 2)


@pytest.mark.parametrize(
    ("namespaces", "is_one"),
    [
        (("hdfs://nn:8020", "HDFS://NN"), True),
        (("postgres://db:5432", "postgresql://DB"), True),
        (("kafka://a:9092,b:9092", "kafka://b"), True),
        (("s3a://lake", "s3://lake/"), True),
        (("team-a", "team-A"), False),
        (("hdfs://nn:8020", "hdfs://nn:9000"), False),
        (("kafka://a:9092", "kafka://b:9092"), False),
        (("s3://lake", "s3://lake-2"), False),
        (("s3://lake", "gs://lake"), False),
    ],
    ids=str,
)
def test_whether_two_namespaces_are_one_location(app: InProcess, namespaces: tuple[str, str], is_one: bool) -> None:
    for number, namespace in enumerate(namespaces, 1):
        send(app, event(f"j{number}", {}, {f"t{number}": {"namespace": namespace}}, number))
    found = ask(app, "datasets", location=namespaces[0])["items"]
    assert sorted(short(item["id"]) for item in found) == (["t1", "t2"] if is_one else ["t1"])


# --- producers ---------------------------------------------------------------------------------------------------------

PARENT = "0190c0de-0000-7000-8000-0000000000aa"
NAMED = {
    # (the operation's job, the application's job, its appName): what the operation is called.
    ("my_app.execute_insert", "my_app", None): "execute_insert",
    ("My_App.execute_insert", "my_app", None): "execute_insert",
    ("my_app.collect", "other", "my_app"): "collect",
    ("my_app.my_app.x", "my_app", "my_app"): "my_app.x",
    ("my_application.x", "my_app", None): "my_application.x",
    ("my_app", "my_app", "my_app"): "my_app",
    ("a.my_app.x", "my_app", None): "a.my_app.x",
    ("x.y", "other", "another"): "x.y",
    ("my_app.two\nlines", "my_app", None): "two lines",
}


@pytest.mark.parametrize(("names", "expected"), NAMED.items(), ids=str)
def test_an_operation_of_spark_is_named_without_its_application(
    app: InProcess, names: tuple[str, str, str | None], expected: str
) -> None:
    job, application, app_name = names
    facets: dict[str, Any] = {"parent": {"run": {"runId": PARENT}, "job": {"namespace": "etl", "name": application}}}
    if app_name is not None:
        facets["spark_applicationDetails"] = {"appName": app_name, "applicationId": "application_1"}
    kind = {"jobType": {"integration": "SPARK", "jobType": "SQL_JOB", "processingType": "BATCH"}}
    send(app, event(job, {"a": {}}, {"b": {}}, 1, run_facets=facets, job_facets=kind))
    (operation,) = ask(app, "operations")["items"]
    assert operation["name"] == expected
    found = ask(app, f"operations/{run_of(1)}")
    assert found["name"] == expected
    assert found["external_id"] is None  # the application's id is the run's
    assert ask(app, f"runs/{PARENT}")["external_id"] == ("application_1" if app_name else None)


@pytest.mark.parametrize("kind", ["MODEL", "TEST", "SNAPSHOT", "SQL"])
@pytest.mark.parametrize("has_parent", [True, False])
def test_an_invocation_of_dbt_is_the_run_not_its_operations(app: InProcess, kind: str, has_parent: bool) -> None:
    def of_dbt(job: str, kind: str, number: int, run_facets: dict[str, Any]) -> bytes:
        about = {"jobType": {"integration": "DBT", "jobType": kind, "processingType": "BATCH"}}
        said = {"dbt_run": {"invocation_id": "invocation-1"}, **run_facets}
        return event(job, {"a": {}}, {"b": {}}, number, run_facets=said, job_facets=about)

    parent = {"parent": {"run": {"runId": run_of(1)}, "job": {"namespace": "etl", "name": "dbt-run"}}}
    send(app, of_dbt("dbt-run", "JOB", 1, {}), of_dbt("shop.model", kind, 2, parent if has_parent else {}))
    assert ask(app, f"runs/{run_of(1)}")["external_id"] == "invocation-1"
    found = ask(app, f"operations/{run_of(2)}")
    assert found["external_id"] == (None if has_parent else "invocation-1")
    assert [short(run["id"]) for run in ask(app, "runs", name="invocation-1")["items"]] == (
        [run_of(1)] if has_parent else [run_of(2), run_of(1)]
    )
