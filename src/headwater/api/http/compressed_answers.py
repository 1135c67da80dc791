"""Answers made smaller on the way: compressed where the client takes that, and left out where it has them already."""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from typing import Any

import zstandard

from headwater.api.http.body import Headers

__all__ = ["AnswerEncoder"]

_Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
_SMALL, _LARGE = 1 << 10, 32 << 20
"""Bytes: less is not worth while, more would keep a core busy for too long."""
_AT_ONCE = 64 << 10
"""So much is compressed in a millisecond, which is less than another thread takes to begin."""
_THREADS = 2
_TEXT = (b"application/json", b"application/x-ndjson", b"text/")


class AnswerEncoder:
    """Used from the event loop; large answers are compressed beside it, two at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(_THREADS)

    async def encode(self, scope: Any, answer: _Answer) -> _Answer:
        """The answer of a GET as this client takes it. Its tag is that of the content, however it is compressed."""
        status, headers, body = answer
        if scope["method"] != "GET" or status != 200:
            return answer
        asked, sent = dict(scope["headers"]), dict(headers)
        large = len(body) > _AT_ONCE
        own = sent.get(b"etag")
        tag = own if own is not None else await asyncio.to_thread(_tag, body) if large else _tag(body)
        marked = [*headers, *(() if own else ((b"etag", tag),)), (b"vary", b"accept-encoding")]
        if _has(asked, tag):
            kept = [pair for pair in marked if pair[0] not in (b"content-length", b"content-type")]
            return 304, kept, b""
        coding = _coding(asked)
        kind = sent.get(b"content-type", b"")
        if coding is None or not _SMALL <= len(body) <= _LARGE or not kind.startswith(_TEXT):
            return status, marked, body
        if large:
            async with self._turn:
                packed = await asyncio.to_thread(_pack, body, coding)
        else:
            packed = _pack(body, coding)
        plain = [pair for pair in marked if pair[0] != b"content-length"]
        length = (b"content-length", b"%d" % len(packed))
        return status, [*plain, (b"content-encoding", coding), length], packed


def _tag(body: bytes) -> bytes:
    """Weak, since the same content may come compressed in one way or another."""
    return b'W/"' + hashlib.blake2b(body, digest_size=12).hexdigest().encode() + b'"'


def _has(headers: Headers, tag: bytes) -> bool:
    known = headers.get(b"if-none-match", b"")
    return known.strip() == b"*" or tag in (word.strip() for word in known.split(b","))


def _coding(headers: Headers) -> bytes | None:
    """The best encoding that the client names and accepts."""
    taken = set()
    for word in headers.get(b"accept-encoding", b"")[:1000].lower().split(b","):
        name, _, rest = word.partition(b";")
        if rest.replace(b" ", b"").rstrip(b"0") not in (b"q=", b"q=0."):
            taken.add(name.strip())
    return next((coding for coding in (b"zstd", b"gzip") if coding in taken), None)


def _pack(body: bytes, coding: bytes) -> bytes:
    if coding == b"zstd":
        return zstandard.ZstdCompressor(level=3).compress(body)
    packer = zlib.compressobj(level=4, wbits=31)
    return packer.compress(body) + packer.flush()
