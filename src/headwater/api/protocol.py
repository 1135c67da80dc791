"""HTTP as uvicorn speaks it, with a short way for what nearly all requests are: one small event each.

For every request uvicorn makes a task and all that a task may want to know, which takes longer than reading the event.
Here the body of a small event is put together first. If the application takes it at once, the answer is written when
the event is durable, and that is all. Everything else then goes uvicorn's way, as if it had come just now.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from headwater.api.body import Headers
from headwater.api.errors import error_body
from headwater.api.ingest import is_plain_event
from headwater.api.stall import StallWatch
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.api.app import Application

__all__ = ["EventProtocol"]

_Headers = tuple[tuple[bytes, bytes], ...]
_Said = tuple[int, _Headers, bytes]
"""Status, headers and body."""
_CREATED: _Said = (201, (), b"")
_STALL_AT_THE_END = 2.0
"""Seconds that a client may take nothing of its answer while the server wants to stop."""


class _ShortCycle:
    """A request on the short way, as far as uvicorn asks about it."""

    message_event = asyncio.Event()  # for a task, of which there is none here
    disconnected = False
    response_complete = False
    keep_alive = True

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.pieces: list[bytes] = []


class EventProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._short: _ShortCycle | None = None
        """The request whose body is put together."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._stall = StallWatch(transport, self.loop, cast("Application", self.app).stall_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stall.end()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall.begin()

    def resume_writing(self) -> None:
        self._stall.end()
        super().resume_writing()

    def shutdown(self) -> None:
        self._stall.hurry(_STALL_AT_THE_END)
        super().shutdown()

    def on_headers_complete(self) -> None:
        is_free = (self.cycle is None or self.cycle.response_complete) and not self.flow.write_paused
        headers = self._headers_of_event() if is_free else None
        if headers is not None:
            self._short = _ShortCycle(headers)
            self.cycle = cast("RequestResponseCycle", self._short)
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self._short is not None:
            self._short.pieces.append(body)
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        short, self._short = self._short, None
        if short is None:
            super().on_message_complete()
            return
        body = b"".join(short.pieces)
        if self.parser.get_http_version() == "1.0" or not self.parser.should_keep_alive():
            short.keep_alive = False

        def settle(failure: HeadwaterError | None) -> None:
            self._answer(short, failure)

        if not cast("Application", self.app).take_at_once(short.headers, body, settle):
            self._go_the_long_way(short, body)

    def _headers_of_event(self) -> Headers | None:
        """If this is one small event; None otherwise."""
        if self.expect_100_continue or self.parser.get_method() != b"POST" or self.parser.should_upgrade():
            return None
        headers = dict(self.headers)
        return headers if is_plain_event(self.url, headers) else None

    def _go_the_long_way(self, short: _ShortCycle, body: bytes) -> None:
        self.cycle = cast("RequestResponseCycle", None)
        super().on_headers_complete()
        self.cycle.keep_alive = self.cycle.keep_alive and short.keep_alive  # the server may be about to stop
        super().on_body(body)
        super().on_message_complete()

    def _answer(self, short: _ShortCycle, failure: HeadwaterError | None) -> None:
        short.response_complete = True
        if short.disconnected or self.transport.is_closing():
            return
        said = _CREATED if failure is None else _failed(failure)
        self.transport.write(_message(said, tuple(self.server_state.default_headers), short.keep_alive))
        if not short.keep_alive:
            self.transport.close()
        self.on_response_complete()


def _failed(failure: HeadwaterError) -> _Said:
    status, body, headers = error_body(failure)
    return status, tuple(headers), body


@lru_cache(maxsize=64)
def _message(said: _Said, default_headers: _Headers, keep_alive: bool) -> bytes:
    """The bytes of an answer. Nearly all of a second are the same: the default headers have the time."""
    status, headers, body = said
    own = [*default_headers, *headers, (b"content-length", b"%d" % len(body))]
    if not keep_alive:
        own.append((b"connection", b"close"))
    lines = [b"%s: %s\r\n" % header for header in own]
    return b"".join([STATUS_LINE[status], *lines, b"\r\n", body])
