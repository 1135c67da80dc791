"""Many rows in short transactions, so that other writers need not wait for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headwater.store.write.upsert import Row, UpsertStatement

__all__ = ["MOST_BYTES", "MOST_ROWS", "in_slices"]

MOST_ROWS, MOST_BYTES = 1_000, 1 << 20
"""Of one transaction, about: 10 to 20 ms."""
Writes = list[tuple[UpsertStatement, list[Row]]]


def in_slices(
    writes: Sequence[tuple[UpsertStatement, list[Row]]], most_rows: int = MOST_ROWS, most_bytes: int = MOST_BYTES
) -> Iterator[Writes]:
    """The same rows in the same order, cut into parts; a row that is larger by itself is a part by itself."""
    part: Writes = []
    count = size = 0
    for statement, rows in writes:
        start = 0
        for index, row in enumerate(rows):
            weight = sum(len(value) for value in row if isinstance(value, (bytes, str)))
            if count and (count >= most_rows or size + weight > most_bytes):
                if start < index:
                    part.append((statement, rows[start:index]))
                yield part
                part, start, count, size = [], index, 0, 0
            count, size = count + 1, size + weight
        if start < len(rows):
            part.append((statement, rows[start:]))
    if part:
        yield part
