"""Ids that are a function of names alone, so that no event ever has to wait for another.

Every id is the first 16 bytes of a SHA-256: the same in every process, on Spark and in a test.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from uuid import UUID

__all__ = ["digest", "fingerprint", "run_key", "run_uuid", "session_uuid", "stamp", "stamp_time", "uuid_time"]

_STAMP_OFFSET = 1 << 63
_SMALL, _PIECE = 64 << 10, 2047


def digest(*parts: str | bytes) -> bytes:
    """A 128-bit id of these parts; the parts cannot run into each other.

    >>> digest("a", "bc") == digest("ab", "c")
    False
    """
    pieces = [part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part for part in parts]
    return _sha256(_numbers(len(pieces))(*map(len, pieces)) + b"".join(pieces))


@lru_cache(maxsize=256)
def _numbers(count: int) -> Callable[..., bytes]:
    """Numbers as bytes; cached, since building the format takes longer than using it."""
    return struct.Struct(f">{count}I").pack


def fingerprint(body: bytes) -> bytes:
    """Digest of an event's bytes without surrounding white space; equal for two deliveries of the same event."""
    return _sha256(body.strip(b" \t\r\n"))


def _sha256(body: bytes) -> bytes:
    if not _PIECE < len(body) <= _SMALL:
        return hashlib.sha256(body).digest()[:16]
    # In pieces that hashlib hashes without letting go of the interpreter: a server's threads would fight over it.
    state = hashlib.sha256(body[:_PIECE])
    for start in range(_PIECE, len(body), _PIECE):
        state.update(body[start : start + _PIECE])
    return state.digest()[:16]


def stamp(time: int, event_fingerprint: bytes) -> bytes:
    """The order of events: by time, then by fingerprint; bytes with the same order in Python, SQL and Spark."""
    return (time + _STAMP_OFFSET).to_bytes(8, "big") + event_fingerprint


def stamp_time(value: bytes) -> int:
    """The event time inside a stamp."""
    return int.from_bytes(value[:8], "big") - _STAMP_OFFSET


def run_uuid(run_id: str) -> UUID:
    """The run's UUID; an id that is none gets the one that Java's `UUID.nameUUIDFromBytes` would give.

    >>> run_uuid("run_id")
    UUID('0acf093b-3c88-3560-8dc6-22a33921d360')
    """
    try:
        return UUID(run_id)
    except ValueError:
        return UUID(
            bytes=hashlib.md5(run_id.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest(), version=3
        )


@lru_cache(maxsize=2048)
def run_key(run_id: str) -> tuple[bytes, bool]:
    """The 16 bytes of the run's UUID, and whether the id was sent as a UUID in its usual form.

    >>> run_key("0ACF093B-3c88-3560-8dc6-22a33921d360")[1], run_key("run_id")[1]
    (True, False)
    """
    # Nearly every run id is a plain UUID; the class takes ten times as long to read one.
    if len(run_id) == 36 and run_id[8] == run_id[13] == run_id[18] == run_id[23] == "-":
        try:
            value = bytes.fromhex(run_id.replace("-", ""))
        except ValueError:
            value = b""
        if len(value) == 16:
            return value, True
    return run_uuid(run_id).bytes, False


def session_uuid(time: int, session: str) -> UUID:
    """A UUIDv7 for a session that has no run id of its own: its start time, and a digest of that and its name.

    >>> session_uuid(1750253523229000, "0ba6765b-3019-4172-b748-63c257158d20")
    UUID('0197833d-511d-7034-be27-078fb128ca59')
    """
    began = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)
    noise = (
        int.from_bytes(hashlib.sha1((began.isoformat() + session).encode(), usedforsecurity=False).digest(), "big")
        >> 84
    )
    value = (max(time // 1000, 0) & (1 << 48) - 1) << 80 | 7 << 76 | noise
    return UUID(int=value & ~(0b11 << 62) | 0b10 << 62)


def uuid_time(value: bytes) -> int | None:
    """The time inside a UUIDv7; None for every other UUID."""
    return int.from_bytes(value[:6], "big") * 1000 if value[6] >> 4 == 7 else None
