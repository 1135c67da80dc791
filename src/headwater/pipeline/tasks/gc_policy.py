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
    """For the Python workers of Spark, at the beginning of a task.

    What is there by then has just been searched, and is passed over from now on: it is still freed when nobody holds
    it any more, only not when it became part of a cycle since. Such cycles wait for the search through everything.
    """
    gc.set_threshold(*_THRESHOLDS)
    if next(_begun) % _TASKS:
        gc.freeze()
    else:
        gc.unfreeze()
