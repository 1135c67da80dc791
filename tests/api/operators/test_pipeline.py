"""What the server says of the pipeline, also when there is none."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from headwater.store.pipeline.progress import Progress
from headwater.store.sql_store import SqlStore
from tests.server import Server
from tests.store.test_contract import event


@pytest.fixture
def server(tmp_path: Path):
    with Server(tmp_path) as running:
        yield running


def progress(tmp_path: Path) -> Progress:
    return Progress(SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}").engine)


def test_without_a_pipeline(server: Server) -> None:
    assert server.get("/api/v2/pipeline").json() == {
        "lag_events": None,
        "lag_seconds": None,
        "fresh_until": None,
        "jobs": [],
    }
    assert "headwater_pipeline_lag_events 0" not in server.get("/metrics").text


def test_behind_the_log(server: Server, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        assert server.post(event(name)).status_code == 201
    jobs = progress(tmp_path)
    now = time.time_ns() // 1000
    jobs.write("stream", position=1, batch=4, batch_events=10, batch_seconds=2.0, now=now)
    state = server.get("/api/v2/pipeline").json()
    assert state["lag_events"] == 2
    assert 0 <= state["lag_seconds"] < 60
    (stream,) = state["jobs"]
    assert stream["last_batch"] == {"events": 10, "seconds": 2.0, "events_per_second": 5.0}
    assert stream["error"] is None
    jobs.fail("stream", "no disk", now + 1)
    assert server.get("/api/v2/pipeline").json()["jobs"][0]["error"] == "no disk"
    figures = server.get("/metrics").text
    assert "headwater_pipeline_lag_events 2.0" in figures
    assert 'headwater_pipeline_failed{job="stream"} 1.0' in figures
