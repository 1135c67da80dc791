"""Lists: their orders, members, tables and counts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.application import InProcess

RUN = "0197833d-511d-7034-be27-0000000000{:02x}"


def event(
    number: int, job: str, outputs: tuple[str, ...], begin: int, end: int, kind: str = "COMPLETE", **more: Any
) -> list[bytes]:
    """A run that starts and ends at these minutes."""
    bodies = []
    for word, minute in (("START", begin), (kind, end)):
        body = {
            "eventTime": f"2026-01-02T03:{minute:02d}:00Z",
            "eventType": word,
            "producer": "https://p.example",
            "run": {"runId": RUN.format(number)},
            "job": {"namespace": more.get("namespace", "etl"), "name": job, "facets": more.get("facets", {})},
            "inputs": [{"namespace": "db", "name": "raw"}],
            "outputs": [{"namespace": "lake", "name": name} for name in outputs],
        }
        bodies.append(json.dumps(body).encode())
    return bodies


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("lists")) as started:
        typed = {"jobType": {"processingType": "BATCH", "integration": "SPARK", "jobType": "SQL_JOB"}}
        for bodies in (
            event(1, "slow", ("b",), 0, 30, facets=typed),
            event(2, "quick", ("a",), 1, 2),
            event(3, "quick", ("a",), 31, 33),
            event(4, "bad", ("c",), 5, 10, "FAIL", namespace="=cmd|' /C calc'!A0"),
            event(5, "bad", ("d",), 2, 3, namespace="=cmd|' /C calc'!A0"),
        ):
            for body in bodies:
                assert started.send(body).status_code == 201
        symlink = {
            "eventTime": "2026-01-02T03:50:00Z",
            "producer": "https://p.example",
            "dataset": {
                "namespace": "lake",
                "name": "e",
                "facets": {"symlinks": {"identifiers": [{"namespace": "hive", "name": "t.e", "type": "TABLE"}]}},
            },
        }
        assert started.send(json.dumps(symlink).encode()).status_code == 201
        for name, tag in (("dataset:lake:a", "pii"), ("dataset:lake:b", "PII"), ("dataset:lake:b", "gold")):
            assert started.post("/api/v2/tag", json={"name": name, "add": [tag]}).status_code == 200
        yield started


def names(app: InProcess, query: str, member: str = "name") -> list[str]:
    """Of all pages, each of two."""
    found, cursor = [], ""
    for _ in range(20):
        answer = app.get(f"/api/v2/{query}&limit=2{cursor}")
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += [item[member] for item in page["items"]]
        if page["next"] is None:
            assert len(found) == page["total"] == len(set(map(str, found))) or member != "name"
            return found
        cursor = f"&cursor={page['next']}"
    raise AssertionError("no end")


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("last_seen", ["d", "c", "b", "raw", "a"]),
        ("-last_seen", ["raw", "a", "b", "c", "d"]),
        ("last_written", ["d", "b", "a"]),
        ("-last_written", ["a", "b", "d"]),
        ("-runs", ["raw", "a"]),
    ],
)
def test_orders_of_datasets(app: InProcess, order: str, expected: list[str]) -> None:
    """What has no such value comes last."""
    found = names(app, f"datasets?order={order}")
    rank = {name: place for place, name in enumerate(found)}
    assert len(found) == 7
    tied = {"raw", "a"} if order.endswith("seen") else set()
    assert [name for name in found if name in expected and name not in tied][: len(expected)] == [
        name for name in expected if name not in tied
    ]
    assert all(rank[name] > rank[expected[-1]] for name in ("e", "t.e"))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("last_seen", ["bad", "slow", "quick"]),
        ("-runs", ["quick", "bad", "slow"]),
        ("-status", ["bad", "slow", "quick"]),
        ("duration", ["quick", "bad", "slow"]),
        ("-duration", ["slow", "bad", "quick"]),
    ],
)
def test_orders_of_jobs(app: InProcess, order: str, expected: list[str]) -> None:
    found = names(app, f"jobs?order={order}")
    if order in ("-runs", "-status"):  # two of each are alike
        assert found[0] in ("quick", "bad")
        assert found[0 if order == "-status" else -1] == ("bad" if order == "-status" else "slow")
    else:
        assert found == expected


def test_orders_of_runs(app: InProcess) -> None:
    durations = [item or 0 for item in names(app, "runs?order=-duration", "duration_ms")]
    assert durations == sorted(durations, reverse=True)
    assert names(app, "runs?order=-status", "status")[0] == "FAILED"
    for member in ("started_at", "ended_at"):
        times = names(app, f"runs?order={member}", member)
        assert times == sorted(times)
    only = names(app, "runs?order=duration&since=2026-01-02T03:05:00Z&until=2026-01-02T03:06:00Z", "run")
    assert only == [RUN.format(4)]


def test_a_cursor_holds_for_its_order_only(app: InProcess) -> None:
    cursor = app.get("/api/v2/datasets?order=runs&limit=1").json()["next"]
    answer = app.get(f"/api/v2/datasets?order=last_seen&limit=1&cursor={cursor}")
    assert (answer.status_code, answer.json()["path"]) == (400, "?cursor")
    assert app.get("/api/v2/datasets?order=colour").status_code == 400


def test_some_members(app: InProcess) -> None:
    items = app.get("/api/v2/jobs?fields=name,type,name").json()["items"]
    assert [list(item) for item in items] == [["name", "type"]] * 3
    answer = app.get("/api/v2/jobs?fields=nam").json()
    assert answer["path"] == "?fields"
    assert answer["hint"].startswith("Did you mean name?")
    assert app.get("/api/v2/users?fields=colour").status_code == 400  # also where there is nothing


def test_a_table_and_where_it_goes_on(app: InProcess) -> None:
    answer = app.get("/api/v2/jobs?format=csv&limit=2&order=name")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["name"] for row in rows] == ["bad", "quick"]
    assert rows[0]["namespace"] == "'=cmd|' /C calc'!A0"
    assert json.loads(rows[0]["latest_run"])["status"] == "FAILED"
    place = answer.headers["link"].partition("<")[2].partition(">")[0]
    assert [row["name"] for row in csv.DictReader(io.StringIO(app.get(place).text))] == ["slow"]
    assert app.get("/api/v2/users?format=csv").text.startswith("id,key,name,")
    few = app.get("/api/v2/jobs?fields=name,tags", headers={"accept": "text/csv"}).text
    assert few.splitlines()[0] == "name,tags"


def counted(app: InProcess, query: str) -> dict[str, dict[str | None, int]]:
    answer = app.get(f"/api/v2/{query}&limit=1")
    assert answer.status_code == 200, answer.text
    return {
        facet: {item["value"]: item["items"] for item in values} for facet, values in answer.json()["counts"].items()
    }


def test_counts(app: InProcess) -> None:
    found = counted(app, "datasets?counts=namespace&counts=tag&counts=location_type")
    assert found["namespace"] == {"lake": 5, "db": 1, "hive": 1}
    assert found["tag"] == {"PII": 2, "gold": 1}
    assert sum(found["location_type"].values()) == 7
    assert counted(app, "datasets?counts=tag&name=a")["tag"] == {"pii": 1}
    jobs = counted(app, "jobs?counts=type&counts=status&counts=namespace")
    assert jobs["type"] == {"UNKNOWN": 2, "SPARK_SQL_JOB": 1}
    assert jobs["status"] == {"SUCCEEDED": 2, "FAILED": 1}
    assert counted(app, "runs?counts=status&job=quick") == {"status": {"SUCCEEDED": 2}}
    assert "counts" not in app.get("/api/v2/runs?limit=1").json()


FILTERS = ["type=SPARK_SQL_JOB", "type=UNKNOWN", "location=lake", "namespace=lake", "location_type=unknown", "tag=pii",
           "owner=x", "name=a", "status=FAILED", "dataset=a", "job=quick", "hidden=true",
           "user=x", "since=2020-01-01", "aliases=false"]  # fmt: skip


@pytest.mark.parametrize("narrowed", FILTERS)
def test_counts_go_with_every_filter(app: InProcess, narrowed: str) -> None:
    """Where each thing has one value only, its counts add up to the number of things."""
    asked = 0
    for kind, facets in (
        ("datasets", ("namespace", "location_type", "tag")),
        ("jobs", ("type", "status", "namespace", "location_type", "tag")),
        ("runs", ("status", "user")),
    ):
        for facet in facets:
            answer = app.get(f"/api/v2/{kind}?{narrowed}&counts={facet}")
            assert answer.status_code in (200, 400), (kind, facet, answer.text)
            if answer.status_code == 400:  # not a filter of this list, or not a count
                continue
            page, asked = answer.json(), asked + 1
            counts = sum(item["items"] for item in page["counts"][facet])
            if facet in ("namespace", "location_type"):
                assert counts == page["total"], (kind, facet, answer.text)
    assert asked


def test_aliases_collapsed(app: InProcess) -> None:
    both = app.get("/api/v2/datasets").json()
    one = app.get("/api/v2/datasets?aliases=false").json()
    assert {item["name"] for item in both["items"]} - {item["name"] for item in one["items"]} == {"e"}
    assert (both["total"], one["total"]) == (7, 6)
    assert all(item["alias_of"] is None for item in one["items"])
    assert counted(app, "datasets?counts=namespace&aliases=false")["namespace"]["lake"] == 4
