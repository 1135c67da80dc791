"""Processes that others have started, on any system that has `ps`."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["children_of", "descendants_of", "is_alive", "memory_of", "open_files", "running_module"]


def children_of(process: int) -> list[int]:
    return sorted(own for own, parent in _parents().items() if parent == process)


def running_module(process: int, module: str) -> list[int]:
    """The children of a process that run a module of the program."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    commands = dict(line.split(None, 1) for line in listed.splitlines())
    return [child for child in children_of(process) if f"-m {module} " in commands.get(str(child), "")]


def descendants_of(process: int) -> list[int]:
    parents, found = _parents(), {process}
    while new := {own for own, parent in parents.items() if parent in found} - found:
        found |= new
    return sorted(found - {process})


def is_alive(process: int) -> bool:
    return process in _parents()


def open_files(process: int) -> int:
    """How many files and sockets it has open."""
    return sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())


def memory_of(process: int) -> int:
    """Bytes that it has in memory."""
    return int(Path(f"/proc/{process}/status").read_text().partition("VmRSS:")[2].split()[0]) << 10


def _parents() -> dict[int, int]:
    """Every process that runs, with the one that started it; what has ended and was not waited for does not run."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return {int(own): int(parent) for own, parent, state in rows if not state.startswith("Z")}
