"""Deadline of work: at a time, or when the client leaves.

The caller of a question makes a deadline `current`; long work calls `check()` once per step, which costs next to
nothing and raises when it is time to stop. Threads that the event loop starts inherit the current one.

    with within(Deadline(30)):
        check()
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from headwater.errors import HeadwaterError

__all__ = [
    "NARROWER",
    "Deadline",
    "NobodyWaits",
    "TooLargeAnswer",
    "TooSlow",
    "check",
    "current",
    "cut",
    "is_over",
    "steps",
    "take",
    "within",
]

NARROWER = "Ask for less: fewer steps, one direction, a shorter window, a smaller limit, or a narrower filter."
_T = TypeVar("_T")
_STEP = 500
_MOST_BYTES = 64 << 20
"""Of events and the like, as they were sent: decoded they take a few times as much."""


class TooSlow(HeadwaterError):
    """A question was not answered in the time that one may take."""

    code = "too_slow"


class TooLargeAnswer(HeadwaterError):
    """A question took more memory than one may."""

    code = "answer_too_large"


class NobodyWaits(HeadwaterError):
    """The client has left, so nobody would read the answer."""

    code = "nobody_waits"


class Deadline:
    """The end of one piece of work. Made and stopped in one thread, checked in others.

    Beside time it counts the bytes that the work keeps, where there may be many: see `take`.
    """

    __slots__ = ("_ends", "_error", "_when_stopped", "at_each_step", "bytes_left", "is_cut", "seconds")

    def __init__(self, seconds: float = math.inf, most_bytes: int = _MOST_BYTES) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds
        self._error: HeadwaterError | None = None
        self._when_stopped: Callable[[], object] | None = None
        self.at_each_step: Callable[[], object] | None = None
        """Called at each step; it may pause."""
        self.bytes_left = most_bytes
        self.is_cut = False
        """Whether something was left out because of its size."""

    @property
    def left(self) -> float:
        """Seconds until it ends; none when it is over."""
        return 0.0 if self._error is not None else max(0.0, self._ends - time.monotonic())

    def stop(self, error: HeadwaterError | None = None) -> None:
        """End it now, with this error; if there is none, because nobody waits any more."""
        if self._error is None:
            self._error = error or NobodyWaits("Who asked this has left.")
            if self._when_stopped is not None:
                self._when_stopped()

    def when_stopped(self, call: Callable[[], object] | None) -> None:
        """Called when it is stopped."""
        self._when_stopped = call
        if call is not None and self._error is not None:
            call()

    def check(self) -> None:
        if self.at_each_step is not None:
            self.at_each_step()
        if self._error is not None:
            raise self._error
        if time.monotonic() > self._ends:
            raise self.too_slow()

    def take(self, size: int) -> bool:
        """Whether this many bytes more fit; if not, they are left out and the answer is marked as cut short."""
        if size > self.bytes_left:
            self.is_cut = True
            return False
        self.bytes_left -= size
        return True

    def too_slow(self) -> TooSlow:
        return TooSlow(f"This took longer than the {self.seconds:g} seconds that a question may take.", hint=NARROWER)


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def current() -> Deadline | None:
    return _current.get()


def check() -> None:
    """Raise if the work that this is part of must end."""
    deadline = _current.get()
    if deadline is not None:
        deadline.check()


def steps(items: Iterable[_T]) -> Iterator[_T]:
    """The same, with a check now and then: for work on many things that reads nothing in between."""
    for number, item in enumerate(items):
        if number % _STEP == 0:
            check()
        yield item


def take(size: int) -> bool:
    """Whether the current work may keep this many bytes more."""
    deadline = _current.get()
    return deadline is None or deadline.take(size)


def cut() -> None:
    """Mark the current answer as cut: a part was left out."""
    deadline = _current.get()
    if deadline is not None:
        deadline.is_cut = True


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
