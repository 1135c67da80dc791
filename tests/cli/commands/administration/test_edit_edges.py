"""Lineage by hand on the command line, straight on a data folder: pairs, files, hiding and undo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.errors import HeadwaterError
from headwater.store.sql_store import SqlStore
from tests.api.v2.test_hand_edges import ALLOWED, NAMES, PAIRS, run
from tests.conftest import entry_of

RUNNER = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Job `one` reads `a` and writes `b`; two of each kind."""
    found = tmp_path_factory.mktemp("edges")
    store = SqlStore(f"sqlite:///{found / 'headwater.db'}")
    store.open()
    bodies = run("one", ["a"], ["b"], 1), run("two", ["b"], ["c"], 2), run("three", ["one", "two"], [], 3)
    store.write([entry_of(body) for body in bodies])
    store.close()
    for kind in ("chart", "dashboard"):
        for name in NAMES[kind]:
            ask(str(found), "create", name)
    return str(found)


def ask(folder: str, *words: str) -> Any:
    answer = RUNNER.invoke(app, ["edit", *words, "-f", "json", "--data", folder])
    if answer.exception is not None and isinstance(answer.exception, HeadwaterError):
        raise answer.exception
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def test_every_pair_of_the_table(folder: str) -> None:
    rules = {(up, rule["downstream"]) for rule in ask(folder, "rules")["rules"] for up in rule["upstream"]}
    assert rules == ALLOWED
    for upstream, downstream in PAIRS:
        ends = NAMES[upstream][0], NAMES[downstream][1]
        if (upstream, downstream) in ALLOWED:
            assert ask(folder, "add", *ends, "--dry-run")["counts"] == {"added": 1}
        else:
            with pytest.raises(HeadwaterError, match=f"is a {upstream}, which cannot feed .*, a {downstream}"):
                ask(folder, "add", *ends)
    assert ask(folder, "edges")["total"] == 0


def test_a_file(folder: str, tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(
        "action,source,target,reason,by,type,description\n"
        "add,dataset:p:a,chart:bi:one,seen in the tool,bob,,\n"
        'add,dataset:p:one#x,dataset:p:two#y,,,DIRECT,"sum(x), by day"\n'
        "hide,a,b,only a check,,,\n"
    )
    before = ask(folder, "edges")
    dry = ask(folder, "add", "--from", str(path), "--dry-run")
    assert (dry["dry_run"], dry["counts"]) == (True, {"added": 2, "hidden": 1})
    assert ask(folder, "edges") == before
    assert ask(folder, "add", "--from", str(path), "--by", "ann")["counts"] == {"added": 2, "hidden": 1}
    listed = {(item["source"], item["target"]): item for item in ask(folder, "edges")["items"]}
    of_chart = listed["dataset:p:a", "dataset:bi:chart.one"]
    assert (of_chart["created_by"], of_chart["reason"]) == ("bob", "seen in the tool")
    assert listed["dataset:p:one#x", "dataset:p:two#y"]["transformation"]["description"] == "sum(x), by day"
    made = ask(folder, "list")["items"]
    assert {(item["change"], item["by"], item["reason"]) for item in made[:3]} == {
        ("edge stated", "bob", "seen in the tool"),
        ("edge stated", "ann", None),
        ("edge hidden", "ann", "only a check"),
    }
    assert ask(folder, "add", "--from", str(path))["counts"] == {"already there": 2, "already hidden": 1}
    hidden = next(item for item in made if item["change"] == "edge hidden")
    assert ask(folder, "undo", hidden["id"])["changed"]
    assert ask(folder, "hide", "a", "b", "--undo")["counts"] == {"not hidden": 1}


def test_what_is_wrong_with_a_file_is_told_by_line(folder: str, tmp_path: Path) -> None:
    before = ask(folder, "edges")
    path = tmp_path / "wrong.csv"
    path.write_text("source,target\na,one\ndashboard:bi:one,one\na,dataset:p:never\na,a\n")
    with pytest.raises(HeadwaterError, match="3 things are wrong; nothing was changed") as caught:
        ask(folder, "add", "--from", str(path))
    told = [line.split(":")[0].strip() for line in (caught.value.hint or "").splitlines()]
    assert told == ["line 3", "line 4", "line 5", "What does not exist is made with --create."]
    path.write_text("source,target\n" + "".join(f"dataset:p:x{number},dataset:p:y{number}\n" for number in range(150)))
    with pytest.raises(HeadwaterError, match="300 things are wrong; nothing was changed") as caught:
        ask(folder, "add", "--from", str(path))
    assert "... and 280 more" in (caught.value.hint or "")
    assert ask(folder, "add", "--from", str(path), "--create", "--dry-run")["created"] == 300
    path.write_text("source,target,colour\na,one,red\n")
    with pytest.raises(HeadwaterError, match="'colour'"):
        ask(folder, "add", "--from", str(path))
    assert ask(folder, "edges") == before


def test_what_only_an_engine_reports_is_not_removed(folder: str) -> None:
    with pytest.raises(HeadwaterError, match="is reported by an engine") as caught:
        ask(folder, "remove", "a", "job:n:one")
    assert "headwater edit hide" in (caught.value.hint or "")
