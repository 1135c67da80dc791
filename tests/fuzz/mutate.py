"""Damages events and texts at random: what a peer may send by mistake or on purpose."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from tests.conftest import EVENTS

__all__ = ["TEXTS", "VALUES", "damaged_bytes", "damaged_event", "events"]

TEXTS = (
    "",
    " ",
    "a",
    "a" * 5_000,
    "é",
    "e\u0301",
    "\u202egnp.exe",
    "\U0001f600",
    "\x00",
    "\x1b[2J\x1b]0;title\x07",
    "\ud800",
    "a\udfffb",
    "\ufeff",
    "\ufffe",
    "../../etc/passwd",
    "%00%2e%2e%2f",
    "<script>alert(1)</script>",
    "'; DROP TABLE lineage_events; --",
    "=cmd|' /C calc'!A0",
    "a#b",
    "a/b:c@d",
    "dataset:" * 50,
    "*" * 60,
    "%" * 60,
    "s3a://user:pass@host:99999/../x",
    "jdbc:postgresql://[::1:5432/db",
    "file://nn/A",
    "hdfs://[",
    "http://[::1]:80:80/",
    "urn:uuid:00000000-0000-0000-0000-000000000000",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "2026-13-45T99:99:99Z",
    "9999-12-31T23:59:59.999999999Z",
    "0001-01-01T00:00:00+14:00",
    "1969-12-31T23:59:59.999Z",
    "1767225600000",
    "NaN",
    "null",
    "SELECT " * 200,
    "(" * 400,
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1 << 31,
    1 << 53,
    1 << 63,
    -(1 << 63),
    1 << 64,
    10**40,
    0.1,
    -0.0,
    1e308,
    1.5e300,
    float("inf"),
    float("nan"),
    [],
    {},
    [[]],
    [None],
    {"": {}},
    {"a": {"a": {"a": []}}},
)
_MOST_PLACES = 10_000


def events() -> list[bytes]:
    """Every event of the corpus, of all producers."""
    files = [*sorted(EVENTS.glob("*/*.ndjson")), *sorted((EVENTS / "gravitino").glob("*.json"))]
    return [line for file in files for line in _bodies(file.read_bytes(), is_lines=file.suffix == ".ndjson")]


def _bodies(content: bytes, *, is_lines: bool) -> list[bytes]:
    return [line for line in content.splitlines() if line.strip()] if is_lines else [content]


def damaged_bytes(chance: Random, body: bytes) -> bytes:
    """A few bytes turned, cut out, doubled or put in."""
    found = bytearray(body)
    for _ in range(chance.randint(1, 6)):
        place = chance.randint(0, len(found))
        end = min(len(found), place + chance.choice((1, 1, 2, 8, 100, 1000)))
        match chance.randrange(6):
            case 0:
                found[place:end] = chance.randbytes(end - place)
            case 1:
                del found[place:end]
            case 2:
                found[place:place] = found[place:end] * chance.choice((1, 2, 20))
            case 3:
                found[place:place] = chance.choice(TEXTS).encode("utf-8", "surrogatepass")
            case 4:
                del found[place:]
            case _:
                found[place:end] = bytes([chance.choice(b'{}[]",:\\\x00\xff\xed\xa0\x80')])
        if len(found) > 1 << 18:
            del found[1 << 18 :]
    return bytes(found)


def damaged_event(chance: Random, bodies: list[bytes]) -> bytes:
    """JSON still, but with values, names and parts that do not belong there, also of other events."""
    try:
        event = json.loads(chance.choice(bodies))
        other = json.loads(chance.choice(bodies))
    except ValueError:
        return chance.choice(bodies)
    try:
        for _ in range(chance.choice((1, 1, 2, 4, 12))):
            places = _places(event)
            if not places or len(places) >= _MOST_PLACES:
                break
            _damage(chance, chance.choice(places), other)
        return json.dumps(event).encode()
    except RecursionError:
        return b'{"eventTime": "2026-01-01T00:00:00Z", "job": ' + b"[" * 5_000


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every member of an object and item of an array, as the container and its key."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(found) < _MOST_PLACES:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            found.append((one, key))
            waiting.append(one[key])
    return found


def _damage(chance: Random, place: tuple[Any, Any], other: Any) -> None:
    container, key = place
    match chance.randrange(8):
        case 0 | 1:
            container[key] = chance.choice(TEXTS)
        case 2:
            container[key] = copy.deepcopy(chance.choice(VALUES))
        case 3:
            if isinstance(container, dict):
                del container[key]
            else:
                container *= chance.choice((2, 3, 30))
        case 4:
            if isinstance(container, dict):
                container[chance.choice((*TEXTS, str(key).upper(), f"{key} "))] = container.pop(key)
        case 5:
            if places := _places(other):
                donor, member = chance.choice(places)
                container[key] = copy.deepcopy(donor[member])
        case 6:
            for _ in range(chance.choice((1, 5, 60, 600))):
                container[key] = {"a": container[key]} if chance.random() < 0.5 else [container[key]]
        case _:
            container[key] = [copy.deepcopy(container[key]) for _ in range(chance.choice((2, 50)))]
