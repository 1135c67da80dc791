"""`headwater usage`, on a folder and on a server."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from headwater.store.sql_store import SqlStore
from tests.cli.test_main import headwater
from tests.conftest import entry_of
from tests.server import Server
from tests.usage import run, sum_up

BODIES = [body for day in (1, 2, 4) for body in run(day, day, "load", {"raw": day}, {"orders": 10 * day})]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    store = SqlStore(f"sqlite:///{folder}/headwater.db")
    store.open()
    store.write([entry_of(body) for body in [*BODIES, *run(5, 4, "load", {}, {"orders": None}, ends="FAIL")]])
    later = [*run(6, 7, "other", {}, {}, sql="SELECT 1"), *run(7, 8, "other", {}, {}, ends="FAIL", sql="SELECT 1")]
    store.write([entry_of(body) for body in [*later, *run(8, 6, "other", {}, {}, sql="SELECT 2")]])
    sum_up(store)
    store.close()
    return folder


def test_bars_and_a_table(data: Path) -> None:
    done = headwater("usage", "orders", "--data", data)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["writes ▄▄ █", "reads"]
    assert lines[2].split() == [
        "day",
        "reads",
        "writes",
        "failures",
        "rows",
        "written",
        "bytes",
        "written",
        "last",
        "written",
    ]
    assert lines[-1].split()[:6] == ["2026-01-04", "0", "2", "1", "40", "400"]
    assert headwater("usage", "job:etl:load", "--data", data).stdout.startswith("runs   ▄▄ █\n")


def test_windows_formats_and_a_server(data: Path) -> None:
    asked = ("usage", "orders", "--since", "2026-01-02", "--limit", "1")
    here = headwater(*asked, "--data", data, "-f", "json")
    assert [day["day"] for day in json.loads(here.stdout)["days"]] == ["2026-01-04"]
    rows = list(csv.DictReader(io.StringIO(headwater("usage", "job:etl:load", "--data", data, "-f", "csv").stdout)))
    assert [(row["day"], row["runs"], row["failed"]) for row in rows] == [
        ("2026-01-01", "1", "0"),
        ("2026-01-02", "1", "0"),
        ("2026-01-04", "2", "1"),
    ]
    done = headwater(*asked, "--data", data)
    assert "only the newest 1 days" in done.stderr
    with Server(data) as server:
        assert json.loads(headwater(*asked, "--url", server.url, "-f", "json").stdout) == json.loads(here.stdout)


def test_statements_that_ran_most(data: Path) -> None:
    done = headwater("usage", "--sql", "--data", data)
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["runs", "failed", "duration", "ms", "last", "run", "jobs", "id", "text"]
    assert [line.split()[:3] for line in lines[1:]] == [["2", "1", "20000"], ["1", "0", "10000"]]
    asked = ("usage", "--sql", "--until", "2026-01-06", "--limit", "1")
    here = json.loads(headwater(*asked, "--data", data, "-f", "json").stdout)
    assert [(item["text"], item["use"]["runs"]) for item in here["items"]] == [("SELECT 2", 1)]
    rows = list(csv.DictReader(io.StringIO(headwater("usage", "--sql", "--data", data, "-f", "csv").stdout)))
    assert [(row["runs"], row["text"]) for row in rows] == [("2", "SELECT 1"), ("1", "SELECT 2")]
    with Server(data) as server:
        assert json.loads(headwater(*asked, "--url", server.url, "-f", "json").stdout) == here
    tree = headwater("show", here["items"][0]["id"], "--data", data).stdout
    assert "use runs 1, failed 0, duration_ms 10000, last_run 2026-01-06T12:00:10.000Z" in tree


def test_nothing_summed_up_and_wrong_arguments(tmp_path: Path, data: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path}/headwater.db")
    store.open()
    store.write([entry_of(BODIES[0])])
    store.close()
    done = headwater("usage", "orders", "--data", tmp_path)
    assert done.returncode == 0
    assert "There are none." in done.stdout
    assert "headwater pipeline rollup" in done.stderr
    for arguments, said in (
        (("orders", "-f", "xml"), "neither"),
        (("orders", "--since", "soon"), "is no time"),
        (("orders", "--limit", "0"), "'--limit'"),
        (("nowhere",), "Nothing is called"),
        ((), "or say --sql"),
        (("orders", "--sql"), "or say --sql"),
        (("--sql", "--limit", "1001"), "'--limit'"),
    ):
        wrong = headwater("usage", *arguments, "--data", data)
        assert wrong.returncode in (1, 2)
        assert said in wrong.stderr
        assert "Traceback" not in wrong.stderr
