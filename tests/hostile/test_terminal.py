"""Names that others chose, on a terminal, in a log, a spreadsheet and a picture."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

import headwater
from headwater.cli.output.picture import as_dot, as_mermaid
from headwater.escaping import csv_cell, json_text, printable
from headwater.logs import JsonFormatter, TextFormatter
from tests.application import InProcess
from tests.hostile.test_questions import FACET
from tests.server import Server

EVIL = "x\x1b]0;owned\x07\x9b31m\u202egnp\u2028\n[red]"
"""A title for the window, a colour in one character, text from right to left, and two line ends."""
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]")


def evil_event(job: str = EVIL, *, columns: bool = True) -> bytes:
    one = {"namespace": "n", "name": f"{EVIL}in", "facets": {"documentation": {**FACET, "description": EVIL}}}
    field = {"namespace": "n", "name": f"{EVIL}in", "field": EVIL, "transformations": [{"type": "DIRECT"}]}
    facets = {
        "schema": {**FACET, "fields": [{"name": EVIL, "type": EVIL, "description": EVIL}]},
        "columnLineage": {**FACET, "fields": {EVIL: {"inputFields": [field]}}},
        "ownership": {**FACET, "owners": [{"name": EVIL, "type": EVIL}]},
        "tags": {**FACET, "tags": [{"key": EVIL, "value": EVIL}]},
    }
    return json.dumps(
        {
            "eventTime": "2026-01-01T00:00:00Z",
            "eventType": "COMPLETE",
            "producer": EVIL,
            "run": {"runId": "0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b"},
            "job": {"namespace": "n", "name": job, "facets": {"sql": {**FACET, "query": f"select '{EVIL}'"}}},
            "inputs": [one],
            "outputs": [{"namespace": "n", "name": "out", "facets": facets if columns else {}}],
        }
    ).encode()


def headwater_says(data: Path, *arguments: str) -> str:
    """All that a command prints, as a terminal would get it."""
    command = [sys.executable, "-m", "headwater", *arguments]
    done = subprocess.run([*command, "--data", str(data)], capture_output=True, timeout=120, check=False)
    return (done.stdout + done.stderr).decode()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    with InProcess(folder) as app:
        assert app.send(evil_event()).status_code == 201
        refused = json.loads(evil_event())
        del refused["eventTime"]
        assert app.send(json.dumps(refused | {EVIL: EVIL}).encode()).status_code == 400
    return folder


JOB = f"job:n:{EVIL}"
COMMANDS = [
    *(("show", "dataset:n:out", "-f", form) for form in ("tree", "table", "json")),
    ("show", JOB),
    ("show", "0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b"),
    *(("lineage", "dataset:n:out", "-f", form) for form in ("tree", "table", "json", "csv", "mermaid", "dot")),
    ("lineage", "dataset:n:out", "-g", "COLUMN"),
    ("impact", f"dataset:n:{EVIL}in"),
    ("impact", f"dataset:n:{EVIL}in", "-f", "csv"),
    ("paths", f"dataset:n:{EVIL}in", "dataset:n:out"),
    ("diff", "2025-01-01", "2027-01-01"),
    ("diff", "2025-01-01", "2027-01-01", "-f", "table"),
    ("search", "x"),
    ("search", "x", "-f", "json"),
    ("dead-letters", "list"),
    ("show", f"dataset:n:missing{EVIL}"),
    ("lineage", f"nothing{EVIL}"),
    ("show", "x", "-f", f"no{EVIL}"),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments)[:30].encode().hex()[:40])
def test_commands(data: Path, arguments: tuple[str, ...]) -> None:
    said = headwater_says(data, *arguments)
    assert said.strip()
    assert not STEERING.search(said), said
    if "json" in arguments:
        assert "\x9b31m\u202e" in json.dumps(json.loads(said), ensure_ascii=False) or "missing" in said


def test_commands_that_ask_a_server(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        assert server.post(evil_event()).status_code == 201
        for arguments in (("show", JOB), ("lineage", JOB), ("show", f"dataset:n:gone{EVIL}")):
            command = [sys.executable, "-m", "headwater", *arguments, "--url", server.url]
            done = subprocess.run(command, capture_output=True, timeout=120, check=False)
            said = (done.stdout + done.stderr).decode()
            assert r"\x1b]0;owned" in said
            assert not STEERING.search(said), said


def test_everything_goes_through_one_place() -> None:
    """Nothing in the commands prints by itself, but for what programs read."""
    folder = Path(headwater.__file__).parent / "cli"
    found = {
        (path.name, line.strip())
        for path in folder.rglob("*.py")
        for line in path.read_text().splitlines()
        if re.search(r"typer\.(echo|secho)\(|(?<![\w.])print\(|(?<!Safe)Console\(", line) and ">>>" not in line
    }
    assert {name for name, _ in found} <= {"terminal.py", "table.py", "demo.py", "run.py"}, found


def record_of(**extra: object) -> logging.LogRecord:
    record = logging.makeLogRecord({"msg": EVIL, "levelname": "INFO", "name": "tests", **extra})
    try:
        int(EVIL)
    except ValueError:
        record.exc_info = sys.exc_info()  # type: ignore[assignment]
    return record


def test_the_log() -> None:
    text = TextFormatter().format(record_of(route=EVIL))
    assert not STEERING.search(text)
    assert r"route=x\x1b]0;owned\x07\x9b31m\u202egnp\u2028\n[red]" in text.splitlines()[0]
    line = JsonFormatter().format(record_of(route=EVIL))
    assert not STEERING.search(line)
    assert json.loads(line)["route"] == EVIL


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uff1d1", "\n=1"])
def test_spreadsheets(tmp_path: Path, name: str) -> None:
    """CSV of the command and of the server: no cell is a formula."""
    assert csv_cell(name).startswith("'")
    evil = {"namespace": name, "name": name}
    body = json.loads(evil_event("job", columns=False)) | {"inputs": [evil]}
    body["outputs"][0]["facets"] = {
        "columnLineage": {**FACET, "fields": {name: {"inputFields": [{**evil, "field": name}]}}}
    }
    with InProcess(tmp_path) as app:
        assert app.send(json.dumps(body).encode()).status_code == 201
        for path in ("/api/v2/impact?name=dataset:n:out&format=csv", "/api/v2/lineage?name=dataset:n:out&format=csv"):
            answer = app.get(path)
            cells = [cell for row in csv.reader(io.StringIO(answer.text)) for cell in row]
            assert not [cell for cell in cells if cell.strip().startswith(("=", "+", "-", "@", "\uff1d"))]
    said = headwater_says(tmp_path, "diff", "2025-01-01", "2027-01-01", "-f", "csv")
    cells = [cell for row in csv.reader(io.StringIO(said)) for cell in row]
    assert not [cell for cell in cells if cell.strip().startswith(("=", "+", "-", "@", "\uff1d"))]


def test_cells_that_are_no_formulas() -> None:
    assert [csv_cell(value) for value in (-1, 2.5, None, "a=b", "", "x-y", "two\nlines")] == [
        -1, 2.5, None, "a=b", "", "x-y", "two\nlines",
    ]  # fmt: skip


def test_pictures() -> None:
    evil = 'dataset:n:a"]; evil --> b\n<img src=x onerror=alert(1)>`#quot;\\" |x|' + EVIL
    mermaid = as_mermaid([evil, "job:n:j"], [(evil, "job:n:j", '"|<b>', "")])
    assert len(mermaid.splitlines()) == 4
    assert "<" not in mermaid.replace("-->", "")
    assert mermaid.count('"') == 6
    dot = as_dot([evil, "job:n:j"], [(evil, "job:n:j", 'x"]; evil', "")])
    assert len(dot.splitlines()) == 6
    unescaped = re.sub(r"\\.", "", dot)
    assert unescaped.count('"') == 14
    assert "evil" not in re.sub(r'"[^"]*"', "", unescaped)
    assert not STEERING.search(mermaid + dot)


def test_the_same_text_otherwise() -> None:
    for text in ("", "plain", "größe", "日本語", "a\u200db 👩‍👩‍👧", 'say "hi" \\n'):
        assert printable(text) == text
        assert json_text(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)
    assert json.loads(json_text(json.dumps("\U000e0041\x7f", ensure_ascii=False))) == "\U000e0041\x7f"
