"""The statements that run most, and those that ran last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.application import InProcess
from tests.usage import run, sum_up

RUNS = [  # day, job, statement, how it ended, seconds
    (1, "a", "SELECT often", "COMPLETE", 10),
    (1, "b", "SELECT often", "FAIL", 20),
    (2, "a", "SELECT often", "COMPLETE", 30),
    (3, "a", "SELECT twice", "COMPLETE", 5),
    (5, "a", "SELECT twice", "ABORT", 5),
    (4, "b", "SELECT once", None, 0),
]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("use")) as started:
        for number, (day, job, sql, ends, seconds) in enumerate(RUNS):
            for body in run(number, day, job, {}, {"out": None}, ends=ends, seconds=seconds, sql=sql):
                assert started.send(body).status_code == 201
        sum_up(started.store)
        for body in run(99, 9, "c", {}, {}, sql="SELECT new"):
            assert started.send(body).status_code == 201
        yield started


def ask(app: InProcess, **parameters: Any) -> dict[str, Any]:
    answer = app.get("/api/v2/sql", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def words(answer: dict[str, Any]) -> list[str]:
    return [item["text"].split()[-1] for item in answer["items"]]


def test_orders(app: InProcess) -> None:
    assert words(ask(app, order="-runs")) == ["often", "twice", "once", "new"]
    assert words(ask(app, order="runs")) == ["once", "twice", "often", "new"]
    assert words(ask(app, order="-last_run")) == ["twice", "once", "often", "new"]
    assert words(ask(app, order="last_run")) == ["often", "once", "twice", "new"]
    by_id = words(ask(app))
    assert sorted(by_id) == ["new", "often", "once", "twice"]
    assert by_id == words(ask(app, order="-id"))[::-1]


def test_pages(app: InProcess) -> None:
    for order in ("-runs", "runs", "-last_run", "id"):
        whole, found, cursor = words(ask(app, order=order)), [], None
        for _ in whole:
            page = ask(app, order=order, limit=1, **({"cursor": cursor} if cursor else {}))
            found, cursor = [*found, *words(page)], page["next"]
            assert page["total"] == 4
        assert (found, cursor) == (whole, None)


def test_figures_are_those_of_the_statement(app: InProcess) -> None:
    found = ask(app, order="-runs")
    assert found["freshness"] is None
    assert [item["use"] and tuple(item["use"].values()) for item in found["items"]] == [
        (3, 1, 60_000, "2026-01-02T12:00:30.000Z"),
        (2, 0, 10_000, "2026-01-05T12:00:05.000Z"),
        (1, 0, None, "2026-01-04T12:00:00.000Z"),
        None,
    ]
    for item in found["items"]:
        assert app.get(f"/api/v2/sql/{item['id']}").json()["use"] == item["use"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"since": "2026-01-02"}, [("twice", 2), ("often", 1), ("once", 1)]),
        ({"until": "2026-01-03"}, [("often", 3), ("twice", 1)]),
        ({"since": "2026-01-03", "until": "2026-01-04", "text": "TWICE"}, [("twice", 1)]),
        ({"since": "2026-01-06"}, []),
        ({"job": "job:etl:b"}, [("often", 3), ("once", 1)]),
    ],
)
def test_windows_and_filters(app: InProcess, asked: dict[str, Any], expected: list[tuple[str, int]]) -> None:
    found = ask(app, order="-runs", **asked)
    pairs = [(text, item["use"]["runs"]) for text, item in zip(words(found), found["items"], strict=True)]
    assert sorted(pairs) == sorted(expected)
    assert [number for _, number in pairs] == [number for _, number in expected]
    assert found["total"] == len(expected)


def test_what_is_wrong(app: InProcess) -> None:
    for asked, said in (
        ({"order": "often"}, "order must be"),
        ({"since": "2026-01-02", "until": "2026-01-01"}, "since is after until"),
        ({"order": "-runs", "cursor": ask(app, order="runs", limit=1)["next"]}, "The cursor belongs"),
    ):
        answer = app.get("/api/v2/sql", params=asked)
        assert answer.status_code == 400
        assert said in answer.json()["message"]
