"""What somebody should look at now, on the command line: the same from the store and from a server."""

from __future__ import annotations

import json
from pathlib import Path

from headwater.store.sql_store import SqlStore
from tests.cli.test_main import headwater
from tests.conftest import entry_of
from tests.lineage.attention.test_overdue import daily, run


def store_with(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
    store.open()
    bodies = daily("load", 4, ["orders"]) + run("load", 4, ["orders"], end="FAIL")
    store.write([entry_of(body) for body in bodies])
    store.close()


def test_failures(tmp_path: Path) -> None:
    store_with(tmp_path)
    times = ("--since", "2026-02-01", "--until", "2026-02-10")
    shown = headwater("failures", *times, "--data", tmp_path)
    assert "job:etl:load" in shown.stdout
    assert "1 failed, 0 have succeeded since; the others feed 1 datasets and 0 reports" in shown.stdout
    found = json.loads(headwater("failures", *times, "--format", "json", "--data", tmp_path).stdout)
    assert (found["total"], found["items"][0]["feeds"]["datasets"]) == (1, 1)
    lines = headwater("failures", *times, "--format", "csv", "--data", tmp_path).stdout.splitlines()
    assert lines[0].startswith("at,status,job,run,feeds_datasets")
    assert lines[1].split(",")[1:3] == ["FAILED", "job:etl:load"]
    assert (
        "0 failed" in headwater("failures", "--since", "2026-03-01", "--until", "2026-03-02", "--data", tmp_path).stdout
    )


def test_overdue(tmp_path: Path) -> None:
    store_with(tmp_path)
    shown = headwater("overdue", "--as-of", "2026-02-05T04:00:00Z", "--data", tmp_path)
    assert "orders" in shown.stdout
    assert "failed" in shown.stdout
    found = json.loads(headwater("overdue", "--as-of", "2026-02-05", "--format", "json", "--data", tmp_path).stdout)
    assert [(item["dataset"]["name"], item["reason"]) for item in found["items"]] == [("orders", "failed")]
    assert (
        json.loads(headwater("overdue", "--format", "json", "--data", tmp_path).stdout)["items"] == []
    )  # long given up
