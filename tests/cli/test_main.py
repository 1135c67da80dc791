"""The command as a person uses it, wrong arguments included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.store.sql_store import SqlStore
from tests.api.test_reading import event
from tests.conftest import entry_of, read_events
from tests.server import Server


def headwater(*arguments: object, folder: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    command = [sys.executable, "-m", "headwater", *map(str, arguments)]
    variables = {**clean, "COLUMNS": "200", **environment}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=variables, check=False, timeout=120)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a chain of jobs and what Spark and Airflow sent."""
    folder = tmp_path_factory.mktemp("data")
    store = SqlStore(f"sqlite:///{folder}/headwater.db")
    store.open()
    bodies = [event("load", ["raw.orders"], ["stage.orders"], 1), event("clean", ["stage.orders"], ["mart.orders"], 2)]
    bodies += read_events("written/spark.ndjson") + read_events("written/airflow.ndjson")
    store.write([entry_of(body) for body in bodies])
    store.close()
    return folder


def test_lineage_is_a_tree(data: Path) -> None:
    done = headwater("lineage", "stage.orders", "--data", data)
    assert done.returncode == 0, done.stderr
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert lines[0].strip().endswith("stage.orders")
    assert any("▶ etl:load" in line for line in lines)
    assert any("mart.orders" in line for line in lines)


def test_lineage_as_json(data: Path) -> None:
    done = headwater("lineage", "stage.orders", "--data", data, "--direction", "upstream", "--format", "json")
    found = json.loads(done.stdout)
    assert {"start", "upstream", "truncated", "freshness"} <= set(found)
    assert "downstream" not in found


@pytest.mark.parametrize("name", ["mart.orders", "job:etl:clean", "0190c0de-0000-7000-8000-000000000002"])
def test_show(data: Path, name: str) -> None:
    done = headwater("show", name, "--data", data)
    assert done.returncode == 0, done.stderr
    assert "clean" in done.stdout or "mart.orders" in done.stdout
    assert json.loads(headwater("show", name, "--data", data, "-f", "json").stdout)["kind"] in ("dataset", "job", "run")


def test_show_says_how_a_run_ended(data: Path) -> None:
    done = headwater("show", "019cac7d-51a0-7b02-9c02-1b6e7f3c2d12", "--data", data)
    assert "FAILED" in done.stdout
    assert "Job aborted" in done.stdout


def test_dump_equals_fold_and_lines_are_json(data: Path) -> None:
    dump, fold = headwater("dump", "--data", data), headwater("fold", "--data", data)
    assert dump.returncode == fold.returncode == 0
    assert dump.stdout == fold.stdout
    kinds = {json.loads(line).get("fact", "asset") for line in dump.stdout.splitlines()}
    assert {"node", "run", "shape", "evidence", "asset"} <= kinds


@pytest.mark.parametrize("option", ["--store", "--data"])
def test_the_same_questions_to_a_database(data: Path, tmp_path: Path, option: str) -> None:
    """What is named counts, whatever the environment names."""
    nothing = {"HEADWATER_STORE": f"sqlite:///{tmp_path}/nothing.db"}
    url = f"sqlite:///{data}/headwater.db"
    of_folder = headwater("dump", "--data", data, **nothing)
    assert of_folder.returncode == 0, of_folder.stderr
    assert headwater("dump", option, url, **nothing).stdout == of_folder.stdout
    assert headwater("dump", **nothing).returncode == 1


def test_the_same_questions_to_a_server(data: Path) -> None:
    with Server(data) as server:
        for question in (("lineage", "stage.orders"), ("show", "mart.orders"), ("dump",)):
            there = headwater(*question, "--url", server.url)
            assert there.returncode == 0, there.stderr
            assert there.stdout == headwater(*question, "--data", data).stdout
        wrong = headwater("show", "nothing", "--url", server.url)
        assert wrong.returncode == 1
        assert "Nothing is called 'nothing'" in wrong.stderr
        assert headwater("show", "mart.orders", HEADWATER_URL=server.url).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "x"), "There is no data"),
        (("lineage",), "Missing argument"),
        (("dump", "--format", "xml"), "ndjson"),
        (("show", "x", "--format", "xml"), "neither tree nor json"),
        (("show", "x", "--url", "localhost"), "is not the address of a server"),
        (("show", "x", "--url", "http://127.0.0.1:1"), "does not answer"),
        (("up", "--port", "70000"), "65535"),
        (("up", "--host", "0.0.0.0"), "Refused to listen"),
        (("up", "--store", "nonsense"), "is not a database URL"),
        (("up", "--port", "0", "--data", "file.txt/below"), "cannot be made"),
        (("up", "--config", "nowhere.toml"), "cannot be read"),
        (("nonsense",), "No such command"),
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "file.txt").write_text("")
    done = headwater(*arguments, folder=tmp_path)
    assert done.returncode in (1, 2)
    assert said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["show", "up"])
def test_a_file_that_is_no_database(tmp_path: Path, command: str) -> None:
    (tmp_path / "headwater.db").write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    done = headwater(command, *(["x"] if command == "show" else ["--port", "0"]), "--data", tmp_path)
    assert done.returncode == 1
    assert "not a database" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_taken_port(tmp_path: Path) -> None:
    with Server(tmp_path / "one") as server:
        done = headwater("up", "--port", server.url.rpartition(":")[2], "--data", tmp_path / "two")
        assert done.returncode == 1
        assert "Cannot listen" in done.stderr


def test_config(tmp_path: Path) -> None:
    done = headwater("config", folder=tmp_path, HEADWATER_STORE="postgresql+psycopg://me:hunter2@db/x")
    assert "hunter2" not in done.stdout
    assert "environment" in done.stdout
    shown = json.loads(headwater("config", "--format", "json", folder=tmp_path, HEADWATER_PORT="1").stdout)
    assert shown["port"] == {"value": 1, "origin": "environment"}


def test_version_and_help() -> None:
    assert headwater("--version").stdout.startswith("headwater ")
    assert "lineage" in headwater("--help").stdout


@pytest.mark.alone
def test_up_answers_within_two_seconds_and_stops_cleanly(tmp_path: Path) -> None:
    server = Server(tmp_path)
    assert server.start_seconds < 10  # 2 on an idle machine, see bench/README.md; tests share theirs
    server.post(event("last", [], ["x"], 9))
    assert server.stop() == 0
    assert "last" in headwater("show", "job:etl:last", "--data", tmp_path).stdout
