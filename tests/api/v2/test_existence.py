"""Whether a dataset exists and when it was last written, from runs that ended in every way, over HTTP and at the CLI."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app as command
from tests.application import InProcess

DB = "postgres://db:5432"


def event(number: int, second: int, kind: str | None, *, reads: bool = False, change: str | None = None) -> bytes:
    facets = {"lifecycleStateChange": {"lifecycleStateChange": change}} if change else {}
    table = {"namespace": DB, "name": "t", "facets": facets}
    body: dict[str, Any] = {
        "eventTime": f"2026-02-01T00:00:{second:02d}Z",
        "run": {"runId": run(number)},
        "job": {"namespace": "etl", "name": "load"},
        "inputs": [table] if reads else [],
        "outputs": [] if reads else [table],
    }
    return json.dumps({**body, **({"eventType": kind} if kind else {})}).encode()


def declaration(second: int, *, dataset: bool = False) -> bytes:
    table = {"namespace": DB, "name": "t"}
    body: dict[str, Any] = {"eventTime": f"2026-02-01T00:00:{second:02d}Z"}
    job = {"job": {"namespace": "etl", "name": "load"}, "inputs": [], "outputs": [table]}
    return json.dumps({**body, **({"dataset": table} if dataset else job)}).encode()


def run(number: int) -> str:
    return f"0190c0de-0000-7000-8000-0000000000{number:02d}"


OK, BAD, GONE = "COMPLETE", "FAIL", "ABORT"
CASES: list[tuple[str, list[bytes], tuple[bool | None, int | None, tuple[int, int, str] | None, int | None]]] = [
    # what it is about, events, then: exists, last written, last attempt, last read
    ("it was written", [event(1, 1, OK)], (True, 1, (1, 1, "SUCCEEDED"), None)),
    ("the only run failed", [event(1, 1, "START"), event(1, 2, BAD)], (False, None, (2, 1, "FAILED"), None)),
    ("the only run was killed", [event(1, 1, GONE)], (False, None, (1, 1, "KILLED"), None)),
    ("it ended well, then it failed", [event(1, 1, OK), event(1, 2, BAD)], (False, None, (2, 1, "FAILED"), None)),
    ("written, then not", [event(1, 1, OK), event(2, 5, BAD)], (True, 1, (5, 2, "FAILED"), None)),
    ("not, then written", [event(1, 1, BAD), event(2, 5, OK)], (True, 5, (5, 2, "SUCCEEDED"), None)),
    ("a stream never ends", [event(1, 1, "START"), event(1, 7, "RUNNING")], (True, 7, (7, 1, "STARTED"), None)),
    (
        "outputs named at the start",
        [event(1, 1, "START"), event(1, 9, OK, reads=True)],
        (True, 9, (9, 1, "SUCCEEDED"), 9),
    ),
    ("only read", [event(1, 3, OK, reads=True)], (True, None, None, 3)),
    ("only read, and badly", [event(1, 3, BAD, reads=True)], (False, None, None, None)),
    ("read well, written badly", [event(1, 3, OK, reads=True), event(2, 4, BAD)], (True, None, (4, 2, "FAILED"), 3)),
    ("dropped", [event(1, 1, OK), event(2, 5, OK, change="DROP")], (False, 1, (1, 1, "SUCCEEDED"), None)),
    (
        "dropped while somebody still read",
        [event(1, 1, OK), event(2, 5, OK, change="DROP"), event(3, 6, OK, reads=True)],
        (False, 1, (1, 1, "SUCCEEDED"), 6),
    ),
    ("not dropped", [event(1, 1, OK), event(2, 5, BAD, change="DROP")], (True, 1, (1, 1, "SUCCEEDED"), None)),
    (
        "dropped and made again",
        [event(1, 1, OK), event(2, 5, OK, change="DROP"), event(3, 6, OK, change="CREATE")],
        (True, 6, (6, 3, "SUCCEEDED"), None),
    ),
    (
        "dropped and not made again",
        [event(1, 1, OK), event(2, 5, OK, change="DROP"), event(3, 6, BAD, change="CREATE")],
        (False, 1, (6, 3, "FAILED"), None),
    ),
    ("altered, not written", [event(1, 4, OK, change="ALTER")], (True, None, None, None)),
    (
        "emptied, not written",
        [event(1, 1, OK), event(2, 4, OK, change="TRUNCATE")],
        (True, 1, (1, 1, "SUCCEEDED"), None),
    ),
    ("declared by its job", [declaration(4)], (True, 4, None, None)),
    ("declared itself", [declaration(4, dataset=True)], (True, None, None, None)),
    ("declared, then written badly", [declaration(4), event(1, 5, BAD)], (True, 4, (5, 1, "FAILED"), None)),
]


def moment(second: int | None) -> str | None:
    return None if second is None else f"2026-02-01T00:00:{second:02d}.000Z"


@pytest.mark.parametrize(("events", "said"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_what_counts(tmp_path: Path, events: list[bytes], said: Any) -> None:
    exists, written, attempt, read = said
    random.Random(len(events)).shuffle(events)
    with InProcess(tmp_path) as server:
        for body in (*events, *events):
            assert server.send(body).status_code == 201
        shown = server.get("/api/v2/datasets/t").json()
        listed = server.get("/api/v2/runs", params={"dataset": "t", "role": "output"}).json()["items"]
    use = shown["use"]
    assert (shown["exists"], use["last_written"], use["last_read"]) == (exists, moment(written), moment(read))
    if attempt is None:
        assert use["last_attempt"] is None
    else:
        second, number, status = attempt
        assert use["last_attempt"] == {"at": moment(second), "run": f"run:{run(number)}", "status": status}
        assert (use["last_attempt"]["run"], status) in [(item["id"], item["status"]) for item in listed]
    on_terminal = CliRunner().invoke(command, ["show", "t", "--data", str(tmp_path), "-f", "json"])
    assert json.loads(on_terminal.stdout) == shown


def test_what_nobody_used(tmp_path: Path) -> None:
    """Only named as the source of a column."""
    lineage = {"fields": {"a": {"inputFields": [{"namespace": DB, "name": "t", "field": "b"}]}}}
    body = json.loads(event(1, 1, OK))
    body["outputs"] = [{"namespace": DB, "name": "other", "facets": {"columnLineage": lineage}}]
    with InProcess(tmp_path) as server:
        server.send(json.dumps(body).encode())
        assert server.get("/api/v2/datasets/t").json()["exists"] is None
        assert server.get("/api/v2/datasets/other").json()["exists"] is True


def test_times_of_changes_are_those_of_runs_that_did_them(tmp_path: Path) -> None:
    with InProcess(tmp_path) as server:
        for number, (kind, change) in enumerate(
            ((OK, "CREATE"), (BAD, "CREATE"), (OK, "TRUNCATE"), (BAD, "TRUNCATE"), (BAD, "DROP")), 1
        ):
            server.send(event(number, number, kind, change=change))
        shown = server.get("/api/v2/datasets/t").json()
    assert [shown[name] for name in ("created_at", "truncated_at", "dropped_at")] == [moment(1), moment(3), None]
