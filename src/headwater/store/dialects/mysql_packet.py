"""Size check for MySQL and MariaDB, which close the connection on a statement beyond `max_allowed_packet`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from headwater.store.dialects.failures import StoreUnavailable, TooLargeForStore
from headwater.store.write.log import Entry
from headwater.store.write.upsert import Row, UpsertStatement

__all__ = ["check_size", "packet_size"]

_LEAST = 4 << 20
"""Rows are gathered into statements of a megabyte."""
_STATEMENT = 64 << 10
"""Room for the words around the values."""
_ESCAPED = "\0\n\r\x1a\"'\\"
_SMALL = 16
"""An event smaller than the packet by this factor cannot outgrow it."""


def packet_size(engine: sa.Engine) -> int | None:
    """Largest statement that the server takes; None if unknown."""
    if engine.dialect.name not in ("mysql", "mariadb"):
        return None
    with engine.connect() as connection:
        size = int(connection.exec_driver_sql("SELECT @@max_allowed_packet").scalar_one())
    if size < _LEAST:
        raise StoreUnavailable(
            f"The database takes statements of at most {size >> 10} KiB, which is too little.", hint=_hint(64 << 20)
        )
    return size


def check_size(entries: Sequence[Entry], writes: Sequence[tuple[UpsertStatement, list[Row]]], limit: int) -> None:
    """Raise when a row cannot be sent."""
    if all(len(entry.event.body) * _SMALL < limit for entry in entries):
        return
    for _, rows in writes:
        for row in rows:
            size = _STATEMENT + sum(map(_size, row))
            if size > limit:
                raise TooLargeForStore(
                    f"The event needs a statement of {size >> 20} MiB; the database takes {limit >> 20} MiB.",
                    hint=_hint(size * 2),
                )


def _size(value: Any) -> int:
    """How long a value is in the text of a statement: bytes are written as hexadecimal digits."""
    if isinstance(value, str):
        return len(value.encode()) + sum(value.count(character) for character in _ESCAPED) + 2
    return len(value) * 2 + 16 if isinstance(value, bytes) else 24


def _hint(size: int) -> str:
    whole = 1 << (size - 1).bit_length()
    return f"Raise it: SET GLOBAL max_allowed_packet={whole}, and max_allowed_packet={whole} in the server's settings."
