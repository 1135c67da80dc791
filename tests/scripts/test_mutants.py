"""What `make mutants` changes, and how it tells whether a test noticed: on a small tree of its own, with real tests."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import mutants

CODE = '''"""Doubles."""

__all__ = ["doubled"]

_MOST = 1000


def doubled(value: int, *, is_real: bool = True) -> int:
    """Twice as much, up to ten."""
    if value > 5 and is_real:
        raise ValueError(f"{value} is too much")
    return value * 2
'''


def changes(code: str) -> set[str]:
    found = set()
    for mutant in mutants._Finder("x.py", code).found():
        text = mutants.changed(code.encode(), mutant)
        if text is not None:
            (line,) = [
                new for old, new in zip(code.splitlines(), text.decode().splitlines(), strict=False) if old != new
            ][:1]
            found.add(line.strip())
    return found


def test_what_is_changed() -> None:
    assert changes(CODE) == {
        "def doubled(value: int, *, is_real: bool = False) -> int:",
        "if (not (value > 5 and is_real)):",
        "if (value > 5 or is_real):",
        "if (is_real):",
        "if (value > 5):",
        "if value >= 5 and is_real:",
        "if value > 6 and is_real:",
        "pass",
        "return None",
        "return value + 2",
        "return value * 3",
    }


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("q = table.select().where(t.c.tenant == tenant, t.c.id == 1)", "q = table.select().where(t.c.id == 1)"),
        ("q = select(a).where(a.c.tenant == tenant)", "q = select(a)"),
        ("q = order_by(a.desc())", "q = order_by(a.asc())"),
        ('q = "SELECT a FROM b WHERE c <= ? ORDER BY d DESC"', 'q = "SELECT a FROM b WHERE c < ? ORDER BY d DESC"'),
        ('q = "SELECT a FROM b WHERE c <= ? ORDER BY d DESC"', 'q = "SELECT a FROM b WHERE c <= ? ORDER BY d ASC"'),
        ("x = [a for a in b if a]", "x = [a for a in b if (not (a))]"),
        ("x = min(a, b)", "x = max(a, b)"),
    ],
)
def test_questions_of_a_database_are_changed_too(line: str, expected: str) -> None:
    assert expected in changes(f"def f():\n    {line}\n")


def test_every_change_of_our_own_code_is_python() -> None:
    chosen = mutants.sample(60, 7, [])
    assert chosen == mutants.sample(60, 7, [])
    assert chosen != mutants.sample(60, 8, [])
    for mutant in chosen:
        source = (mutants.ROOT / mutant.file).read_bytes()
        text = mutants.changed(source, mutant)
        assert text is not None
        ast.parse(text)
        assert mutants.tests_of(mutant.file)
        difference = mutants.difference(source, mutant)
        assert "\n    +" in difference or "\n    -" in difference
    assert {mutant.file for mutant in mutants.sample(5, 1, ["src/headwater/api"])} == {
        "src/headwater/api/authentication/authorize.py"
    }


def test_all_tests_that_it_names_are_there() -> None:
    for tests in (group for groups in mutants.TESTS.values() for group in groups):
        for name in tests:
            place = name.removeprefix("--ignore=")
            assert (mutants.ROOT / place).exists() or not place.startswith("tests/"), place


def test_who_survives_and_who_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    for folder in ("src/headwater/sql", "tests/sql", "scripts", "docs", "bench"):
        (root / folder).mkdir(parents=True)
    for name in ("README.md", "Makefile", "CONTRIBUTING.md", "CHANGELOG.md", "requirements.lock"):
        (root / name).write_text("")
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (root / "src/headwater/sql/double.py").write_text(CODE)
    (root / "src/headwater/__init__.py").write_text("")
    (root / "src/headwater/sql/__init__.py").write_text("")
    test = "from headwater.sql.double import doubled\ndef test_it():\n    assert doubled(3) == 6\n    assert doubled(2) == 4\n"
    (root / "tests/sql/test_double.py").write_text(test)
    monkeypatch.setattr(mutants, "ROOT", root)
    monkeypatch.setattr(mutants, "TESTS", {"src/headwater/sql": [("tests/sql",)]})
    chosen = [one for one in mutants.sample(99, 1, []) if "return" in one.text or "greater" in one.what]
    trial = mutants.Trial(tmp_path / "tree")
    outcomes = [trial.try_one(mutant) for mutant in chosen]
    told = mutants.report(outcomes, 1)
    killed = {outcome.mutant.what: outcome.killed_by for outcome in outcomes}
    assert killed["nothing returned"] == "tests/sql/test_double.py::test_it"
    (survivor,) = [one for one in told["survivors"] if "6" in one["text"]]  # nobody asks for six
    assert "+    if value > 6 and is_real:" in survivor["difference"]
    assert told["tried"] == told["killed"] + len(told["survivors"]) == len(chosen) > 2
    assert (tmp_path / "tree/src/headwater/sql/double.py").read_text() == CODE
    assert json.dumps(told)


def test_a_list_changes_nothing() -> None:
    command = [sys.executable, "scripts/mutants.py", "--list", "--count", "3", "--seed", "2"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=mutants.ROOT, check=True)
    told = re.split(r"^src/headwater/\S+:\d+: ", done.stdout, flags=re.MULTILINE)
    assert (told[0], len(told)) == ("", 4)
    assert all("\n    @@ " in one for one in told[1:]), "each with what would be changed"
