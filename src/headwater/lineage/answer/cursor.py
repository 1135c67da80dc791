"""Cursor of the next page of a list."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from headwater.lineage.errors import BadQuestion
from headwater.store.read.lists.keyset import After

__all__ = ["read_cursor", "write_cursor"]

_BITS = 1 << 62
_read = msgspec.json.Decoder(tuple[str, int | str | None, str])


def write_cursor(order: str, sort: int | str | None, last: bytes) -> str:
    """The cursor behind a row; it holds for one order only.

    >>> read_cursor(write_cursor("name", "orders", b"id"), "name", str)
    ('orders', b'id')
    """
    return urlsafe_b64encode(msgspec.json.encode((order, sort, last.hex()))).decode().rstrip("=")


def read_cursor(text: str | None, order: str, kind: type[int | str]) -> After | None:
    """Where a page begins; `kind` is that of the values it is sorted by."""
    if text is None:
        return None
    try:
        known, sort, last = _read.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        after = sort, bytes.fromhex(last)
    except (ValueError, msgspec.DecodeError):
        raise _wrong() from None
    if sort is not None and (not isinstance(sort, kind) or not _fits(sort)):
        raise _wrong()
    if known != order:
        raise BadQuestion(
            f"The cursor belongs to the order {known!r}, not {order!r}.",
            path="?cursor",
            hint="Keep the order while you turn pages.",
        )
    return after


def _wrong() -> BadQuestion:
    return BadQuestion("This is no cursor.", path="?cursor", hint="Use `next` of the page before, or leave it out.")


def _fits(sort: int | str) -> bool:
    """Whether a database can compare with it."""
    return "\x00" not in sort if isinstance(sort, str) else -_BITS < sort < _BITS
