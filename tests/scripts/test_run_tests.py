"""What `make test` runs, in which order, and what it ends with: on a small folder of tests of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/run_tests.py"
TESTS = """
import pytest

def noted(name):
    with open("order", "a") as file:
        file.write(name + "\\n")

@pytest.mark.alone
def test_time():
    noted("time")
    assert {time}

@pytest.mark.parametrize("number", range(4))
def test_other(number):
    noted("other")
    assert {other}

@pytest.mark.slow
def test_slow():
    pytest.skip("it is slow")
"""
CONFIGURATION = "[pytest]\nmarkers =\n  alone: a\n  slow: s\naddopts = -q -p no:cacheprovider\n"


def run(folder: Path, *arguments: str, time: bool = True, other: bool = True) -> tuple[int, str, list[str]]:
    """The result, the last line, and what was run in its order."""
    (folder / "pytest.ini").write_text(CONFIGURATION)
    (folder / "test_it.py").write_text(TESTS.format(time=time, other=other))
    order = folder / "order"
    order.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, SCRIPT, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    last = done.stdout.splitlines()[-1].partition(" in ")[0]
    return done.returncode, last, order.read_text().split() if order.exists() else []


def test_those_that_measure_time_come_last(tmp_path: Path) -> None:
    assert run(tmp_path) == (0, "5 passed, 1 skipped", ["other"] * 4 + ["time"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-k", "time"], (0, "1 passed", ["time"])),
        (["-k", "other and not 3"], (0, "3 passed", ["other"] * 3)),
        (["test_it.py::test_time"], (0, "1 passed", ["time"])),
        (["-m", "slow or alone"], (0, "1 passed, 1 skipped", ["time"])),
        (["-k", "nothing"], (5, "no tests ran", [])),
    ],
)
def test_some_of_them(tmp_path: Path, arguments: list[str], expected: tuple[int, str, list[str]]) -> None:
    assert run(tmp_path, *arguments) == expected


def test_what_fails_in_either_part(tmp_path: Path) -> None:
    assert run(tmp_path, other=False) == (1, "4 failed, 1 passed, 1 skipped", ["other"] * 4 + ["time"])
    assert run(tmp_path, time=False)[:2] == (1, "1 failed, 4 passed, 1 skipped")
    assert run(tmp_path, "-x", "-n", "0", other=False) == (1, "1 failed", ["other"])
    assert run(tmp_path, "--nonsense")[0] == 4
