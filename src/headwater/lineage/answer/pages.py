"""Pages of lists that are held whole."""

from __future__ import annotations

from typing import Any

from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.answer.records import Page

__all__ = ["page_of"]


def page_of(items: list[Any], member: str, order: str, cursor: str | None, limit: int) -> Page[Any]:
    """A page of a list that is held whole, by a member of its items that no two of them share."""
    after, descending = read_cursor(cursor, order, str), order.startswith("-")
    listed = sorted(items, key=lambda item: str(getattr(item, member)), reverse=descending)
    if after is not None:
        last = str(after[0] or "")
        listed = [
            item
            for item in listed
            if (str(getattr(item, member)) < last if descending else str(getattr(item, member)) > last)
        ]
    shown = listed[:limit]
    following = write_cursor(order, str(getattr(shown[-1], member)), b"") if len(listed) > limit else None
    return Page(shown, len(items), following)
