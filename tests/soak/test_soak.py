"""What a soak says of what it found, and that it really runs: a few seconds of it, with a real server."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.soak.__main__ import compare, make_tenants
from tests.soak.traffic import EVENTS, QUESTIONS, Phase, good_events
from tests.soak.verdict import ratios, verdict

WELL: dict[str, Any] = {
    "wrong": {},
    "ratio": {"events": 1.4, "questions": 2.0},
    "memory_mib": {"rounds": [200, 400, 410, 430], "most": 500},
    "descriptors": {"before": 40, "most": 300, "after": 60},
    "tenants": {"a": {"lost": 0, "is_fold": True, "difference": ""}},
    "attacks": {"bombs": {"413": 9, "503": 2}},
    "log": [],
}


def test_all_is_well() -> None:
    assert verdict(WELL) == []


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (("wrong", "503 GET /x"), 3, "503 GET /x (3 times)"),
        (("ratio", "events"), 2.1, "p99 of events"),
        (("ratio", "questions"), None, "p99 of questions"),
        (("memory_mib", "rounds"), [200, 400, 500, 700], "from 400 to 700 MiB"),
        (("descriptors", "after"), 90, "90 descriptors"),
        (("tenants", "a", "lost"), 2, "2 events of a were answered 201"),
        (("tenants", "a", "is_fold"), False, "not the fold"),
        (("attacks", "bombs", "500"), 1, "the attack bombs was answered 500"),
        (("log",), ["Traceback"], "tells of 1 failures"),
    ],
)
def test_each_thing_that_may_be_wrong(place: tuple[str, ...], value: Any, expected: str) -> None:
    report = copy.deepcopy(WELL)
    part = report
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    (said,) = verdict(report)
    assert expected in said


def test_ratios_are_of_the_slowest_in_a_hundred() -> None:
    quiet, beside = Phase(), Phase()
    quiet.seconds = {EVENTS: [0.010] * 199 + [9.0], QUESTIONS: [0.1] * 10}
    beside.seconds = {EVENTS: [0.001] * 190 + [0.030] * 10, QUESTIONS: []}
    assert ratios(quiet, beside) == {EVENTS: 3.0, QUESTIONS: None}


def test_a_lost_event_and_a_wrong_graph_are_seen(tmp_path: Path) -> None:
    from headwater.store.engine import make_engine
    from tests.application import InProcess

    tenants = make_tenants(tmp_path, 1)
    tenant = tenants["a"]
    bodies = [next(tenant.bodies) for _ in range(20)]
    with InProcess(tmp_path) as app:
        for body in bodies:
            assert app.send(body, key=tenant.key).status_code == 201
            tenant.note_taken(body)
    found = compare(tmp_path, tenant)
    assert (found["lost"], found["is_fold"], found["events"]) == (0, True, len(set(bodies)))
    tenant.note_taken(b"another")
    assert compare(tmp_path, tenant)["lost"] == 1
    engine = make_engine(f"sqlite:///{tmp_path / 'headwater.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM shape WHERE rowid = (SELECT max(rowid) FROM shape)")
    engine.dispose()
    assert compare(tmp_path, tenant)["is_fold"] is False
    assert compare(tmp_path, tenants["b"])["events"] == 0


def test_good_events_are_the_same_for_the_same_seed() -> None:
    from random import Random

    one, other = good_events(Random(5), "a"), good_events(Random(5), "a")
    assert [next(one) for _ in range(50)] == [next(other) for _ in range(50)]


@pytest.mark.alone
def test_some_seconds_of_it() -> None:
    """How fast it is on this machine now is not asked; everything else must be well."""
    command = [sys.executable, "-m", "tests.soak", "--minutes", "0.15", "--seed", "6"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=500)
    assert done.stderr.startswith("seed 6\n"), done.stderr
    report = json.loads(done.stdout)
    assert [wrong for wrong in report["failed"] if not wrong.startswith("p99")] == []
    assert done.returncode == bool(report["failed"])
    assert report["beside"][EVENTS]["statuses"].keys() == {"201"}
    assert sum(sum(statuses.values()) for statuses in report["attacks"].values()) > 20
    assert all(found["is_fold"] for found in report["tenants"].values())
