"""What should have been written by now and was not."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.graph.facts import RunStatus
from headwater.lineage.attention.overdue import OverdueList, due_of, overdue
from headwater.store.read.runs.recent_runs import RecentRun

DB = "postgres://db:5432"
FIRST = datetime(2026, 2, 1, 3, tzinfo=UTC)
MINUTE = 60_000_000
DAY = 1440 * MINUTE


def at(day: float) -> int:
    return int((FIRST + timedelta(days=day)).timestamp() * 1_000_000)


def run(job: str, day: float, outputs: list[str], *, end: str | None = "COMPLETE", minutes: int = 5) -> list[bytes]:
    """A run that begins on a day at three, and ends."""
    begins = FIRST + timedelta(days=day)
    found = []
    for state, time in (("START", begins), (end, begins + timedelta(minutes=minutes))):
        if state is None:
            continue
        body: dict[str, Any] = {
            "eventTime": time.isoformat(),
            "eventType": state,
            "run": {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{job} {day}"))},
            "job": {"namespace": "etl", "name": job},
            "inputs": [{"namespace": DB, "name": "source"}],
            "outputs": [{"namespace": DB, "name": name} for name in outputs],
        }
        found.append(json.dumps(body).encode())
    return found


def daily(job: str, days: int, outputs: list[str]) -> list[bytes]:
    return [body for day in range(days) for body in run(job, day, outputs)]


def told(answer: OverdueList) -> list[tuple[str, str, str]]:
    return [(item.dataset.name, item.job.name, item.reason) for item in answer.items]


def test_nothing_is_overdue_while_all_runs_as_usual(filled) -> None:
    reader = filled(daily("load", 5, ["orders"]))
    assert told(overdue(reader, 1, now=at(4.5))) == []
    assert told(overdue(reader, 1, now=at(5.1))) == []  # a quarter of a day is no delay yet


def test_a_run_that_did_not_begin(filled) -> None:
    answer = overdue(filled(daily("load", 5, ["orders", "items"])), 1, now=at(5.3))
    assert told(answer) == [("items", "load", "not_started"), ("orders", "load", "not_started")] or told(answer) == [
        ("orders", "load", "not_started"),
        ("items", "load", "not_started"),
    ]
    item = answer.items[0]
    assert (item.every_ms, item.expected_at) == (86_400_000, "2026-02-06T03:00:00.000Z")
    assert item.last_written == "2026-02-05T03:05:00.000Z"
    assert item.late_ms == pytest.approx(0.3 * 86_400_000, abs=1)


def test_a_run_that_failed_or_does_not_end(filled) -> None:
    failed = run("load", 4, ["orders"], end="FAIL")
    answer = overdue(filled(daily("load", 4, ["orders"]) + failed), 1, now=at(4.1))
    assert told(answer) == [("orders", "load", "failed")]
    assert answer.items[0].last_written == "2026-02-04T03:05:00.000Z"
    reader = filled(daily("other", 4, ["long"]) + run("other", 4, ["long"], end=None))
    assert ("long", "other", "running") not in told(overdue(reader, 1, now=at(4.9)))
    assert ("long", "other", "running") in told(overdue(reader, 1, now=at(5.5)))


def test_what_another_job_has_written_since_is_not_missing(filled) -> None:
    bodies = daily("load", 4, ["orders"]) + run("load", 4, ["orders"], end="FAIL")
    reader = filled(bodies + run("repair", 4.05, ["orders"]))
    assert told(overdue(reader, 1, now=at(4.2))) == []
    assert told(overdue(reader, 1, now=at(5.0), as_of=at(4.04))) == [("orders", "load", "failed")]  # it had not yet


def test_at_another_moment(filled) -> None:
    reader = filled(daily("load", 5, ["orders"]) + run("load", 6, ["orders"]))
    assert told(overdue(reader, 1, now=at(6.1), as_of=at(5.4))) == [("orders", "load", "not_started")]
    assert told(overdue(reader, 1, now=at(6.1))) == []
    assert overdue(reader, 1, now=at(6.1), as_of=at(5.4)).at == "2026-02-06T12:36:00.000Z"


def test_of_other_tenants_nothing_is_told(filled) -> None:
    reader = filled(daily("load", 5, ["orders"]))
    assert overdue(reader, 2, now=at(5.5)).total == 0


def test_the_list_is_cut_and_counted(filled) -> None:
    answer = overdue(filled(daily("load", 5, [f"t{number}" for number in range(7)])), 1, now=at(5.5), limit=3)
    assert (len(answer.items), answer.total) == (3, 7)


@pytest.mark.parametrize(
    ("status", "ended", "starts", "now", "reason"),
    [
        (RunStatus.SUCCEEDED, 4 * DAY + MINUTE, 5, 5.2, None),
        (RunStatus.SUCCEEDED, 4 * DAY + MINUTE, 5, 5.3, "not_started"),
        (RunStatus.SUCCEEDED, 4 * DAY + MINUTE, 5, 15.1, None),  # given up
        (RunStatus.SUCCEEDED, 4 * DAY + MINUTE, 3, 5.3, None),  # too few to know
        (RunStatus.KILLED, 4 * DAY + MINUTE, 5, 4.1, "failed"),
        (RunStatus.STARTED, None, 5, 5.3, "running"),
        (RunStatus.FAILED, 6 * DAY, 5, 5.3, "running"),  # that it failed was not known then
    ],
)
def test_what_is_due(status: RunStatus, ended: int | None, starts: int, now: float, reason: str | None) -> None:
    newest = RecentRun(b"r", b"j", None, status, 4 * DAY, ended)
    found = due_of(newest, [(4 - back) * DAY for back in range(starts)], int(now * DAY))
    assert (None if found is None else found.reason) == reason
