"""Refused events are written in short transactions, and what is held of them is bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from headwater.access.identity import SINGLE_USER
from headwater.ingest import dead_letter_writer
from headwater.ingest.dead_letter_writer import DeadLetterWriter
from headwater.openlineage.errors import NotAnObject
from headwater.store.sql_store import SqlStore
from headwater.store.write.dead_letters import DeadLetters, Refusal


class Counting(DeadLetters):
    """Notes how many are written at once."""

    sizes: Sequence[int] = ()

    def add(self, refusals: Sequence[Refusal]) -> None:
        self.sizes = [*self.sizes, len(refusals)]
        super().add(refusals)


def test_many_are_written_in_several_transactions(store: SqlStore) -> None:
    letters = Counting(store.engine)
    writer = DeadLetterWriter(letters)
    for _ in range(2500):
        writer.put(SINGLE_USER, NotAnObject("no event"), b"1")
    asyncio.run(writer.emptied())
    assert letters.sizes == [1000, 1000, 500]
    asyncio.run(writer.emptied())
    assert letters.sizes == [1000, 1000, 500]


def test_small_ones_count_as_what_they_take(store: SqlStore, monkeypatch) -> None:
    monkeypatch.setattr(dead_letter_writer, "_MOST_BYTES", 10_300)
    letters = Counting(store.engine)
    writer = DeadLetterWriter(letters)
    for _ in range(2):
        for _ in range(50):
            writer.put(SINGLE_USER, NotAnObject("no event"), b"{}")
        asyncio.run(writer.emptied())
    assert letters.sizes == [10, 10], "there is room again once they are written"
