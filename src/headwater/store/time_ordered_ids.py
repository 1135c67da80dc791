"""Ids of dead letters and tasks: later ones are greater, and nobody learns from one how many others have."""

from __future__ import annotations

import secrets
import threading
import time

__all__ = ["id_number", "id_text", "new_ids"]

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without letters that look like others."""
_LENGTH, _MOST = 13, 1 << 63
_RANDOM_BITS = 22
_STEP = 1000
_lock = threading.Lock()
_last = 0


def new_ids(count: int) -> list[int]:
    """New ids in ascending order: milliseconds, then random bits."""
    global _last  # noqa: PLW0603 - one row for all stores of a process
    found = []
    with _lock:
        for _ in range(count):
            now = (time.time_ns() // 1_000_000) << _RANDOM_BITS
            _last = max(now + secrets.randbits(_RANDOM_BITS), _last + 1 + secrets.randbelow(_STEP))
            found.append(_last)
    return found


def id_text(number: int) -> str:
    """An id as it is shown: a number of this size is none to JavaScript.

    >>> id_text(1 << 62)
    '4000000000000'
    """
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))


def id_number(text: str) -> int | None:
    """The id out of its text; None if it is none."""
    if len(text) != _LENGTH or not set(text) <= set(_DIGITS):
        return None
    number = 0
    for digit in text:
        number = number << 5 | _DIGITS.index(digit)
    return number if number < _MOST else None
