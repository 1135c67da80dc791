"""Time window of a question."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["ALWAYS", "NOW", "Window"]

_FAR = 1 << 62


class Window(Struct, frozen=True):
    """Times in microseconds, both ends included. A run is in a window if it overlaps it."""

    since: int | None = None
    until: int | None = None
    as_of: int | None = None

    @property
    def is_always(self) -> bool:
        return self.since is None and self.until is None and self.as_of is None

    @property
    def bounds(self) -> tuple[int, int]:
        """The first and the last microsecond; up to a moment, if the question is about one."""
        if self.as_of is not None:
            return -_FAR, self.as_of
        return -_FAR if self.since is None else self.since, _FAR if self.until is None else self.until


ALWAYS = Window()
NOW = Window(as_of=_FAR)
"""The moment after all events."""
