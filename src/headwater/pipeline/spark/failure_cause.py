"""Cause of a Spark failure in one line, without stack traces."""

from __future__ import annotations

import re

from headwater.errors import HeadwaterError
from headwater.store.dialects.failures import is_outage, reason_of

__all__ = ["cause_of", "is_of_spark", "is_store_outage"]

_OUTAGE = re.compile(r"sqlalchemy\.exc\.(?:OperationalError|InterfaceError|TimeoutError)|StoreUnavailable: ")
_PYTHON = "Traceback (most recent call last)"
_AROUND = ("(Background on this error", "[SQL:", "[parameters:")
_LONGEST = 500


def cause_of(error: BaseException) -> str:
    r"""The cause of an error that came through Spark, or of any other.

    >>> cause_of(ValueError("job aborted: Traceback (most recent call last):\n  x\nOSError: no room\n\n\tat java"))
    'no room'
    """
    if isinstance(error, HeadwaterError):
        return error.message
    text = str(error)
    if _PYTHON in text:
        return _of_python(text.rpartition(_PYTHON)[2]) or type(error).__name__
    if is_outage(error):
        return reason_of(error)
    causes = re.findall(r"(?:terminated with exception: |Caused by: |Exception: |Error: )(.+)", text)
    line = causes[-1] if causes else (text.strip().splitlines() or [type(error).__name__])[0]
    return line.partition(" SQLSTATE: ")[0].strip()[:_LONGEST]


def is_store_outage(error: BaseException) -> bool:
    """Whether the database was away, here or in a task; the statement itself is fine."""
    return is_outage(error) or (is_of_spark(error) and _OUTAGE.search(str(error)) is not None)


def is_of_spark(error: BaseException) -> bool:
    """Whether Spark raised it, in Java or in Python."""
    return type(error).__module__.partition(".")[0] in ("py4j", "pyspark")


def _of_python(trace: str) -> str:
    """The last line with content of a Python traceback, without the class of the exception."""
    lines: list[str] = []
    for line in trace.splitlines():
        if line.lstrip().startswith("at ") or (lines and line.startswith("Driver stacktrace")):
            break
        if line.strip() and not line.startswith((" ", "\t", *_AROUND)):
            lines.append(line.strip())
    last = lines[-1] if lines else ""
    named = re.match(r"[\w.]+: (.+)", last)
    return (named.group(1) if named else last)[:_LONGEST]
