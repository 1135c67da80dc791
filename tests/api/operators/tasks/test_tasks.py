"""Tasks by the routes and by the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app as commands
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.tasks.models import ModelKey
from headwater.store.tasks.records import TaskOutcome
from headwater.store.tasks.task_store import Added, TaskStore
from headwater.tasks.schedule import DELAYS, together
from tests.application import InProcess
from tests.tasks.models import MODEL, make_results, new_tasks

KEY = ModelKey(DEFAULT_TENANT.id, "EMBEDDING", MODEL)


@pytest.fixture
def server(tmp_path: Path):
    with InProcess(tmp_path) as running:
        make_results(running.store)
        yield running


def fill(server: InProcess) -> list[Added]:
    """Five tasks: one that failed, one that is dead, one that succeeded, one canceled, one that waits."""
    store = TaskStore(*server.store.engines.values(), DELAYS)
    added = store.add(DEFAULT_TENANT, new_tasks(5))
    mine = {"worker": "host:1:a", "lease": 60, "choose": together}
    for place, outcome in ((0, False), (2, True)):
        claim = store.claim(DEFAULT_TENANT, KEY, size=1, numbers=[added[place].task], **mine)
        assert claim is not None
        outcomes = [TaskOutcome(claim.work[0].task, ok=outcome, error_type="bad", error="It is bad.")]
        store.settle(claim, outcomes, [], lambda *_: [], 7)
    hasty = TaskStore(*server.store.engines.values(), ())
    claim = hasty.claim(DEFAULT_TENANT, KEY, size=1, numbers=[added[1].task], **mine)
    assert claim is not None
    hasty.settle(claim, [TaskOutcome(claim.work[0].task, ok=False, error_type="worse")], [], lambda *_: [], 7)
    ids = [task["id"] for task in server.get("/api/v2/tasks").json()["tasks"]][::-1]
    assert server.post(f"/api/v2/tasks/{ids[3]}/cancel").json()["state"] == "CANCELED"
    return added


def states(server: InProcess) -> list[str]:
    """The oldest first."""
    return [task["state"] for task in server.get("/api/v2/tasks").json()["tasks"]][::-1]


def test_listed_by_state_and_page_by_page(server: InProcess) -> None:
    fill(server)
    answer = server.get("/api/v2/tasks").json()
    assert states(server) == ["FAILED", "DEAD", "SUCCEEDED", "CANCELED", "PENDING"]
    assert answer["counts"] == dict.fromkeys(["PENDING", "SUCCEEDED", "FAILED", "DEAD", "CANCELED"], 1) | {"RUNNING": 0}
    failed = answer["tasks"][-1]
    assert (failed["attempts"], failed["most_attempts"], failed["last_error"]) == (1, 6, "bad: It is bad.")
    assert failed["next_run_at"] > failed["updated_at"]
    assert answer["tasks"][2]["next_run_at"] is None
    only = server.get("/api/v2/tasks?state=DEAD&state=PENDING").json()["tasks"]
    assert [task["state"] for task in only] == ["PENDING", "DEAD"]
    assert server.get("/api/v2/tasks?type=SQL_SUMMARY").json()["tasks"] == []
    resource = failed["resource_id"]
    assert len(server.get(f"/api/v2/tasks?resource={resource}&model={MODEL}").json()["tasks"]) == 1
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = server.get(f"/api/v2/tasks?limit=2&cursor={after}").json()
        seen += [task["id"] for task in page["tasks"]]
        after = page["next"]
    assert seen == [task["id"] for task in answer["tasks"]]
    batches = server.get("/api/v2/tasks/batches?limit=2").json()
    assert [batch["state"] for batch in batches["batches"]] == ["FAILED", "SUCCEEDED"]
    rest = server.get(f"/api/v2/tasks/batches?cursor={batches['next']}").json()
    assert [(batch["planned"], batch["failed"], batch["worker"]) for batch in rest["batches"]] == [(1, 1, "host:1:a")]
    assert rest["next"] is None


def test_shown_with_attempts(server: InProcess) -> None:
    fill(server)
    failed = server.get("/api/v2/tasks?state=FAILED").json()["tasks"][0]["id"]
    [attempt] = server.get(f"/api/v2/tasks/{failed}").json()["history"]
    assert (attempt["number"], attempt["state"], attempt["milliseconds"]) == (1, "FAILED", 7)
    assert (attempt["error_type"], attempt["error"]) == ("bad", "It is bad.")


@pytest.mark.parametrize("word", ["none", "0000000000000", "zzzzzzzzzzzzz", "0" * 500])
def test_no_such_task(server: InProcess, word: str) -> None:
    for method, path in (("GET", ""), ("POST", "/retry"), ("POST", "/cancel")):
        answer = server.ask(method, f"/api/v2/tasks/{word}{path}")
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


def test_bad_questions(server: InProcess) -> None:
    for query, path in (
        ("state=LOST", "?state"),
        ("cursor=x", "?cursor"),
        ("limit=0", "?limit"),
        ("limit=1001", "?limit"),
        ("stat=DEAD", "?stat"),
    ):
        answer = server.get(f"/api/v2/tasks?{query}")
        assert (answer.status_code, answer.json()["path"]) == (400, path)


def test_reset_and_canceled(server: InProcess) -> None:
    fill(server)
    assert server.post("/api/v2/tasks/retry").json() == {"retried": 1}, "what is dead, if nothing else is said"
    assert states(server) == ["FAILED", "PENDING", "SUCCEEDED", "CANCELED", "PENDING"]
    ids = [task["id"] for task in server.get("/api/v2/tasks").json()["tasks"]][::-1]
    assert server.post(f"/api/v2/tasks/{ids[0]}/retry").json()["attempts"] == 0
    assert server.post(f"/api/v2/tasks/{ids[2]}/retry").json()["state"] == "SUCCEEDED"
    assert server.post(f"/api/v2/tasks/{ids[2]}/cancel").json()["state"] == "SUCCEEDED"
    assert server.post("/api/v2/tasks/retry?state=CANCELED&limit=1").json() == {"retried": 1}
    assert server.post("/api/v2/tasks/cancel?type=SQL_SUMMARY").json() == {"canceled": 0}
    assert server.post("/api/v2/tasks/cancel?limit=3").json() == {"canceled": 3}
    assert server.post("/api/v2/tasks/cancel").json() == {"canceled": 1}
    assert states(server) == ["CANCELED", "CANCELED", "SUCCEEDED", "CANCELED", "CANCELED"]


def test_paused_and_resumed(server: InProcess) -> None:
    fill(server)
    TaskStore(*server.store.engines.values(), DELAYS).pause(KEY, "rate_limited", "It answered 429.", None)
    [pause] = server.get("/api/v2/tasks").json()["paused"]
    assert (pause["model"], pause["type"], pause["until"]) == (MODEL, "EMBEDDING", None)
    assert (pause["reason"], pause["message"]) == ("rate_limited", "It answered 429.")
    assert server.post("/api/v2/tasks/resume?model=another").json() == {"resumed": 0}
    assert server.post(f"/api/v2/tasks/resume?model={MODEL}").json() == {"resumed": 1}
    assert server.get("/api/v2/tasks").json()["paused"] == []


def test_backlog_in_metrics(server: InProcess) -> None:
    fill(server)
    figures = server.get("/metrics").text
    for state, count in (("PENDING", 1), ("FAILED", 1), ("DEAD", 1), ("RUNNING", 0)):
        assert f'headwater_task_backlog{{state="{state}"}} {count}.0' in figures
    assert "SUCCEEDED" not in figures


def run(data: Path, *arguments: str) -> Any:
    found = CliRunner().invoke(commands, ["task", *arguments, "--data", str(data), "--format", "json"])
    assert found.exit_code == 0, found.output
    return json.loads(found.output)


def test_by_the_command_line(tmp_path: Path) -> None:
    with InProcess(tmp_path) as server:
        fill(server)
        TaskStore(*server.store.engines.values(), DELAYS).pause(KEY, "rate_limited", "It answered 429.", None)
    listed = run(tmp_path, "list", "--state", "dead", "--state", "failed")
    assert [task["state"] for task in listed["tasks"]] == ["DEAD", "FAILED"]
    shown = run(tmp_path, "show", listed["tasks"][0]["id"])
    assert shown["history"][0]["error_type"] == "worse"
    assert len(run(tmp_path, "list", "--batches")["batches"]) == 3
    table = CliRunner().invoke(commands, ["task", "list", "--data", str(tmp_path)]).output
    assert "1 DEAD" in table
    assert "headwater task resume" in table
    assert run(tmp_path, "resume") == {"resumed": 1}
    assert run(tmp_path, "retry", listed["tasks"][0]["id"])["state"] == "PENDING"
    assert run(tmp_path, "retry", "--state", "failed", "--type", "EMBEDDING") == {"retried": 1}
    assert run(tmp_path, "cancel", listed["tasks"][0]["id"])["state"] == "CANCELED"
    refused = CliRunner().invoke(commands, ["task", "cancel", "--data", str(tmp_path)])
    assert refused.exit_code == 2
    assert run(tmp_path, "cancel", "--all") == {"canceled": 2}
    for words in (["show", listed["tasks"][0]["id"]], ["list", "--batches"], ["retry"], ["resume"]):
        assert CliRunner().invoke(commands, ["task", *words, "--data", str(tmp_path)]).exit_code == 0
