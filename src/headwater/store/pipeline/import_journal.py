"""Which parts of its sources an import has done: in the store, so that it can go on from another machine."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import sqlalchemy as sa

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.tables import pipeline_splits

__all__ = ["ImportJournal"]

_SIZE = bytes(16)
"""The row that has the size of the splits: of another size they would be other splits."""
_KEPT = 90 * 86_400 * 1_000_000
"""After so long nobody goes on with an import; microseconds."""


class ImportJournal:
    """The journal of one import. `source` is a digest of the imported paths, 16 bytes."""

    def __init__(self, engine: sa.Engine, source: bytes) -> None:
        self._engine, self._source, self._lock = engine, source, threading.Lock()

    @property
    def name(self) -> str:
        return self._source.hex()

    def read(self) -> tuple[int | None, dict[bytes, int]]:
        """The size of the splits, None if nothing is noted; and the lines of those that are done, by their digests."""
        query = sa.select(pipeline_splits.c.split, pipeline_splits.c.lines)
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(pipeline_splits.c.source == self._source)).all()
        lines = {bytes(split): int(count) for split, count in rows}
        return lines.pop(_SIZE, None), lines

    def begin(self, split_bytes: int) -> None:
        """Note the size of the splits, and forget imports that nobody will go on with."""
        self.add({_SIZE: split_bytes})

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                old = pipeline_splits.c.noted_at < database_time(connection) - _KEPT
                connection.execute(pipeline_splits.delete().where(old))

        retried(work)

    def add(self, lines: Mapping[bytes, int]) -> None:
        """Note splits that are done, with the number of their lines."""

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                now = database_time(connection)
                mine = (pipeline_splits.c.source == self._source, pipeline_splits.c.split.in_(list(lines)))
                connection.execute(pipeline_splits.delete().where(*mine))
                rows = [
                    {"source": self._source, "split": split, "lines": count, "noted_at": now}
                    for split, count in sorted(lines.items())
                ]
                connection.execute(pipeline_splits.insert(), rows)

        if lines:
            with self._lock:  # parts of an import end in threads of their own
                retried(work)

    def forget(self) -> None:
        """The import is done, or is to begin anew."""

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                connection.execute(pipeline_splits.delete().where(pipeline_splits.c.source == self._source))

        retried(work)
