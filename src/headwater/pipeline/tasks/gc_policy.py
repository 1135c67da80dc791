"""Garbage-collection policy of Spark's Python workers.

A task makes and keeps many small objects, none of them in a cycle. Looking through all of them again and again, as
Python does by itself, takes a sixth of its time; and Spark looks through everything once more after each task, also
through all that the tasks before it remembered. It still looks now and then: workers serve streams that never end.
"""

from __future__ import annotations

import gc
from itertools import count

__all__ = ["search_seldom"]

_THRESHOLDS = (1_000_000, 20, 100)
"""Objects made and not freed before the young are searched; searches of them before those that are older."""
_TASKS = 50
"""Tasks between two full collections."""
_begun = count(1)


def search_seldom() -> None:
    """Garbage-collection policy of Spark's Python workers, set at the beginning of a task.

    Existing objects have just been searched for cycles, and are frozen: they are still freed when the last reference
    goes, only not as part of a cycle. Such cycles wait for a full collection.
    """
    gc.set_threshold(*_THRESHOLDS)
    if next(_begun) % _TASKS:
        gc.freeze()
    else:
        gc.unfreeze()
