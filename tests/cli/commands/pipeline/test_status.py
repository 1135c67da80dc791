"""`headwater pipeline status` shows jobs of any process, running, gone or ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.store.engine import WRITING, make_engine
from headwater.store.pipeline import jobs as module
from headwater.store.pipeline.jobs import running
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import pipeline_jobs


def status(data: Path, *more: str) -> str:
    done = CliRunner().invoke(app, ["pipeline", "status", "--data", str(data), *more])
    assert done.exit_code == 0, done.output
    return done.output


def test_running_gone_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TELL", 0.02)
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    store = SqlStore(url)
    store.open()
    store.close()
    assert status(tmp_path) == "There are none.\n"
    with pytest.raises(OSError, match="no room"), running(url, "archive"):
        raise OSError("no room left\nand more")
    with running(url, "rollup", DEFAULT_TENANT.id) as job:
        job.tell("run_total", 2, 9, {"rows": 12_345, "nothing": 0, "by": {"a": 1}})
        shown = status(tmp_path)
        while "run_total" not in shown:
            shown = status(tmp_path)
        heading, running_now, ended = shown.splitlines()
        assert heading.split() == ["job", "tenant", "state", "step", "figures", "since", "holder"]
        assert running_now.startswith("rollup   default         running")
        assert "run_total, 2 of 9  rows 12,345  20" in running_now
        assert "process" in running_now
        assert ended.startswith("archive  all or several  failed: no room left  -")
        found = json.loads(status(tmp_path, "--format", "json", "--ended", "0"))
        assert [(each["job"], each["done"], each["total"], each["error"]) for each in found] == [("rollup", 2, 9, None)]

        monkeypatch.setattr(module, "_TELL", 3600.0)
        engine = make_engine(url)
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(pipeline_jobs.update().values(expires_at=1))
        engine.dispose()
        assert "gone, last seen 20" in status(tmp_path)
    assert json.loads(status(tmp_path, "--format", "json"))[0]["state"] == "ended"
