"""Archive of Headwater's Python packages, for executors with nothing but Python itself.

`bin/python` starts the Python of the node with `lib` on its path, which has the packages: pyarrow, sqlalchemy, a driver
of the database.
"""

from __future__ import annotations

import io
import re
import sys
import tarfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

from headwater.pipeline.errors import PipelineError

__all__ = ["EXECUTOR_PACKAGES", "pack_environment"]

EXECUTOR_PACKAGES = ("msgspec", "sqlalchemy", "zstandard", "xxhash", "sqlglot", "pyarrow", "pandas")
"""Packages that the tasks of all jobs import. Spark ships its own part, and Headwater travels with each job."""
_DRIVERS = ("psycopg", "psycopg-binary", "pymysql")
"""Drivers of databases, those that are installed."""
_LEFT_OUT = {"__pycache__", "tests"}
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LAUNCHER = """#!/bin/sh
folder=$(cd "$(dirname "$0")/.." && pwd)
PYTHONPATH="$folder/lib${{PYTHONPATH:+:$PYTHONPATH}}" exec {python} "$@"
"""


def pack_environment(target: Path, packages: Iterable[str] = EXECUTOR_PACKAGES, python: str | None = None) -> int:
    """Write the installed packages, and all that they require, into an archive; gives the number of packages.

    `python` is the Python of the nodes, by its name or path; without it `python3.11`, or whatever runs this.
    """
    found = _required([*packages], [*_DRIVERS])
    launcher = _LAUNCHER.format(python=python or f"python{sys.version_info.major}.{sys.version_info.minor}").encode()
    with tarfile.open(target, "w:gz", compresslevel=1) as archive:
        _add(archive, "bin/python", launcher, 0o755)
        for package in found:
            for name, path in _files(package):
                _add(archive, f"lib/{name}", path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)
    return len(found)


def _required(packages: list[str], optional: list[str]) -> list[Distribution]:
    """The packages and their installed requirements, ordered by name."""
    found: dict[str, Distribution] = {}
    waiting = [*packages, *optional]
    while waiting:
        name = waiting.pop()
        key = name.lower().replace("_", "-")
        if key in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            if name in packages:
                raise PipelineError(
                    f"The package {name} is not installed here.", hint="pip install 'headwater[spark]'"
                ) from None
            continue  # of another platform, or of an extra that is not wanted
        found[key] = package
        requirements = [text for text in package.requires or () if "extra ==" not in text]
        waiting += [match.group() for text in requirements if (match := _NAME.match(text))]
    return [found[key] for key in sorted(found)]


def _files(package: Distribution) -> Iterator[tuple[str, Path]]:
    """Files of a package by their names below `site-packages`; without programs, tests and compiled code."""
    for file in package.files or ():
        parts = PurePosixPath(file).parts
        path = Path(str(package.locate_file(file)))
        if ".." not in parts and not _LEFT_OUT.intersection(parts) and path.is_file():
            yield "/".join(parts), path


def _add(archive: tarfile.TarFile, name: str, content: bytes, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))
