"""Python's search for cycles, told to be patient.

A task makes and keeps many small objects, none of them in a cycle. Looking through all of them again and again, as
Python does by itself, takes a sixth of its time. It still looks now and then: workers serve streams that never end.
"""

from __future__ import annotations

import gc

__all__ = ["search_seldom"]

_THRESHOLDS = (100_000, 20, 100)
"""Objects made and not freed before the young are searched; searches of them before those that are older."""


def search_seldom() -> None:
    """For the Python workers of Spark, at the beginning of a task; once more does no harm."""
    gc.set_threshold(*_THRESHOLDS)
