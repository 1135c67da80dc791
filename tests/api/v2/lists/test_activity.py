"""Hours and days of a tenant, and the events of a run, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.application import InProcess

RUN = "0197833d-511d-7034-be27-078fb128ca59"
OTHER = "0197833d-511d-7034-be27-078fb128ca60"


def event(run: str, time: str, kind: str, job: str = "load", rows: int | None = None) -> dict[str, Any]:
    facets = {} if rows is None else {"outputFacets": {"outputStatistics": {"rowCount": rows, "size": rows * 10}}}
    return {
        "eventTime": time,
        "eventType": kind,
        "run": {"runId": run},
        "job": {"namespace": "etl", "name": job},
        "outputs": [{"namespace": "db", "name": "t", **facets}],
    }


SENT = [
    event(RUN, "2026-01-02T03:10:00Z", "START"),
    event(RUN, "2026-01-02T03:12:00Z", "COMPLETE", rows=7),
    event(OTHER, "2026-01-02T05:00:00Z", "START", "other"),
    event(OTHER, "2026-01-02T05:00:30Z", "FAIL", "other"),
]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(Path(tmp_path_factory.mktemp("activity"))) as started:
        for body in SENT:
            assert started.send(json.dumps(body).encode()).status_code == 201
        yield started


def items(app: InProcess, query: str) -> list[dict[str, Any]]:
    answer = app.get(f"/api/v2/series?since=2026-01-02&until=2026-01-02&{query}").json()
    assert answer["kind"] == "activity"
    return answer["items"]


def test_by_the_hour(app: InProcess) -> None:
    first, second = items(app, "by=hour")
    assert (first["at"], second["at"]) == ("2026-01-02T03:00:00.000Z", "2026-01-02T05:00:00.000Z")
    assert (first["runs"], second["runs"]) == ({"SUCCEEDED": 1}, {"FAILED": 1})
    assert (first["rows"], first["bytes"], first["duration_ms"], first["events"]) == (7, 70, 120_000, 2)
    assert (second["rows"], second["duration_ms"]) == (None, 30_000)


def test_by_the_day_without_a_name(app: InProcess) -> None:
    (day,) = items(app, "by=day")
    assert day["runs"] == {"SUCCEEDED": 1, "FAILED": 1}
    assert day["events"] == 4


def test_of_one_job(app: InProcess) -> None:
    (hour,) = items(app, "by=hour&name=job:etl:other")
    assert hour["runs"] == {"FAILED": 1}
    assert hour["events"] is None


def test_refused_events_are_counted(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        app.send(b"no event")
        (hour,) = app.get("/api/v2/series?by=hour").json()["items"]
        assert (hour["refused"], hour["events"], hour["runs"]) == (1, 0, {})


def test_a_limit_moves_the_beginning(app: InProcess) -> None:
    answer = app.get("/api/v2/series?by=hour&since=2026-01-01&until=2026-01-02T05:30:00Z&limit=2").json()
    assert answer["truncated"] is True
    assert [item["at"] for item in answer["items"]] == ["2026-01-02T05:00:00.000Z"]


def test_as_a_table(app: InProcess) -> None:
    lines = app.get("/api/v2/series?by=hour&since=2026-01-02&until=2026-01-02&format=csv").text.splitlines()
    assert lines[0].startswith("at,SUCCEEDED,FAILED")
    assert lines[1].startswith("2026-01-02T03:00:00.000Z,1,,")


def test_hours_of_a_dataset_are_refused(app: InProcess) -> None:
    answer = app.get("/api/v2/series?by=hour&name=dataset:db:t")
    assert (answer.status_code, answer.json()["path"]) == (400, "?by")


def test_events_of_a_run_as_they_were_sent(app: InProcess) -> None:
    answer = app.get(f"/api/v2/runs/{RUN}/events").json()
    assert [item["body"] for item in answer["items"]] == SENT[:2]
    assert [item["type"] for item in answer["items"]] == ["START", "COMPLETE"]
    assert (answer["total"], answer["next"]) == (2, None)


def test_events_of_a_run_page_by_page(app: InProcess) -> None:
    first = app.get(f"/api/v2/runs/{RUN}/events?limit=1").json()
    second = app.get(f"/api/v2/runs/run:{RUN}/events?limit=1&cursor={first['next']}").json()
    assert [first["items"][0]["body"], second["items"][0]["body"]] == SENT[:2]
    assert second["next"] is None


def test_a_run_without_events(app: InProcess) -> None:
    assert app.get("/api/v2/runs/0197833d-511d-7034-be27-000000000000/events").status_code == 404


@pytest.mark.parametrize("path", ["datasets", "jobs", "runs", "search?q=t", "datasets/dataset:db:t", "show?name=t"])
def test_a_moment_is_refused_where_none_can_be_chosen(app: InProcess, path: str) -> None:
    answer = app.get(f"/api/v2/{path}{'&' if '?' in path else '?'}as_of=2026-01-02")
    assert (answer.status_code, answer.json()["path"]) == (400, "?as_of")
