"""When work for somebody must end: at a time, or as soon as nobody waits for it any more.

What asks a question makes a deadline `current`; what takes long calls `check()` once per step, which costs next to
nothing and raises when it is time to stop. Threads that the event loop starts take the current one over.

    with within(Deadline(30)):
        check()
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from headwater.errors import HeadwaterError

__all__ = ["Deadline", "NobodyWaits", "TooSlow", "check", "current", "is_over", "within"]

_HINT = "Ask for less: fewer steps, one direction, a shorter window, a smaller limit, or a narrower filter."


class TooSlow(HeadwaterError):
    """A question was not answered in the time that one may take."""

    code = "too_slow"


class NobodyWaits(HeadwaterError):
    """Who asked has left, so that nobody would read the answer."""

    code = "nobody_waits"


class Deadline:
    """The end of one piece of work. Made and stopped in one thread, checked in others."""

    __slots__ = ("_ends", "_hint", "_is_stopped", "seconds")

    def __init__(self, seconds: float = math.inf, hint: str | None = None) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds
        self._hint = hint or _HINT
        self._is_stopped = False

    @property
    def left(self) -> float:
        """Seconds until it ends; none when it is over."""
        return 0.0 if self._is_stopped else max(0.0, self._ends - time.monotonic())

    def stop(self) -> None:
        """Nobody waits any more."""
        self._is_stopped = True

    def check(self) -> None:
        if self._is_stopped:
            raise NobodyWaits("Who asked this has left.")
        if time.monotonic() > self._ends:
            raise self.too_slow()

    def too_slow(self) -> TooSlow:
        return TooSlow(f"This took longer than the {self.seconds:g} seconds that a question may take.", hint=self._hint)


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def current() -> Deadline | None:
    return _current.get()


def check() -> None:
    """Raise if the work that this is part of must end."""
    deadline = _current.get()
    if deadline is not None:
        deadline.check()


def is_over() -> bool:
    """As `check`, for those that must not raise."""
    deadline = _current.get()
    return deadline is not None and deadline.left <= 0


@contextmanager
def within(deadline: Deadline) -> Iterator[Deadline]:
    """Make a deadline the current one."""
    token = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(token)
