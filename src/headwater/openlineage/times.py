"""Event times: whatever producers send, as whole microseconds since 1970 in UTC.

>>> parse_time("2025-06-18T13:32:10.03Z")
1750253530030000
>>> parse_time("2025-06-18T13:32:10")  # no zone is UTC
1750253530000000
>>> parse_time("2025-06-18T13:32:09.999999500Z")
1750253530000000
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

__all__ = ["format_time", "parse_time"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The years 1 to 9999 in UTC: every accepted time can be shown."""
_FINER = re.compile(r"[.,]\d{6}[5-9]")
_WITHOUT_FINER = len("2025-06-18T13:32:10.030000Z")
# Some clients append a "Z" to a time that already has an offset.
_OFFSET_AND_Z = re.compile(r"[+-]\d{2}:?\d{2}Z$")


def parse_time(text: object) -> int | None:
    """Microseconds since 1970, or None for an unusable time.

    Numbers are taken as seconds, milliseconds or microseconds since 1970, told apart by their size.
    """
    if isinstance(text, str):
        try:
            moment: datetime | None = datetime.fromisoformat(text)
        except ValueError:
            moment = _parse_odd(text)
        if moment is None:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        micros = (moment - _EPOCH) // _MICROSECOND
        if len(text) > _WITHOUT_FINER and _FINER.search(text):
            micros += 1  # nanoseconds are rounded
        return micros if _FIRST <= micros <= _LAST else None
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return _from_number(text)
    return None


def format_time(micros: int) -> str:
    """ISO 8601 with milliseconds, or microseconds where there are any, and Z.

    >>> format_time(1750253530030000)
    '2025-06-18T13:32:10.030Z'
    """
    seconds, fraction = divmod(micros, 1_000_000)
    if fraction % 1000 == 0:
        return f"{_second(seconds)}.{fraction // 1000:03}Z"
    return f"{_second(seconds)}.{fraction:06}Z"


@lru_cache(maxsize=16_384)
def _second(seconds: int) -> str:
    """An answer shows thousands of times, and many lie close together."""
    return (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()


def _parse_odd(text: str) -> datetime | None:
    text = text.strip().upper()
    if _OFFSET_AND_Z.search(text):
        text = text[:-1]
    text = text.removesuffix("[UTC]")
    midnight = "T24:00" in text  # the end of that day
    try:
        moment = datetime.fromisoformat(text.replace("T24:00", "T00:00"))
        return moment + timedelta(days=1) if midnight else moment
    except (ValueError, OverflowError):
        return None


def _from_number(number: float) -> int | None:
    size = abs(number)
    scale = 1_000_000 if size < 1e11 else 1_000 if size < 1e14 else 1
    micros = number * scale
    return int(micros) if _FIRST <= micros <= _LAST else None
