"""Bodies made to cost more than they weigh: packed, in odd charsets, or simply large."""

from __future__ import annotations

import gzip
import time
import zlib

import pytest
import zstandard

from headwater.api.http.body import decode_body
from headwater.api.http.unpack import unpack
from headwater.ingest.errors import TooLarge
from headwater.openlineage.errors import InvalidJson
from tests.api.test_ingest import event
from tests.hostile.wire import watched
from tests.server import Server

EMPTY = gzip.compress(b"", mtime=0)


def nested(layers: int) -> bytes:
    """Many empty members, packed again and again: the result is nothing, and was hundreds of thousands of members."""
    body = EMPTY * 300_000
    for _ in range(layers - 1):
        body = gzip.compress(body)
    return body


def seconds_for(body: bytes, layers: list[str], limit: int = 32 << 20) -> float:
    began = time.process_time()
    with pytest.raises((TooLarge, InvalidJson)):
        unpack(body, layers, limit)
    return time.process_time() - began


@pytest.mark.alone
def test_three_layers_of_many_members(server: Server) -> None:
    body = nested(3)
    assert len(body) < 200
    with watched(server) as others:
        for encoding, status in (("gzip, gzip, gzip", 415), ("gzip, gzip", 413), ("gzip", 400)):
            assert server.post(body, **{"content-encoding": encoding}).status_code == status
        assert server.post(nested(2), **{"content-encoding": "gzip, gzip"}).status_code == 413
    assert others.slowest < 3


@pytest.mark.parametrize("size", [200_000, 400_000])
def test_members_are_read_in_linear_time(size: int) -> None:
    """Of each the first 4,096 and no more, whatever follows them."""
    assert seconds_for(EMPTY * size, ["gzip"]) < 0.5
    assert seconds_for((EMPTY + b"\0" * 100) * (size // 6), ["gzip"]) < 0.5


def test_many_members_that_are_in_order() -> None:
    parts = [event(f"job-{number}") * 20 for number in range(400)]
    assert unpack(b"".join(map(gzip.compress, parts)), ["gzip"], 32 << 20) == b"".join(parts)
    padded = gzip.compress(b"a") + b"\0" * 40_000 + gzip.compress(b"b")
    assert unpack(padded, ["gzip"], 1000) == b"ab"


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, zstandard.compress])
def test_what_is_packed_comes_out(pack) -> None:
    name = {gzip.compress: "gzip", zlib.compress: "deflate"}.get(pack, "zstd")
    events = b"\n".join(event(f"packed-{number}") for number in range(3000))
    for plain in (b"", b"x", events, bytes(range(256)) * 1000):
        assert unpack(pack(plain), [name], 32 << 20) == plain
        assert unpack(gzip.compress(pack(plain)), [name, "gzip"], 32 << 20) == plain
        if plain:
            with pytest.raises(InvalidJson):
                unpack(pack(plain)[:-5], ["deflate" if name == "deflate" else "gzip"], 32 << 20)


@pytest.mark.parametrize(
    ("body", "layers"),
    [
        (gzip.compress(b" " * (30 << 20)), ["gzip"]),
        (gzip.compress(gzip.compress(b" " * (30 << 20))), ["gzip", "gzip"]),
        (zstandard.compress(b" " * (30 << 20)), ["zstd"]),
        (zlib.compress(b" " * (30 << 20)), ["deflate"]),
    ],
)
def test_a_bomb_is_left_at_a_multiple_of_its_size(body: bytes, layers: list[str]) -> None:
    """Though the result would be within the limit."""
    with pytest.raises(TooLarge, match="400 times"):
        unpack(body, layers, 32 << 20)


def test_a_zstd_stream_that_wants_a_large_window() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27, write_content_size=False)
    packed = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    body = packed.compress(event() * 10) + packed.flush()
    with pytest.raises(InvalidJson):
        unpack(body, ["zstd"], 32 << 20)


def test_unpacking_ends_after_some_seconds(monkeypatch) -> None:
    monkeypatch.setattr("headwater.api.http.unpack._SECONDS", -1.0)
    with pytest.raises(TooLarge, match="within"):
        unpack(gzip.compress(event()), ["gzip"], 32 << 20)


ODD = ["punycode", "idna", "unicode_escape", "raw_unicode_escape", "utf-7", "base64", "hex", "rot13", "zlib", "bz2"]
ODD += ["mbcs", "undefined", "charmap", "iso-8859-1", "klingon", "utf-8\\0", "x" * 5000]


@pytest.mark.alone
def test_odd_charsets(server: Server) -> None:
    """Some of Python's codecs take quadratic time, some give no text, some raise errors of their own."""
    body = b'{"a": "' + b"a" * 3_000_000 + b'-9999"}'
    with watched(server) as others:
        for charset in ODD:
            small = server.post(event(), **{"content-type": f"application/json; charset={charset}"})
            assert (charset, small.status_code, small.json()["error"]) == (charset, 415, "unsupported_body")
        large = server.post(body, **{"content-type": "application/json; charset=punycode"})
        assert large.status_code == 415
    assert others.slowest < 3


@pytest.mark.parametrize("charset", ["utf-16", "UTF-32BE", "ascii", '"utf8"'])
def test_charsets_of_the_family(charset: str) -> None:
    plain = event("größe")
    codec = charset.strip('"')
    body = plain.decode().encode(codec)
    assert decode_body(body, {b"content-type": f"text/json;charset={charset}".encode()}, 1 << 20) == plain


def test_a_body_that_is_not_what_it_says() -> None:
    with pytest.raises(InvalidJson, match="is not utf-16"):
        decode_body(b"abc", {b"content-type": b"application/json; charset=utf-16"}, 1000)
