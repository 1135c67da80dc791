"""Processes that others have started, on any system that has `ps`."""

from __future__ import annotations

import subprocess

__all__ = ["children_of", "descendants_of", "is_alive", "running_module"]


def children_of(process: int) -> list[int]:
    return sorted(own for own, parent in _parents().items() if parent == process)


def running_module(process: int, module: str) -> list[int]:
    """The children of a process that run a module of the program."""
    listed = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    commands = dict(line.split(None, 1) for line in listed.splitlines())
    return [child for child in children_of(process) if f"-m {module} " in commands.get(str(child), "")]


def descendants_of(process: int) -> list[int]:
    parents, found = _parents(), {process}
    while new := {own for own, parent in parents.items() if parent in found} - found:
        found |= new
    return sorted(found - {process})


def is_alive(process: int) -> bool:
    return process in _parents()


def _parents() -> dict[int, int]:
    """Every process that runs, with the one that started it; what has ended and was not waited for does not run."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return {int(own): int(parent) for own, parent, state in rows if not state.startswith("Z")}
