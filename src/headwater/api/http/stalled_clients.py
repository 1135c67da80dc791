"""Clients that stop reading: the answer is dropped, and the connection closed.

A connection is watched while bytes wait to be sent on it. If the client takes none of them for `stall_seconds`, the
connection is cut, and the answer's generator is told as if the client had left.
"""

from __future__ import annotations

import asyncio
import logging

__all__ = ["StallWatch"]

_log = logging.getLogger(__name__)
_LEAST = 4096
"""Bytes that count as progress; the rest of an answer may be less."""


class StallWatch:
    """Of one connection."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self._transport, self._loop, self._seconds = transport, loop, seconds
        self._timer: asyncio.TimerHandle | None = None
        self._left = 0

    def watch(self) -> None:
        """Begin to watch the send buffer; it may hold bytes already: TLS has sent some."""
        self._transport.set_write_buffer_limits(high=1, low=0)  # with 0, TLS always waits

    def begin(self) -> None:
        """Something waits to be sent."""
        if self._timer is None:
            self._left = self._transport.get_write_buffer_size()
            self._timer = self._loop.call_later(self._seconds, self._look)

    def hurry(self, seconds: float) -> None:
        """The server is about to stop."""
        self._seconds = min(self._seconds, seconds)
        if self._timer is not None:
            self.end()
            self.begin()

    def end(self) -> None:
        """Everything was sent, or the connection is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        left = self._transport.get_write_buffer_size()
        if self._left - left >= _LEAST:
            self.begin()
            return
        _log.warning("a client stopped reading its answer", extra={"bytes_left": left, "seconds": self._seconds})
        self._transport.abort()
