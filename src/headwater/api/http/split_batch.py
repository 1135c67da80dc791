"""Splits a batch into the bytes of its events: a JSON array, or NDJSON."""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw

from headwater.ingest.errors import TooLarge
from headwater.openlineage.errors import InvalidJson, NotAnObject

__all__ = ["MOST_EVENTS", "split_batch"]

MOST_EVENTS = 50_000
"""In one batch; lines count, also empty ones."""
_array = msgspec.json.Decoder(list[Raw])
_value = msgspec.json.Decoder(Raw)
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_BETWEEN_EVENTS = re.compile(rb'(?:[^",\[\]{}]++|' + _STRING + rb")*+", re.DOTALL)
"""Any byte except a comma or bracket."""
_INSIDE_EVENTS = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+", re.DOTALL)
_COMMA = b","[0]


def split_batch(body: bytes, *, ndjson: bool) -> list[bytes | None]:
    r"""The single events of a batch; None for an empty line, so that indexes stay line numbers.

    >>> split_batch(b'[{}, {"a": 1}]', ndjson=False), split_batch(b'{}\n\n{"a": 1}', ndjson=True)
    ([b'{}', b'{"a": 1}'], [b'{}', None, b'{"a": 1}'])
    """
    text = body.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n")
    if not text:
        raise InvalidJson("The body is empty.", hint="Send a JSON array of events, or one event per line.")
    if text.startswith(b"["):
        return _items(text)
    if not text.startswith(b"{"):
        raise NotAnObject("A batch is a JSON array of events, or NDJSON.", path="$", hint="Wrap the events in [ ... ].")
    if not ndjson and _is_one_value(text):
        return [text]
    if body.count(b"\n") > MOST_EVENTS:
        raise _too_many()
    return [line.strip() or None for line in body.split(b"\n")]


def _items(text: bytes) -> list[bytes | None]:
    if _has_too_many(text):
        raise _too_many()
    try:
        return [bytes(item) for item in _array.decode(text)]
    except msgspec.DecodeError as error:
        raise InvalidJson(f"The batch is not valid JSON: {error}.", path="$", hint="Nothing of it was kept.") from None
    except RecursionError:
        raise InvalidJson("The batch is nested too deeply to be read.", path="$") from None


def _has_too_many(text: bytes) -> bool:
    """Whether an array has more events than one batch may, found out without making any of them."""
    if text.count(b",") < MOST_EVENTS:
        return False
    depth, events, place = 0, 1, 0
    while True:
        found = (_INSIDE_EVENTS if depth > 1 else _BETWEEN_EVENTS).match(text, place)
        place = found.end() if found is not None else len(text)
        if place >= len(text):
            return False
        byte = text[place]
        if byte == _COMMA:
            events += 1
            if events > MOST_EVENTS:
                return True
        else:
            depth += (byte in b"[{") - (byte in b"]}")
        place += 1


def _too_many() -> TooLarge:
    return TooLarge(f"A batch may have {MOST_EVENTS:,} events; this one has more.", hint="Send it in several requests.")


def _is_one_value(text: bytes) -> bool:
    try:
        _value.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
