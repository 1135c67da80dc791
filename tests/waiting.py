"""Waiting for what comes about by itself, in another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["until"]

_Found = TypeVar("_Found")


def until(condition: Callable[[], _Found], what: str = "it did not come about", seconds: float = 90.0) -> _Found:
    """Ask again and again until it holds. Machines are noisy: the limit is only there to end."""
    ends = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < ends, what
        time.sleep(0.02)
    return found
