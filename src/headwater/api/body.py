"""The body of a request, whatever its encoding, as UTF-8 bytes, and never more of it than allowed."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from functools import lru_cache
from typing import Any

import zstandard

from headwater.ingest.errors import Overloaded, TooLarge
from headwater.openlineage.errors import InvalidJson

__all__ = ["ClientGone", "Headers", "Memory", "Receive", "Sent", "decode_body", "is_packed"]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Headers = dict[bytes, bytes]


class ClientGone(Exception):
    """The client closed the connection before its request was complete."""


class Memory:
    """The bytes of all bodies of requests that are under way, and how many there may be."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.used = 0


async def receive_body(receive: Receive, headers: Headers, limit: int, hold: Callable[[int], None]) -> bytes:
    """The body as it was sent."""
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    body: bytes = message.get("body", b"")
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
                raise _too_large(limit)
            hold(len(pieces[-1]))
        body = b"".join(pieces)
    return body


class Sent:
    """The body of a request as it was sent, read once, when somebody wants it; `release` it at the end."""

    def __init__(self, receive: Receive, headers: Headers, limit: int, memory: Memory) -> None:
        self._receive, self._headers, self._limit = receive, headers, limit
        self._memory = memory
        self._held = 0
        self._body: bytes | None = None
        self._given = False

    def hold(self, size: int) -> None:
        """Count bytes that this request makes the server keep. A request alone is always held."""
        memory = self._memory
        if memory.used + size > memory.most and memory.used > self._held:
            raise Overloaded(
                f"{memory.used >> 20} MiB of requests are under way.",
                hint="Send it again after the time in Retry-After. If this stays, raise `body_bytes` in the settings.",
            )
        self._held += size
        memory.used += size

    def release(self) -> None:
        self._memory.used -= self._held
        self._held = 0

    async def read(self) -> bytes:
        if self._body is None:
            self._body = await receive_body(self._receive, self._headers, self._limit, self.hold)
        return self._body

    async def receive(self) -> MutableMapping[str, Any]:
        """What `receive` would have given, whether or not the body was read before."""
        if self._body is None or self._given:
            return await self._receive()
        self._given = True
        return {"type": "http.request", "body": self._body, "more_body": False}


def is_packed(headers: Headers) -> bool:
    """Whether there is anything to decompress or to convert."""
    return b"content-encoding" in headers or bool(_charset(headers.get(b"content-type", b"")))


def decode_body(body: bytes, headers: Headers, limit: int) -> bytes:
    """Decompress and transcode a body."""
    encoding = headers.get(b"content-encoding")
    if encoding:
        for name in reversed(encoding.decode("latin-1").lower().split(",")):
            body = _decompress(body, name.strip(), limit)
    charset = _charset(headers.get(b"content-type", b""))
    return _transcode(body, charset) if charset else body


def _decompress(body: bytes, encoding: str, limit: int) -> bytes:
    """Stop as soon as the limit is passed, however small the body was."""
    try:
        if encoding in ("gzip", "x-gzip", "deflate"):
            return _inflate(body, 47 if encoding != "deflate" else _deflate_window(body), limit)
        if encoding == "zstd":
            with zstandard.ZstdDecompressor().stream_reader(body) as reader:
                plain = bytes(reader.read(limit + 1))
        elif encoding in ("identity", ""):
            plain = body
        else:
            raise InvalidJson(
                f"The content encoding {encoding!r} is not supported.", hint="Send gzip, deflate, zstd or no encoding."
            )
    except (zlib.error, zstandard.ZstdError, EOFError) as error:
        raise InvalidJson(
            f"The body is not valid {encoding}: {error}.", hint="Check that the whole body was sent."
        ) from None
    if len(plain) > limit:
        raise _too_large(limit)
    return plain


def _inflate(body: bytes, window: int, limit: int) -> bytes:
    pieces, size, rest = [], 0, body
    while rest:
        inflater = zlib.decompressobj(window)
        pieces.append(inflater.decompress(rest, limit + 1 - size))
        size += len(pieces[-1])
        if size > limit or inflater.unconsumed_tail:
            raise _too_large(limit)
        if not inflater.eof:
            raise zlib.error("it ends too early")
        rest = inflater.unused_data.lstrip(b"\x00")  # gzip members may follow each other
    return b"".join(pieces)


def _deflate_window(body: bytes) -> int:
    """Some clients send zlib's format for `deflate`, as the standard says; others the bare stream."""
    return 15 if body[:1] and body[0] & 0x0F == 8 else -15


@lru_cache(maxsize=64)
def _charset(content_type: bytes) -> str:
    """The charset that a body must be converted from; the empty text if it is UTF-8 already."""
    charset = content_type.decode("latin-1").lower().partition("charset=")[2].split(";")[0].strip(" \"'")
    return "" if charset in ("utf-8", "utf8") else charset


def _transcode(body: bytes, charset: str) -> bytes:
    try:
        return body.decode(charset).encode()
    except LookupError:
        raise InvalidJson(f"The charset {charset!r} is not known.", hint="Send UTF-8.") from None
    except UnicodeDecodeError as error:
        raise InvalidJson(
            f"The body is not {charset}: {error.reason} at byte {error.start}.", hint="Send UTF-8."
        ) from None


def _too_large(limit: int) -> TooLarge:
    return TooLarge(
        f"The body is larger than {limit:,} bytes when decompressed.",
        hint="Leave out large facets (logical plans), or raise `max_event_bytes` in the settings.",
    )
