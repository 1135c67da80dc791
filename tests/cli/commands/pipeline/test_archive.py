"""`headwater pipeline archive` as a person uses it, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.pipeline.archive.read import read_archive


def headwater(*arguments: object) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    command = [sys.executable, "-m", "headwater", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=clean, check=False, timeout=280)


@pytest.mark.slow
def test_archive_and_retain(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "archive"
    loaded = headwater("demo", "load", "--data", data)
    assert loaded.returncode == 0, loaded.stderr
    before = headwater("dump", "--data", data).stdout
    done = headwater("pipeline", "archive", folder, "--data", data, "--retain", 3, "--master", "local[1]")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["added"] == len(list(read_archive(str(folder)))) == int(loaded.stdout.split()[1])
    assert 0 < report["deleted"] < report["added"]
    assert headwater("dump", "--data", data).stdout == before


def test_what_cannot_be_is_said_before_spark_starts(tmp_path: Path) -> None:
    assert headwater("demo", "load", "--data", tmp_path).returncode == 0
    wrong = headwater("pipeline", "archive", tmp_path / "archive", "--data", tmp_path, "--tenant", "nobody")
    assert wrong.returncode == 1
    assert "no tenant 'nobody'" in wrong.stderr
    assert headwater("pipeline", "archive", tmp_path / "archive", "--data", tmp_path, "--retain", 0).returncode == 2
