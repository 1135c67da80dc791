"""Compression of event bodies: each by itself, since each is read by itself, with a shared dictionary.

The dictionary has what OpenLineage events have in common: names of facets, schema URLs, producers. It is part of the
package and never changes, since bodies compressed with it need it; see `scripts/train_dictionary.py`. Bodies from
before it are readable too.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import zstandard

__all__ = ["compress", "compress_all", "decompress"]

_LEVEL = 1
_local = threading.local()


def compress(body: bytes) -> bytes:
    return bytes(_compressor().compress(body))


def compress_all(bodies: Sequence[bytes]) -> list[bytes]:
    """All at once: that lets go of the interpreter once, while one by one each would have to win it back."""
    if not bodies:
        return []
    frames = _compressor().multi_compress_to_buffer(list(bodies))
    return [frames[index].tobytes() for index in range(len(frames))]


def decompress(stored: bytes) -> bytes:
    decompressor: zstandard.ZstdDecompressor | None = getattr(_local, "decompressor", None)
    if decompressor is None:
        decompressor = _local.decompressor = zstandard.ZstdDecompressor(dict_data=_dictionary())
    return bytes(decompressor.decompress(stored))


def _compressor() -> zstandard.ZstdCompressor:
    compressor: zstandard.ZstdCompressor | None = getattr(_local, "compressor", None)
    if compressor is None:
        compressor = _local.compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=_dictionary())
    return compressor


@cache
def _dictionary() -> zstandard.ZstdCompressionDict:
    words = files("headwater.store").joinpath("openlineage.dictionary").read_bytes()
    dictionary = zstandard.ZstdCompressionDict(words)
    dictionary.precompute_compress(level=_LEVEL)
    return dictionary
