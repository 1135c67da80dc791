"""How much a dataset was used and how a job ran, by day, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.application import InProcess
from tests.usage import DB, run, sum_up

EVENTS = [
    *run(1, 1, "load", {"raw": 5}, {"orders": 100}, seconds=10),
    *run(2, 1, "load", {"raw": 7}, {"orders": None}, seconds=30),
    *run(3, 1, "load", {"raw": None}, {"orders": 1}, ends="FAIL", seconds=20),
    *run(4, 3, "load", {}, {"orders": 50}, ends="ABORT"),
    *run(5, 3, "load", {}, {"orders": None}, ends=None),
    *run(6, 3, "report", {"orders": 150}, {"page": None}, links={"orders": "orders_now"}),
    *run(7, 5, "report", {"orders_now": 9}, {"page": None}),
]
SUMS = ("rows_read", "rows_written", "bytes_read", "bytes_written")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("series")) as started:
        for body in EVENTS:
            assert started.send(body).status_code == 201
        sum_up(started.store)
        yield started


def ask(app: InProcess, **parameters: Any) -> dict[str, Any]:
    answer = app.get("/api/v2/series", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_days_of_a_job(app: InProcess) -> None:
    found = ask(app, name="job:etl:load")
    assert {key: found[key] for key in ("of", "kind", "by", "since", "until", "truncated", "freshness")} == {
        "of": "job:etl:load",
        "kind": "job",
        "by": "day",
        "since": None,
        "until": None,
        "truncated": False,
        "freshness": None,
    }
    assert [tuple(day.values()) for day in found["days"]] == [
        ("2026-01-01", 3, 2, 1, 0, 0, 20_000, 30_000, 12, 101, 120, 1010),
        ("2026-01-03", 2, 0, 0, 1, 1, 10_000, 10_000, None, 50, None, 500),
    ]


def test_days_of_a_dataset_have_those_of_all_its_names(app: InProcess) -> None:
    expected = [
        ("2026-01-01", 0, 3, 1, None, 101, None, 1010, "2026-01-01T12:00:30.000Z"),
        ("2026-01-03", 1, 2, 0, 150, 50, 1500, 500, None),
        ("2026-01-05", 1, 0, 0, 9, None, 90, None, None),
    ]
    for name in ("orders", "orders_now", f"dataset:{DB}:orders"):
        found = ask(app, name=name)
        assert found["of"] in (f"dataset:{DB}:orders", f"dataset:{DB}:orders_now")
        assert [tuple(day.values()) for day in found["days"]] == expected, name


@pytest.mark.parametrize(
    ("asked", "days", "is_cut"),
    [
        ({"since": "2026-01-02"}, [3, 5], False),
        ({"since": "2026-01-03T23:00:00Z"}, [3, 5], False),
        ({"until": "2026-01-03T00:00:00Z"}, [1, 3], False),
        ({"since": "2026-01-02", "until": "2026-01-04"}, [3], False),
        ({"since": "2026-01-06"}, [], False),
        ({"limit": 2}, [3, 5], True),
        ({"limit": 1, "until": "2026-01-04"}, [3], True),
        ({"limit": 3}, [1, 3, 5], False),
    ],
)
def test_windows(app: InProcess, asked: dict[str, Any], days: list[int], is_cut: bool) -> None:
    found = ask(app, name="orders", **asked)
    assert [day["day"] for day in found["days"]] == [f"2026-01-{day:02d}" for day in days]
    assert found["truncated"] is is_cut
    assert (found["since"], found["until"]) == tuple(asked.get(key, "")[:10] or None for key in ("since", "until"))


def test_as_a_table(app: InProcess) -> None:
    said = app.get("/api/v2/series", params={"name": "job:etl:report", "format": "csv"}).text.splitlines()
    assert said[0] == f"day,runs,succeeded,failed,killed,other,duration_p50_ms,duration_p95_ms,{','.join(SUMS)}"
    assert said[1:] == ["2026-01-03,1,1,0,0,0,10000,10000,150,,1500,", "2026-01-05,1,1,0,0,0,10000,10000,9,,90,"]
    said = app.get("/api/v2/series?name=page", headers={"accept": "text/csv"}).text.splitlines()
    assert said[0] == f"day,reads,writes,failures,{','.join(SUMS)},last_written"


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ({"name": "nowhere"}, 404, "Nothing is called"),
        ({"name": "orders", "since": "soon"}, 400, "since is no time"),
        ({"name": "orders", "since": "2026-01-02", "until": "2026-01-01"}, 400, "since is after until"),
        ({"name": "orders", "limit": 0}, 400, "limit must be"),
        ({"name": "orders", "limit": 1001}, 400, "limit must be"),
        ({"name": "orders", "by": "hour"}, 400, "is no job"),
        ({"name": "orders", "by": "week"}, 400, "by must be"),
    ],
)
def test_what_is_wrong(app: InProcess, asked: dict[str, Any], status: int, said: str) -> None:
    answer = app.get("/api/v2/series", params=asked)
    assert (answer.status_code, said in answer.json()["message"]) == (status, True), answer.text


def test_before_the_pipeline_ran(tmp_path: Path) -> None:
    with InProcess(tmp_path) as fresh:
        assert fresh.send(EVENTS[1]).status_code == 201
        found = ask(fresh, name="orders")
    assert (found["days"], found["freshness"]) == ([], None)
