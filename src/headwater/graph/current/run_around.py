"""Which run an operation is a part of: the first above it that is a run of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from headwater.graph.facts import Activity

__all__ = ["CLIMB_LIMIT", "MOST_LEVELS", "parent_of", "run_around"]

CLIMB_LIMIT = 4
"""How many operations may lie inside each other: a power of two. Parents in a ring end here too, and such a run counts
for itself."""
MOST_LEVELS = 20
"""How far up and down parents and parts are looked for, be they runs or operations."""


class _Run(Protocol):
    @property
    def run(self) -> bytes: ...
    @property
    def activity(self) -> int | None: ...
    @property
    def parent_run(self) -> bytes | None: ...


def parent_of(run: _Run) -> bytes | None:
    """The run or operation around an operation. A run is not part of another one."""
    is_operation = run.activity is not None and run.activity & (Activity.RUN | Activity.OPERATION) == Activity.OPERATION
    return run.parent_run if is_operation and run.parent_run != run.run else None


def run_around(run: bytes, parents: Mapping[bytes, bytes | None]) -> bytes:
    """The run that one is inside of, itself if it is in none. `parents`: `parent_of` those that are known.

    >>> parents = {b"task": None, b"query": b"task", b"stage": b"query", b"lost": b"gone"}
    >>> run_around(b"stage", parents), run_around(b"task", parents), run_around(b"lost", parents)
    (b'task', b'task', b'lost')
    >>> run_around(b"a", {b"a": b"b", b"b": b"a"})
    b'a'
    """
    current = run
    for _ in range(CLIMB_LIMIT + 1):
        parent = parents[current]
        if parent is None or parent not in parents:
            return current
        current = parent
    return run
