"""Changes by hand in tests of the store: the event that a route would write, at a time of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from headwater.lineage.edits.event import Maker, Remark, notes_event
from headwater.lineage.entities.locations import merge_remarks, split_remarks
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.conftest import entry_of

__all__ = ["edit", "edit_body", "merge", "split"]


def edit_body(second: int, *remarks: Remark, by: str = "somebody", reason: str = "") -> bytes:
    """An event of a second of the first of February 2026."""
    return notes_event(1_769_904_000_000_000 + second * 1_000_000, list(remarks), Maker("test", by, reason, "API"))


def edit(store: SqlStore, second: int, remarks: Iterable[Remark], **more: str) -> None:
    store.write([entry_of(edit_body(second, *remarks, **more))])


def merge(store: SqlStore, namespaces: list[str], second: int) -> None:
    _decide(store, merge_remarks, namespaces, second)


def split(store: SqlStore, namespaces: list[str], second: int) -> None:
    _decide(store, split_remarks, namespaces, second)


def _decide(store: SqlStore, remarks: Callable[..., Any], namespaces: list[str], second: int) -> None:
    edit(store, second, remarks(Reader(store.engine), 1, namespaces)[1])
