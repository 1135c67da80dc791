"""Bodies of events, compressed with what they have in common."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import Path

import pytest
import zstandard

from headwater.store.compression import compress, compress_all, decompress

RECORDED = Path(__file__).parents[1] / "events" / "recorded"
BODIES = [b"", b"{}", b'{"eventTime": "2026-01-01T00:00:00Z"}', b"\xff\x00not JSON", b"x" * 100_000]


@pytest.mark.parametrize("body", BODIES, ids=len)
def test_what_goes_in_comes_out(body: bytes) -> None:
    assert decompress(compress(body)) == body
    assert [decompress(frame) for frame in compress_all([body, b"{}"])] == [body, b"{}"]


def test_nothing_at_all() -> None:
    assert compress_all([]) == []


def test_what_was_compressed_before_there_was_a_dictionary() -> None:
    body = (RECORDED / "spark.ndjson").read_bytes().splitlines()[0]
    assert decompress(zstandard.ZstdCompressor(level=3).compress(body)) == body


def test_the_dictionary_is_what_it_was() -> None:
    """Whoever changes it can no longer read what was stored; a new one gets a file and a number of its own."""
    words = files("headwater.store").joinpath("openlineage.dictionary").read_bytes()
    assert hashlib.sha256(words).hexdigest() == "31c0c37b378a2db660139c9553bed2d772ee75b7879773580a5524a6d038cf9b"
    assert zstandard.get_frame_parameters(compress(b"{}")).dict_id == 0x4EAD0001


def test_events_get_much_smaller() -> None:
    bodies = (RECORDED / "airflow.ndjson").read_bytes().splitlines()
    alone = sum(len(zstandard.ZstdCompressor(level=3).compress(body)) for body in bodies)
    assert sum(map(len, compress_all(bodies))) < alone / 2
