"""Times in questions: `now`, `yesterday`, `-1d`, a date, a time. All in UTC."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal

from headwater.openlineage.times import parse_time

__all__ = ["AGO", "FORMS", "Edge", "is_ago", "parse_moment"]

Edge = Literal["first", "last", "after"]
"""Which microsecond a date stands for: the first of the day, the last, or the first after it."""
FORMS = (
    "now, today, yesterday, -30m, -3h, -1d or -2w (minutes, hours, days or weeks ago), "
    "a date (2026-01-31) or a time (2026-01-31T12:00:00Z)"
)
AGO = "^-([0-9]{1,5})([mhdw])$"
"""Of five digits, so that it never lies before the year 1."""
_AGO = re.compile(AGO.strip("^$"))
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EPOCH = date(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1) // _MICROSECOND
_UNITS = {"m": _DAY // 1440, "h": _DAY // 24, "d": _DAY, "w": 7 * _DAY}
_DAYS_AGO = {"today": 0, "yesterday": 1}


def parse_moment(text: str, now: int, edge: Edge = "first") -> int | None:
    """Microseconds since 1970 of a moment; None if the text is no moment. `edge` chooses the microsecond of a day.

    >>> noon = 1_769_860_800_000_000  # 2026-01-31T12:00:00Z
    >>> parse_moment("-1d", noon) == noon - 86_400_000_000
    True
    >>> parse_moment("today", noon) == parse_moment("2026-01-31", noon) == noon - 43_200_000_000
    True
    """
    text = text.strip()
    word = text.lower()
    if word == "now":
        return now
    day = _day(text, now - now % _DAY, word)
    if day is not None:
        return day + {"first": 0, "last": _DAY - 1, "after": _DAY}[edge]
    found = _AGO.fullmatch(text)
    return parse_time(text) if found is None else now - int(found[1]) * _UNITS[found[2]]


def is_ago(text: str) -> bool:
    """Whether this is a moment that begins like an option: `-1d`."""
    return _AGO.fullmatch(text) is not None


def _day(text: str, today: int, word: str) -> int | None:
    """The first microsecond of a day that is given by its date or a word."""
    if word in _DAYS_AGO:
        return today - _DAYS_AGO[word] * _DAY
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return (date.fromisoformat(text) - _EPOCH) // _MICROSECOND
    except ValueError:
        return None
