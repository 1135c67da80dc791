"""Batches are split into the bytes of their events, and never into more than one request may have."""

from __future__ import annotations

import json
import time
import tracemalloc

import pytest

from headwater.api.http.split_batch import MOST_EVENTS, split_batch
from headwater.ingest.errors import TooLarge
from headwater.openlineage.errors import InvalidJson

TWISTED = ['{"a": "],[{,\\""}', '[1, [2, "\\\\"], {}]', '"x,y"', "1.5e3", "null", "{}"]
"""Commas, brackets and quotes where they separate nothing."""


@pytest.mark.parametrize("count", [MOST_EVENTS - 1, MOST_EVENTS])
def test_as_many_as_may_be(count: int) -> None:
    items = [TWISTED[place % len(TWISTED)] for place in range(count)]
    array = f"[{' , '.join(items)}]".encode()
    assert split_batch(array, ndjson=False) == [item.encode() for item in items]
    lines = b"{}\n" * count
    assert split_batch(lines, ndjson=True) == [b"{}"] * count + [None]


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"{}," * MOST_EVENTS + b"{}]",
        b"[" + b"1," * MOST_EVENTS + b"1]",
        b"[" + ",".join(TWISTED * (MOST_EVENTS // len(TWISTED) + 1)).encode() + b"]",
        b"{}\n" * (MOST_EVENTS + 2),
        b"{" + b"\n" * (MOST_EVENTS + 2),
    ],
)
def test_one_more_is_refused(body: bytes) -> None:
    with pytest.raises(TooLarge, match="50,000 events") as error:
        split_batch(body, ndjson=False)
    assert error.value.hint == "Send it in several requests."


def test_large_events_are_not_many() -> None:
    event = json.dumps({"inputs": [{"name": str(place), "x": [1, 2, 3]} for place in range(MOST_EVENTS)]}).encode()
    assert split_batch(b"[" + event + b"," + event + b"]", ndjson=False) == [event, event]


@pytest.mark.parametrize(
    "body", [b'["' + b"1," * MOST_EVENTS, b"[]]" + b"},1" * MOST_EVENTS, b"[" * 10 + b"1," * MOST_EVENTS]
)
def test_what_is_no_json_is_still_told(body: bytes) -> None:
    with pytest.raises((InvalidJson, TooLarge)):
        split_batch(body, ndjson=False)


def test_a_body_full_of_nothing_costs_no_more_than_its_size() -> None:
    """32 MiB of empty events, which would take a gigabyte as objects."""
    body = b"[" + b"{}," * (11 << 20) + b"{}]"
    tracemalloc.start()
    began = time.process_time()
    try:
        with pytest.raises(TooLarge):
            split_batch(body, ndjson=False)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * len(body)
    assert time.process_time() - began < 20
