"""What `make audit` makes of what the database of known holes says, or does not say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts import audit

HOLE = {"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["2.0"], "description": "..."}


def said(*listed: dict[str, Any]) -> audit.Verdict:
    return audit.verdict(json.dumps({"dependencies": listed, "fixes": []}))


def known(name: str, *holes: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "version": "1.0", "vulns": list(holes)}


UNKNOWN = {"name": "x", "skip_reason": "Dependency not found"}


def test_a_known_hole_is_a_failure() -> None:
    found = said(known("a"), known("b", HOLE), UNKNOWN)
    assert found.is_failure
    assert "b 1.0: PYSEC-1, repaired in 2.0" in found.text
    assert "2 dependencies audited, 1 are not known to the database: 1 known holes" in found.text


def test_none_is_none() -> None:
    assert said(known("a"), known("b")) == ("2 dependencies audited: no known holes.", False)


@pytest.mark.parametrize("name", ["PYSEC-1", "CVE-1"])
def test_a_hole_that_does_not_concern_us(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(audit.ACCEPTED, name, "we never call it")
    assert not said(known("b", HOLE)).is_failure


@pytest.mark.parametrize("output", ["", "Traceback ...", "[]", "{}", '{"dependencies": []}'])
def test_no_answer_is_told_and_no_failure(output: str) -> None:
    found = audit.verdict(output, "connection refused")
    assert found.text.startswith("NOT AUDITED: the database of known holes")
    assert not found.is_failure


def test_a_database_that_knows_nothing_has_not_audited() -> None:
    """An index that is not the public one answers that there is no such package, of all of them."""
    found = said(UNKNOWN, UNKNOWN)
    assert found.text.startswith("NOT AUDITED")
    assert not found.is_failure


def test_where_the_database_is_out_of_reach() -> None:
    """The real program, all of whose requests end at a closed port of this machine."""
    closed = dict.fromkeys(
        ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9"
    )
    environment = {**os.environ, **closed, "NO_PROXY": "", "no_proxy": ""}
    script = Path(audit.__file__)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("NOT AUDITED: the database of known holes is out of reach")
    assert "127.0.0.1" in done.stdout or "Connection" in done.stdout, "it says why"
