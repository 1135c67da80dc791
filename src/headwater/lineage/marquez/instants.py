"""Times and ids in the way Marquez writes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headwater.openlineage.identity import digest
from headwater.openlineage.times import format_time, parse_time

__all__ = ["instant", "instant_or_none", "made_id", "offset_time"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(micros: int) -> str:
    """ISO 8601 in UTC with as few digits as Java's `Instant` writes.

    >>> instant(1709280000000000), instant(1709280000120000)
    ('2024-03-01T08:00:00Z', '2024-03-01T08:00:00.120Z')
    """
    text = format_time(micros)
    return f"{text[:-5]}Z" if text.endswith(".000Z") else text


def instant_or_none(micros: int | None) -> str | None:
    return None if micros is None else instant(micros)


def offset_time(text: str) -> str | None:
    """A time with its offset, as Java's `ZonedDateTime` writes it: without seconds where there are none.

    >>> offset_time("2024-03-01T07:00:00Z")
    '2024-03-01T07:00Z'
    """
    micros = parse_time(text)
    if micros is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = _EPOCH + timedelta(microseconds=micros)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    precision = "minutes" if moment.second == moment.microsecond == 0 else "seconds"
    if moment.microsecond:
        precision = "milliseconds" if moment.microsecond % 1000 == 0 else "microseconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def made_id(*parts: str | bytes) -> str:
    """A UUID for a thing that has none: always the same for the same parts."""
    raw = bytearray(digest("marquez", *parts))
    raw[6], raw[8] = raw[6] & 0x0F | 0x50, raw[8] & 0x3F | 0x80  # version 5, as `uuid.UUID` would but much faster
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
