"""The process that runs a job of the pipeline: how people find it, and how another process knows that it is gone."""

from __future__ import annotations

import getpass
import hashlib
import os
import socket
from functools import cache
from pathlib import Path

from msgspec import Struct

__all__ = ["Process", "is_gone", "this_process"]

_PROC = Path("/proc")


class Process(Struct, frozen=True):
    """One process of one machine."""

    holder: str
    """User, host and process id, for people."""
    machine: str | None
    """This boot of this machine and its process namespace; None if the system does not provide them."""
    pid: int
    began: int | None
    """When it began, in the system's own count: a process id may be given again."""


def this_process() -> Process:
    """The process that asks. Not remembered: a fork is another process."""
    pid = os.getpid()
    return Process(f"{_user()}@{socket.gethostname()}, process {pid}", _machine(), pid, _began(pid))


def is_gone(machine: str | None, pid: int, began: int | None) -> bool:
    """Whether a process has certainly ended: it was one of this machine, and is not there any more."""
    if machine is None or began is None or machine != _machine():
        return False
    return _began(pid) != began


@cache
def _machine() -> str | None:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        numbering = (_PROC / "self/ns/pid").readlink()  # two containers of one machine each count their own
    except OSError:
        return None
    return hashlib.sha256(f"{boot} {numbering}".encode()).hexdigest()


def _began(pid: int) -> int | None:
    """The 22nd field of a process's line of figures; None if there is no such process, or it has ended."""
    try:
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in (b"Z", b"X") else int(fields[19])


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a number without a name
        return "unknown"
