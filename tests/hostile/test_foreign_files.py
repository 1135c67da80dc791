"""A database that another program wrote is left alone, and said in words."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.application import InProcess

STATEMENTS = {
    "a table of ours in name": ["CREATE TABLE node (a)"],
    "another table": ["CREATE TABLE places (id INTEGER, title TEXT)", "INSERT INTO places VALUES (1, 'x')"],
    "migrated by the same tool": [
        "CREATE TABLE alembic_version (version_num VARCHAR(32))",
        "INSERT INTO alembic_version VALUES ('abc123')",
        "CREATE TABLE run (id INTEGER)",
    ],
    "a version of something else": ["CREATE TABLE alembic_version (a)", "CREATE TABLE run (id INTEGER)"],
    "a version without a number": ["CREATE TABLE alembic_version (version_num TEXT)", "CREATE TABLE run (id INTEGER)"],
}
COMMANDS = (("up", "--port", "0", "--no-pipeline"), ("migrate",), ("migrate", "--check"), ("show", "x"), ("dump",))
ONE_AFTER_THE_OTHER = """
import json, sys
from headwater.cli.main import main

for command in json.loads(sys.argv[1]):
    sys.argv = ["headwater", *command]
    try:
        main()
    except SystemExit as end:
        sys.stderr.write(f"ended with {end.code}: {command[0]}\\n")
"""
"""In one process, since starting one takes longer than all of them."""


@pytest.mark.parametrize("kind", STATEMENTS)
def test_a_foreign_database(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "headwater.db"
    connection = sqlite3.connect(path)
    for statement in STATEMENTS[kind]:
        connection.execute(statement)
    connection.commit()
    connection.close()
    before = tables(path)
    commands = json.dumps([[*command, "--data", str(tmp_path)] for command in COMMANDS])
    done = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_THE_OTHER, commands], capture_output=True, text=True, timeout=150, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert re.findall(r"ended with (\d+): (\S+)", done.stderr) == [("1", command[0]) for command in COMMANDS], (
        done.stderr
    )
    assert done.stderr.count("headwater: ") >= len(COMMANDS) - 1, "--check prints an answer instead"
    assert tables(path) == before


def tables(path: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    finally:
        connection.close()


@pytest.mark.parametrize("path", ["/api/v2/lineage?name=job:a:b", "/api/v2/impact?", "/api/v2/datasets?"])
def test_a_parameter_many_times(tmp_path: Path, path: str) -> None:
    with InProcess(tmp_path) as app:
        for count in (101, 3000):
            answer = app.get(f"{path}{''.join(f'&tag=t{number}' for number in range(count))}")
            assert (answer.status_code, answer.json()["error"]) == (400, "bad_question")
            assert f"tag is given {count} times" in answer.json()["message"]
        answer = app.get(f"{path}{''.join(f'&tag=t{number}' for number in range(100))}")
        assert answer.status_code in (200, 400, 404)
        assert "times" not in answer.text
