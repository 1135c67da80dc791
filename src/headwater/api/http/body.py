"""The body of a request, whatever its encoding, as UTF-8 bytes, and never more of it than allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, MutableMapping
from typing import Any

from headwater.api.http.unpack import charset_of, layers_of, too_large, transcode, unpack
from headwater.ingest.errors import Overloaded, UnsupportedBody

__all__ = [
    "EVERYBODY",
    "BodyMemory",
    "ClientGone",
    "Headers",
    "Receive",
    "Sent",
    "decode_body",
    "is_packed",
    "is_tiny",
]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Headers = dict[bytes, bytes]
_TINY = 2 << 10
"""Of the bytes that were sent; unpacked it is less than a megabyte, which takes a millisecond."""


EVERYBODY = "everybody"
"""The sender of all requests where nobody has to authenticate."""


class ClientGone(Exception):
    """The client closed the connection before its request was complete."""


class BodyMemory:
    """Bounds the bytes of all request bodies in progress, in total and per sender.

    A sender gets at most as much as remains free, so one alone gets half, and there is always some for the next.
    Bytes from senders not yet known have a budget of their own.
    """

    def __init__(self, most: int, of_one: int = 0, unknown: int = 32 << 20) -> None:
        self.most = most
        self.used = 0
        self._of_one = of_one or most
        self._most_unknown = min(unknown, most)
        self._unknown = 0
        self._lanes: Counter[Hashable] = Counter()

    def hold(self, sender: Hashable, size: int, bytes_held: int) -> None:
        """Count bytes more of a request of this sender. A sender's only request is always held."""
        of_sender, room = self._lanes[sender], self.most - self.used
        is_full = size > room and self.used > bytes_held
        is_over_share = of_sender > bytes_held and of_sender + size > min(self._of_one, room)
        if is_full or (is_over_share and sender is not EVERYBODY):
            if not of_sender:
                del self._lanes[sender]
            raise Overloaded(
                f"{self.used >> 20} MiB of requests are under way, {of_sender >> 20} MiB of them this sender's.",
                hint="Send it again after the time in Retry-After. If this stays, raise `body_bytes` in the settings.",
            )
        self._lanes[sender] += size
        self.used += size

    def release(self, sender: Hashable, size: int) -> None:
        self.used -= size
        self._lanes[sender] -= size
        if not self._lanes[sender]:
            del self._lanes[sender]

    def hold_unknown(self, size: int) -> bool:
        """Count a body whose sender is not known yet, if there is room for it."""
        if self._unknown + size > self._most_unknown or self.used + size > self.most:
            return False
        self._unknown += size
        self.used += size
        return True

    def release_unknown(self, size: int) -> None:
        self._unknown -= size
        self.used -= size


async def receive_body(receive: Receive, headers: Headers, limit: int, hold: Callable[[int], None]) -> bytes:
    """The body as it was sent."""
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and int(declared) > limit:
        raise too_large(limit)
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    body: bytes = message.get("body", b"")
    if len(body) > limit:
        raise too_large(limit)
    hold(len(body))
    if message.get("more_body"):
        pieces, size = [body], len(body)
        while message.get("more_body"):
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > limit:
                raise too_large(limit)
            hold(len(pieces[-1]))
        body = b"".join(pieces)
    return body


class Sent:
    """The body of a request as it was sent, read once, when somebody wants it; `release` it at the end."""

    def __init__(self, receive: Receive, headers: Headers, limit: int, memory: BodyMemory) -> None:
        self._receive, self._headers, self._limit = receive, headers, limit
        self._memory = memory
        self._held = self._size = 0
        self._body: bytes | None = None
        self._given = False
        self.sender: Hashable = EVERYBODY
        """Whose bytes these are. To be set before anything is read."""

    def hold(self, size: int) -> None:
        """Count bytes that this request makes the server keep."""
        self._memory.hold(self.sender, size, self._held)
        self._held += size

    def release(self) -> None:
        if self._held:
            self._memory.release(self.sender, self._held)
            self._held = 0

    async def read(self) -> bytes:
        if self._body is None:
            self._body = await receive_body(self._receive, self._headers, self._limit, self.hold)
        return self._body

    async def receive(self) -> MutableMapping[str, Any]:
        """As the original `receive`, whether or not the body was read before, and up to the limit."""
        if self._body is not None and not self._given:
            self._given = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        declared = self._headers.get(b"content-length", b"")
        if not self._size and self._body is None and declared.isdigit() and int(declared) > self._limit:
            raise too_large(self._limit)
        message = await self._receive()
        size = len(message.get("body", b""))
        if size and self._body is None:
            self._size += size
            if self._size > self._limit:
                raise too_large(self._limit)
            self.hold(size)
        return message


def is_packed(headers: Headers) -> bool:
    """Whether there may be anything to decompress or to convert, be it in a way that is not supported."""
    if b"content-encoding" in headers:
        return True
    try:
        return bool(charset_of(headers.get(b"content-type", b"")))
    except UnsupportedBody:
        return True


def is_tiny(body: bytes, headers: Headers) -> bool:
    """Whether it takes less time to unpack this body than to hand it to another thread."""
    return len(body) <= _TINY and b"," not in headers.get(b"content-encoding", b"")


def decode_body(body: bytes, headers: Headers, limit: int) -> bytes:
    """Decompress and transcode a body."""
    encoding = headers.get(b"content-encoding")
    codec = charset_of(headers.get(b"content-type", b""))
    if encoding and (layers := layers_of(encoding)):
        body = unpack(body, layers, limit)
    return transcode(body, codec) if codec else body
