"""Background indexer: search postings, computed while the server is idle.

Search does not depend on it: a search computes the pending postings itself. The indexer keeps them few.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import sqlalchemy as sa

from headwater.background import Background
from headwater.errors import HeadwaterError
from headwater.store.dialects.failures import reason_of
from headwater.store.write.search_index import note_missing

__all__ = ["Drained", "Indexer"]

_log = logging.getLogger(__name__)
_SECONDS = 1.0
_WHILE_BUSY = 20
"""Sources indexed in one transaction while events come in; writers to SQLite wait that long at most."""
_SHARE_WHILE_BUSY = 0.02
"""Of a processor, at most, while events come in."""
_LONGEST_PAUSE = 8.0
"""Seconds between two steps while more comes in than it can work out: that has time until it is quieter."""


class Drained(Protocol):
    """Computed from facts after the commit: search, the asset graph."""

    def waiting(self) -> list[int]:
        """Tenants with pending work."""

    def drain(self, tenant: int, most: int | None = None) -> int:
        """Compute pending work, all or about this many; gives the number."""


class Indexer(Background):
    """At its start it looks for rows without a note."""

    def __init__(
        self,
        engine: sa.Engine,
        indexes: Sequence[Drained],
        tenants: Callable[[], Iterable[int]],
        written: Callable[[], int],
        seconds: float = _SECONDS,
    ) -> None:
        super().__init__("indexer")
        self._engine, self._indexes, self._tenants = engine, indexes, tenants
        self._written, self._seconds = written, seconds

    def _run(self) -> None:
        noted = False
        seen, pause, due = self._written(), self._seconds, 0.0
        while not self._ends.wait(self._seconds):
            now, began = self._written(), time.thread_time()
            is_idle, seen = now == seen, now
            if not is_idle and time.monotonic() < due:
                continue
            keeps_up = True
            try:
                if not noted and is_idle:
                    for tenant in self._tenants():
                        note_missing(self._engine, tenant)
                    noted = True
                keeps_up = self._drain(is_idle=is_idle)
            except HeadwaterError as error:  # a graph server that does not answer; it will be tried again
                _log.info("the asset graph is behind", extra={"reason": error.message})
            except sa.exc.SQLAlchemyError as error:  # it will be tried again; searching says so if it stays
                _log.warning("search could not be brought up to date", extra={"reason": reason_of(error)})
            worked = time.thread_time() - began
            pause = self._seconds if keeps_up else min(2 * pause, _LONGEST_PAUSE)
            due = time.monotonic() + max(pause, worked / _SHARE_WHILE_BUSY)

    def _drain(self, *, is_idle: bool) -> bool:
        """All that waits, as long as nobody writes; else a little of it. Whether nothing waits any more."""
        before = self._written()
        for index in self._indexes:
            for tenant in index.waiting():
                while not self._ends.is_set() and (drained := index.drain(tenant, _WHILE_BUSY)):
                    if not is_idle or self._written() != before:
                        return drained < _WHILE_BUSY
        return True
