"""`headwater up` with its pipeline: derived rows follow the events, and nothing stays behind when the server goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.processes import children_of, is_alive
from tests.server import Server
from tests.store.test_contract import event

PATIENCE = 120.0


def wait_for(what: Callable[[], bool], log: Callable[[], str]) -> None:
    patience = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < patience, log()
        time.sleep(0.1)


def test_derived_rows_follow_and_the_pipeline_ends_with_the_server(tmp_path: Path) -> None:
    server = Server(tmp_path, "--pipeline")
    try:
        assert server.post(event("first")).status_code == 201

        def worked_in() -> bool:
            state = server.get("/api/v2/pipeline").json()
            return state["lag_events"] == 0 and bool(state["jobs"]) and state["jobs"][0]["events"] == 1

        wait_for(worked_in, server.log)
        assert '"derived":"run_total"' in server.get("/api/v2/dump", derived="true").text
        assert '"derived"' not in server.get("/api/v2/dump").text
        beside = children_of(server.process.pid)
        assert len(beside) == 2  # the pipeline, and the process that answers questions
        server.kill()
        wait_for(lambda: not any(map(is_alive, beside)), server.log)
    finally:
        server.stop()
