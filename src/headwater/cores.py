"""Assignment of workers to processor cores.

The threads of a worker take turns, since an interpreter runs one at a time. On one core they share its caches, and the
other cores are busy with other workers anyway.
"""

from __future__ import annotations

import os

__all__ = ["everywhere", "settle"]

_before: set[int] = set()
"""Where this process might run before it settled."""


def settle(number: int, workers: int) -> None:
    """Pin this process and its later threads to one core: that of worker `number` of `workers`."""
    if not hasattr(os, "sched_setaffinity"):  # only Linux has it
        return
    allowed = os.sched_getaffinity(0)
    if len(allowed) == workers:
        _before.update(allowed)
        os.sched_setaffinity(0, {sorted(allowed)[number]})


def everywhere(process: int) -> None:
    """Let a process that was started from here run on the other cores, too."""
    if _before:
        os.sched_setaffinity(process, _before)
