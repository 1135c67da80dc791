"""Whether the disk of an embedded database has space for more.

A small write may succeed on a full disk, where a part of a file is used again, and the next event then fails.
"""

from __future__ import annotations

import os
from pathlib import Path

import sqlalchemy as sa

__all__ = ["DiskFull", "check_space"]

_LEAST = 4 << 20
"""Bytes: a commit of some events, and the tables that it changes."""


class DiskFull(Exception):
    """Raised by the readiness check alone: the commit of an event fails by itself."""


def check_space(engine: sa.Engine) -> None:
    """Raise when there is next to none. A database server looks after its disks by itself."""
    if engine.dialect.name != "sqlite" or not engine.url.database or engine.url.database == ":memory:":
        return
    try:
        disk = os.statvfs(Path(engine.url.database).parent)
    except OSError:  # whatever is wrong with the folder, the database says so
        return
    blocks = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail  # some are kept for the superuser
    if blocks * disk.f_frsize < _LEAST:
        raise DiskFull(f"The disk of the data folder is full: {blocks * disk.f_frsize >> 10} KiB are left.")
