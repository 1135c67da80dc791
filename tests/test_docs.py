"""The documentation is complete, and its examples do what it says they do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import check_docs

ROOT = Path(__file__).resolve().parent.parent
ADDRESS = "http://127.0.0.1:8580"
_EXAMPLE = re.compile(r"^```bash\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_nothing_is_missing() -> None:
    found = check_docs.problems()
    assert not found, "\n".join(found)


def test_the_facts_page_is_fresh() -> None:
    assert (ROOT / "docs/reference/facts.md").read_text(encoding="utf-8") == check_docs.facts_page()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A server on a free port, with its data where a user in this folder would have it."""
    command = [sys.executable, "-m", "headwater", "up", "--port", "0", "--data", ".headwater", "--no-pipeline"]
    process = subprocess.Popen(command, cwd=tmp_path, env=_variables(), stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://[\d.]+:\d+", process.stdout.readline())
        assert found is not None
        yield found.group()
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.parametrize("page", ["README.md", "docs/getting-started.md", "docs/edits.md"])
def test_examples(page: str, server: str, tmp_path: Path) -> None:
    """Each command of the page answers what the page shows below it."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    examples = _EXAMPLE.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(examples) >= 3
    for command, shown in examples:
        done = subprocess.run(
            ["bash", "-c", command.replace(ADDRESS, server)],
            cwd=tmp_path,
            env=_variables() | ({"HEADWATER_URL": server} if page == "docs/edits.md" else {}),
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        assert _comparable(done.stdout) == _comparable(shown), command


def test_the_welcome_is_shown_as_it_is(server: str) -> None:
    """The first lines that the guide shows are those that the server prints; here only its address is checked."""
    for page in ("docs/getting-started.md", "docs/reference/cli.md"):
        assert f"Headwater listens on {ADDRESS}, data in .headwater" in (ROOT / page).read_text(encoding="utf-8")
    with urllib.request.urlopen(f"{server}/health/live", timeout=60) as answer:
        assert answer.status == 200


def test_shown_errors_are_what_comes_back(server: str) -> None:
    """The example of an error in the HTTP reference is a real one."""
    request = urllib.request.Request(
        f"{server}/api/v1/lineage",
        data=b'{"eventTime": "2026-01-01T00:00:00Z", "job": {"namespace": "", "name": "j"}}',
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=60)
    answer = refused.value.read().decode()
    refused.value.close()
    page = (ROOT / "docs/reference/http.md").read_text(encoding="utf-8")
    shown = re.search(r"^\{\n  \"code\": 400,.*?^\}", page, re.MULTILINE | re.DOTALL)
    assert shown is not None
    assert re.sub(r"\s+", "", answer) == re.sub(r"\s+", "", shown.group())


def _variables() -> dict[str, str]:
    """The environment of a user who has set nothing, with `headwater` on the path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HEADWATER_", "COV_"))}
    programs = Path(sys.executable).parent
    return {**kept, "PATH": f"{programs}{os.pathsep}{kept.get('PATH', '')}", "PYTHONUTF8": "1", "NO_COLOR": "1"}


def _comparable(output: str) -> list[str]:
    lines = output.replace("\r", "").strip().splitlines()
    return ["date: ..." if line.startswith("date: ") else line.rstrip() for line in lines]
