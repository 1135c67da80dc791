"""What a job says while it runs, where there is no terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from headwater.cli.output import progress as module
from headwater.cli.output.progress import progress_shown
from headwater.store.sql_store import SqlStore
from tests.pipeline.made_events import made_events
from tests.store.test_contract import entry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OFTEN = "import sys; from headwater.cli import main; from headwater.cli.output import progress; progress.EVERY = 0.3; main.main()"


def test_a_line_now_and_then_also_while_nothing_is_told(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def slow(batches):
        time.sleep(2)
        yield from batches

    monkeypatch.setattr(module, "EVERY", 0.2)
    with progress_shown("rollup", spark) as show:
        show("run_total", 1200, 9000, "12 rows")
        spark.range(0, 2, 1, 2).mapInArrow(slow, "id long").collect()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 4
    assert all(line.startswith("rollup: 1,200 of 9,000, run_total, 12 rows, ") for line in lines)
    assert any(", 0 of 2 tasks, " in line for line in lines)
    assert re.search(r", \d s$", lines[0])


def test_every_job_of_a_replay_says_how_far_it_is(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
    store.open()
    store.write([entry(body) for body in made_events(Random(5), 60)])
    store.close()
    command = ["pipeline", "replay", "--data", str(tmp_path), "--master", "local[1]"]
    done = subprocess.run([sys.executable, "-c", OFTEN, *command], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["swapped"]
    lines = [line for line in done.stderr.splitlines() if line.startswith("replay: ")]
    assert any(" of 1, parts, " in line for line in lines), done.stderr
    assert any("run_total" in line or "run_summary" in line or "job_day" in line for line in lines), done.stderr
