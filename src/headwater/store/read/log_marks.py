"""What of the event log was there at a moment, so that whatever came into it later is found, and nothing else.

A server gives an id before the event is committed: a smaller id may appear after a greater one. So it is not enough to
know the last id. For each piece of the ids, their number and their sum are noted; where one of them differs later, the
piece is read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.read.log_ranges import LogRange
from headwater.store.tables import events

__all__ = ["LogMarks", "LogPiece", "log_marks", "new_pieces", "ranges_of"]

_PIECE = 500
"""Ids of one piece: few, since all of it is read again for one event that is new in it."""
_LONGEST = 20_000

LogPiece = tuple[int, int]
"""The first id of a piece, and the number of events in it."""


class LogMarks(Struct, frozen=True):
    """The pieces from `first` on: how many events, and the sum of their ids, by the first id of the piece."""

    first: int
    pieces: dict[int, tuple[int, int]]

    @property
    def end(self) -> int:
        """An id beyond all that are noted."""
        return max(self.pieces, default=self.first) + _PIECE


def log_marks(engine: sa.Engine, first: int = 0) -> LogMarks:
    """The events that are there now, of all tenants, from about this id on. An index has all that is asked for."""
    first -= first % _PIECE
    piece: sa.ColumnElement[Any] = events.c.id - events.c.id % _PIECE
    query = sa.select(piece, sa.func.count(), sa.func.sum(events.c.id)).where(events.c.id >= first).group_by(piece)
    with engine.connect() as connection:
        found = {int(start): (int(count), int(total)) for start, count, total in connection.execute(query)}
    return LogMarks(first, found)


def new_pieces(before: LogMarks, now: LogMarks) -> list[LogPiece]:
    """Pieces of which something is there now that was not there before; only those that both know.

    >>> new_pieces(LogMarks(0, {0: (2, 3), 500: (1, 501)}), LogMarks(0, {0: (2, 3), 500: (2, 1003), 1000: (1, 1000)}))
    [(500, 2), (1000, 1)]
    """
    first = max(before.first, now.first)
    changed = (start for start, mark in now.pieces.items() if start >= first and before.pieces.get(start) != mark)
    return [(start, now.pieces[start][0]) for start in sorted(changed)]


def ranges_of(pieces: Iterable[LogPiece], tenants: Sequence[int]) -> list[LogRange]:
    """Pieces as ranges to read; neighbours are joined.

    >>> [(each.start, each.end) for each in ranges_of([(0, 2), (500, 1), (2000, 7)], [1])]
    [(0, 1000), (2000, 2500)]
    """
    ranges: list[LogRange] = []
    for start, _ in pieces:
        last = ranges[-1] if ranges else None
        if last is not None and last.end == start and start - last.start < _LONGEST:
            ranges[-1] = LogRange(last.start, start + _PIECE, last.tenants)
        else:
            ranges.append(LogRange(start, start + _PIECE, tuple(tenants)))
    return ranges
