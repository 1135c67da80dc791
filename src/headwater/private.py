"""Files and folders readable by their owner only."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["make_private_file", "make_private_folder"]

_FOLDER, _FILE = 0o700, 0o600


def make_private_folder(folder: Path) -> None:
    """Make a data folder. One that is there stays as it is, unless it holds nothing but our files."""
    missing = [found for found in (folder, *folder.parents) if not found.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if missing or all(found.name.startswith("headwater") for found in folder.iterdir()):
        with suppress(PermissionError):  # somebody else's, who let us write there
            folder.chmod(_FOLDER)


def make_private_file(path: Path, *others: Path) -> None:
    """Make a file, empty if it is not there; it and others that belong to it become private.

    One that is there is not opened: closing it again would give up the locks that SQLite holds on it in this process,
    and another process would take the database for its own.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _FILE))
    for found in (path, *others):
        with suppress(PermissionError, FileNotFoundError):
            if found.stat().st_mode & 0o077:
                found.chmod(_FILE)
