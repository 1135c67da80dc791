"""HTTP by uvicorn, within limits, and with a fast path for nearly all requests: one small event.

For every request uvicorn makes a task with its whole context, which takes longer than reading the event. Here the
body of a small event is collected first. If the application accepts it at once, the answer is written when the event
is durable, and that is all. All other requests go uvicorn's way, as if they had just arrived.

Nothing is known of a peer before its head was read, so the head is bounded in bytes, number and time. An upgrade to
another protocol is ignored, as RFC 9110 allows: the request is read as if it had not been offered.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from headwater.api.errors import BadRequest, HeadTooLarge
from headwater.api.http.body import Headers
from headwater.api.http.connections import Reading
from headwater.api.http.middleware import UNLESS_GIVEN
from headwater.api.http.request_head import (
    MOST_HEADERS,
    check_head,
    check_url,
    refusal_for,
    refusal_of,
    without_upgrade,
)
from headwater.api.http.stalled_clients import StallWatch
from headwater.api.ingest import is_plain_event
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.api.app import Application

__all__ = ["EventProtocol"]

_Headers = tuple[tuple[bytes, bytes], ...]
_Answer = tuple[int, _Headers, bytes]
"""Status, headers and body."""
_CREATED: _Answer = (201, (), b"")
_STALL_AT_THE_END = 2.0
"""Seconds that a client may take nothing of its answer while the server wants to stop."""
_MOST_HEAD = 32 << 10
_MOST_FRAMING = 64 << 10
"""Bytes of chunk sizes, chunk extensions and trailers without a byte of the body among them."""
_MOST_PIPELINED = 64
_MOST_IGNORED = 32 << 20
"""Bytes that are read and thrown away after an answer that did not wait for the body."""


class _ShortCycle:
    """A request on the fast path, with the members that uvicorn reads."""

    message_event = asyncio.Event()  # for a task, of which there is none here
    disconnected = False
    response_started = False
    response_complete = False
    keep_alive = True
    bytes_held = 0
    """Bytes that are counted for it."""

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.pieces: list[bytes] = []


class EventProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._short: _ShortCycle | None = None
        """The request whose body is put together."""
        self._running: RequestResponseCycle | None = None
        """The request that is worked on; uvicorn knows the newest, which may wait for this one's answer."""
        self._book = cast("Application", self.app).connections
        self._counts = cast("Application", self.app).short
        self._piece = self._size = 0
        """Bytes that came together, and since the head began, or a little more."""
        self._certain = 0
        """Bytes of a head that is not complete, but for those that came with its first one."""
        self._is_new_head = False
        self._is_upgrading = False
        self._framing = 0
        self._trailers = 0
        self._ignored = 0
        self.reading = Reading.HEAD
        self.waited = 0.0
        self.arrived = 0
        self.credit = 0.0

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def is_waiting(self) -> bool:
        """Whether it is the client's turn: it is not while its request is worked on, or while nothing is read of it."""
        if self.reading is Reading.REQUEST:
            return self.cycle is None or self.cycle.response_complete
        has_continued = self.cycle is None or not getattr(self.cycle, "waiting_for_100_continue", False)
        return has_continued and not self.flow.read_paused

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._is_for_metrics = cast("Application", self.app).is_for_metrics(self.server)
        self._stall = StallWatch(transport, self.loop, cast("Application", self.app).stall_seconds)
        self._stall.watch()
        reason = self._book.enter(self)
        if reason is not None:
            self._refuse(refusal_for(reason), reason)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stall.end()
        self._book.leave(self)
        if self._short is not None:
            self._release(self._short)
        self._end_running()
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

    def data_received(self, data: bytes) -> None:
        if self.reading is Reading.NOTHING:
            self._ignore(len(data))
            return
        self._piece = len(data)
        self._size += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offered:
            self._read_on(data[offered.args[0] :])
            return
        except httptools.HttpParserError as error:
            if isinstance(error.__context__, HeadwaterError):
                self._refuse(error.__context__, error.__context__.code)
            else:
                self._refuse(BadRequest(f"This is no HTTP request: {error}."), "no_http")
            return
        if self.reading is not Reading.REQUEST:
            self._check_progress(len(data))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if len(self.pipeline) > _MOST_PIPELINED:
            raise BadRequest(f"More than {_MOST_PIPELINED} requests were sent without waiting for an answer.")
        self.reading = Reading.HEAD
        self.waited = 0.0
        self._size = self._piece
        self._is_new_head = True

    def on_url(self, url: bytes) -> None:
        self.url += url
        check_url(self.url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.reading is not Reading.HEAD:  # a trailer: who sends, and whose it is, is settled by then
            self._trailers += 1
            if self._trailers > MOST_HEADERS:
                raise HeadTooLarge(f"The request has more than {MOST_HEADERS} trailers.")
            return
        if len(self.headers) >= MOST_HEADERS:
            raise HeadTooLarge(f"The request has more than {MOST_HEADERS} headers.")
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        if self._size > _MOST_HEAD:
            check_head(self.headers, _MOST_HEAD)
        if self.parser.should_upgrade():
            self._is_upgrading = True  # the parser stops here, and says how far it came
            return
        self.reading = Reading.BODY
        limits = self._book.limits
        self.waited, self.arrived, self.credit = 0.0, 0, limits.body_rate * limits.body_seconds
        self._framing = self._trailers = self._ignored = 0
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
            return
        self._framing = -self._piece
        if self.cycle.response_complete:
            self._ignored += len(body)
            if self._ignored > _MOST_IGNORED:
                self.transport.close()
            return
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._is_upgrading:
            return
        self.reading = Reading.REQUEST
        short, self._short = self._short, None
        if short is None:
            super().on_message_complete()
            return
        if short.bytes_held:
            self._release(short)
        body = b"".join(short.pieces)
        if self.parser.get_http_version() == "1.0" or not self.parser.should_keep_alive():
            short.keep_alive = False

        def settle(failure: HeadwaterError | None) -> None:
            self._answer(short, failure)

        ingest = cast("Application", self.app).ingest
        if ingest is None or not ingest.try_small_event(short.headers, body, settle):
            self._go_the_long_way(short, body)
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """As uvicorn does it, but without a timer for each connection."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if self.reading is Reading.REQUEST:
            self.waited = 0.0
        self.flow.resume_reading()
        if self.pipeline:
            cycle, app = self.pipeline.pop()
            self._start_asgi_task(cycle, app)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _end_running(self) -> None:
        """Nobody will read the answer to the request that is worked on."""
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()

    def give_up(self, reason: str) -> None:
        """The client has kept the server waiting for too long."""
        if self.reading in (Reading.HEAD, Reading.BODY) and self._size:
            self._refuse(refusal_for(reason), reason)
        else:
            if self.reading is not Reading.NOTHING:
                self._book.closed(reason, self.address)
            self.transport.abort() if self.transport.get_write_buffer_size() else self.transport.close()

    def _headers_of_event(self) -> Headers | None:
        """If this is one small event; None otherwise."""
        if self.expect_100_continue or self._is_for_metrics or self.parser.get_method() != b"POST":
            return None
        headers = dict(self.headers)
        return headers if is_plain_event(self.url, headers) else None

    def _check_progress(self, size: int) -> None:
        """After bytes that did not complete a request: refuse more of a head or of framing than there may be."""
        if self.reading is Reading.HEAD:
            if self._is_new_head:  # where in these bytes it began is not known
                self._is_new_head, self._certain = False, 0
            else:
                self._certain += size
            if self._certain > _MOST_HEAD:
                self._refuse(HeadTooLarge(f"The head of the request is larger than {_MOST_HEAD:,} bytes."), "head")
        elif self.reading is Reading.BODY:
            self.arrived += size
            self._framing += size
            if self._framing > _MOST_FRAMING and self._short is None:
                self._refuse(BadRequest("The body has more framing than content."), "framing")
            elif self._short is not None and not self._short.bytes_held:
                self._hold(self._short)

    def _hold(self, short: _ShortCycle) -> None:
        """Count a body of an unknown sender; without room for it, authenticate first."""
        short.bytes_held = int(short.headers[b"content-length"])
        if not cast("Application", self.app).memory.hold_unknown(short.bytes_held):
            short.bytes_held = 0
            self._short = None
            self._go_the_long_way(short, b"".join(short.pieces))

    def _release(self, short: _ShortCycle) -> None:
        cast("Application", self.app).memory.release_unknown(short.bytes_held)
        short.bytes_held = 0

    def _go_the_long_way(self, short: _ShortCycle, body: bytes) -> None:
        self.cycle = cast("RequestResponseCycle", None)
        super().on_headers_complete()
        self.cycle.keep_alive = self.cycle.keep_alive and short.keep_alive  # the server may be about to stop
        super().on_body(body)

    def _read_on(self, rest: bytes) -> None:
        """Read a request whose client offers another protocol as if it had not."""
        self._is_upgrading = False
        method, version = self.parser.get_method(), self.parser.get_http_version()
        try:
            head = without_upgrade(method, self.url, version, self.headers)
        except BadRequest as refusal:
            self._refuse(refusal, refusal.code)
            return
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self.data_received(head + rest)

    def _refuse(self, refusal: HeadwaterError, reason: str) -> None:
        """Answer with the reason, read no more, and close the connection."""
        self._book.closed(reason, self.address)
        cycle, is_pending = self.cycle, bool(self.pipeline)
        if cycle is not None and not cycle.response_complete:
            is_pending = is_pending or self.reading is not Reading.BODY or cycle.response_started
            cycle.disconnected = True
            cycle.waiting_for_100_continue = False
            cycle.message_event.set()
            self._end_running()
        elif cycle is not None and self.reading is Reading.BODY:
            is_pending = True  # it was answered before its body came
        if self._short is not None:
            self._release(self._short)
            self._short = None
        self.reading, self.waited, self._ignored = Reading.NOTHING, 0.0, 0
        if is_pending:  # the client would take this for the answer to another request
            self.transport.close()
            return
        self.flow.resume_reading()
        status, headers, body = refusal_of(refusal)
        self.transport.write(
            _message((status, headers, body), tuple(self.server_state.default_headers), keep_alive=False)
        )
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _ignore(self, size: int) -> None:
        self._ignored += size
        if self._ignored > _MOST_IGNORED:
            self.transport.abort()

    def _answer(self, short: _ShortCycle, failure: HeadwaterError | None) -> None:
        short.response_complete = True
        if short.disconnected or self.transport.is_closing():
            return
        answer_parts = _CREATED if failure is None else refusal_of(failure)
        self._counts[answer_parts[0]] += 1
        self.transport.write(_message(answer_parts, tuple(self.server_state.default_headers), short.keep_alive))
        if not short.keep_alive:
            self.transport.close()
        self.on_response_complete()


@lru_cache(maxsize=64)
def _message(answer_parts: _Answer, default_headers: _Headers, keep_alive: bool) -> bytes:
    """The bytes of an answer. Nearly all of a second are the same: the default headers have the time."""
    status, headers, body = answer_parts
    own = [*default_headers, *UNLESS_GIVEN, *headers, (b"content-length", b"%d" % len(body))]
    if not keep_alive:
        own.append((b"connection", b"close"))
    lines = [b"%s: %s\r\n" % header for header in own]
    return b"".join([STATUS_LINE[status], *lines, b"\r\n", body])
