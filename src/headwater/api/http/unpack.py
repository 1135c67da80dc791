"""Decompression and conversion of request bodies, in linear time and within a size, a ratio and a time.

A peer chooses every byte of a body, so the cost is bounded by the number of bytes sent: members of gzip are read from
small blocks (zlib copies the bytes after a member), layers are counted, and the result is at most a multiple of the
body.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from functools import lru_cache

import zstandard

from headwater.ingest.errors import TooLarge, UnsupportedBody
from headwater.openlineage.errors import InvalidJson

__all__ = ["charset_of", "layers_of", "too_large", "transcode", "unpack"]

_MOST_LAYERS = 2
_MOST_MEMBERS = 4096
"""Of one gzip body. Programs that write many make them of 64 KiB, so that this is 256 MiB."""
_BLOCK = 16 << 10
_MOST_RATIO = 400
"""Bytes for each byte that was sent: events shrink to a tenth or a twentieth."""
_ALWAYS = 256 << 10
"""A result of this size is allowed whatever the ratio."""
_SECONDS = 5.0
_WINDOW = 32 << 20
"""Bytes that a zstd stream may look back. Its highest level, which nobody uses for events, would want more."""
_INFLATED = ("gzip", "x-gzip", "deflate")
_CHARSETS = {
    "utf-8": "",
    "utf8": "",
    "us-ascii": "",
    "ascii": "",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "utf-32": "utf-32",
    "utf-32le": "utf-32-le",
    "utf-32be": "utf-32-be",
}
"""Accepted charsets, each with its codec; None where bytes can be read directly."""


def unpack(body: bytes, layers: list[str], limit: int) -> bytes:
    """Undo the layers, the last one first. Raises when the result, at any layer, is larger than it may be."""
    allowed = min(limit, max(_ALWAYS, _MOST_RATIO * len(body)))
    deadline = time.monotonic() + _SECONDS
    for encoding in reversed(layers):
        try:
            pieces, size = [], 0
            for piece in _inflated(body, encoding) if encoding in _INFLATED else _expanded(body):
                pieces.append(piece)
                size += len(piece)
                if size > allowed:
                    raise too_large(limit) if allowed == limit else _too_dense()
                if time.monotonic() > deadline:
                    raise _too_slow()
            body = b"".join(pieces)
        except (zlib.error, zstandard.ZstdError, EOFError) as error:
            raise InvalidJson(
                f"The body is not valid {encoding}: {error}.", hint="Check that the whole body was sent."
            ) from None
    return body


@lru_cache(maxsize=64)
def layers_of(content_encoding: bytes) -> list[str]:
    """The encodings that were applied to a body, in their order.

    >>> layers_of(b"identity, GZIP")
    ['gzip']
    """
    names = [name.strip() for name in content_encoding.decode("latin-1").lower().split(",")]
    layers = [name for name in names if name not in ("", "identity")]
    for name in layers:
        if name not in (*_INFLATED, "zstd"):
            raise UnsupportedBody(
                f"The content encoding {name[:100]!r} is not supported.",
                hint="Send gzip, deflate, zstd or no encoding.",
            )
    if len(layers) > _MOST_LAYERS:
        raise UnsupportedBody(
            f"The body is compressed {len(layers)} times; at most {_MOST_LAYERS} are undone.", hint="Compress it once."
        )
    return layers


def _inflated(body: bytes, encoding: str) -> Iterator[bytes]:
    """The pieces of a gzip or deflate body: one member after the other, a block at a time."""
    window = 47 if encoding != "deflate" else _deflate_window(body)
    inflater, members = zlib.decompressobj(window), 1
    for start in range(0, len(body), _BLOCK):
        block = body[start : start + _BLOCK]
        while block:
            if inflater.eof:
                block = block.lstrip(b"\x00")  # members may be padded
                if not block:
                    break
                members += 1
                if members > _MOST_MEMBERS:
                    raise _too_dense()
                inflater = zlib.decompressobj(window)
            yield inflater.decompress(block, _BLOCK)
            block = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
    while body and not inflater.eof and (piece := inflater.decompress(b"", _BLOCK)):
        yield piece
    if body and not inflater.eof:
        raise zlib.error("it ends too early")


def _deflate_window(body: bytes) -> int:
    """Some clients send zlib's format for `deflate`, as the standard says; others the bare stream."""
    return 15 if body[:1] and body[0] & 0x0F == 8 else -15


def _expanded(body: bytes) -> Iterator[bytes]:
    """The pieces of a zstd body."""
    with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(body) as reader:
        while piece := reader.read(_BLOCK):
            yield piece


@lru_cache(maxsize=64)
def charset_of(content_type: bytes) -> str:
    """The codec that a body must be converted with; the empty text if it is UTF-8 already.

    >>> charset_of(b'application/json; charset="UTF-16"')
    'utf-16'
    """
    charset = content_type.decode("latin-1").lower().partition("charset=")[2].split(";")[0].strip(" \"'")
    if not charset:
        return ""
    codec = _CHARSETS.get(charset.replace("_", "-"))
    if codec is None:
        raise UnsupportedBody(f"The charset {charset[:100]!r} is not supported.", hint="Send UTF-8, UTF-16 or UTF-32.")
    return codec


def transcode(body: bytes, codec: str) -> bytes:
    """The body as UTF-8."""
    try:
        return body.decode(codec).encode()
    except UnicodeDecodeError as error:
        raise InvalidJson(
            f"The body is not {codec}: {error.reason} at byte {error.start}.", hint="Send UTF-8."
        ) from None


def too_large(limit: int) -> TooLarge:
    return TooLarge(
        f"The body is larger than {limit:,} bytes when decompressed.",
        hint="Leave out large facets (logical plans), or raise `max_event_bytes` in the settings.",
    )


def _too_dense() -> TooLarge:
    return TooLarge(
        f"The body unpacks to more than {_MOST_RATIO} times its size, or has more than {_MOST_MEMBERS:,} parts.",
        hint="No event is like that. Send it without compression.",
    )


def _too_slow() -> TooLarge:
    return TooLarge(f"The body cannot be unpacked within {_SECONDS:g} seconds.", hint="Send it in smaller parts.")
