"""The fuzzer itself: it tries something of everything, says what fails, and makes the same input again."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.__main__ import NAMES, made_again, run, targets


@pytest.mark.alone
@pytest.mark.parametrize("name", NAMES)
def test_a_few_of_each(name: str) -> None:
    with ExitStack() as stack:
        report = run(targets((name,), stack), seed=20260101, seconds=2.5)
    assert report["failed"] == []
    assert report["inputs"][name] > 0


@pytest.mark.parametrize("name", ["decode", "interpret", "store", "sql", "protocol"])
def test_the_same_number_is_the_same_input(name: str) -> None:
    with ExitStack() as stack:
        (target,) = targets((name,), stack).values()
        inputs = [made_again(target, name, 3, number) for number in (0, 1, 2, 3, 0)]
    assert inputs[0] == inputs[-1]
    assert len({repr(made) for made in inputs}) > 2


class _Odd:
    """Fails at every third input, in one way or another."""

    def make(self, chance: Random) -> int:
        return chance.randrange(3)

    def check(self, made: int) -> None:
        assert made != 0, "nought"


def test_what_fails_is_told_with_the_way_to_it() -> None:
    report = run({"odd": _Odd()}, seed=5, seconds=20)
    assert len(report["failed"]) == 10, "then it is left alone"
    for failure in report["failed"]:
        assert "nought" in failure["error"]
        number = int(failure["again"].rpartition(" ")[2])
        assert made_again(_Odd(), "odd", 5, number) == 0
        kept = Path(failure["input"])
        assert kept.read_text() == "0"
        kept.unlink()


def test_as_a_command() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--seed", "8", "--only", "decode", "--case", "4"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "seed 8\n")
    assert '"seed": 8' in done.stdout
