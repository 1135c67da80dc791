"""Notes whose nodes a graph server has got: a task is made only of what is in the log and in the graph."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from headwater.store.assets.tables import asset_outbox, graph_servers
from headwater.store.tasks.notes import StoredNote

__all__ = ["DeliveredNotes"]

_MOST_TENANTS = 10_000


class DeliveredNotes:
    """Tells which notes may lead to tasks. A note and what the server is to be told are written in one transaction.

    Notes are seen first, then the last number that waits for the server: once all up to that number is delivered, the
    notes are free. So a tenant whose changes never cease is not kept waiting for ever. Used by one thread.
    """

    def __init__(self, reading: sa.Engine) -> None:
        self._reading = reading
        self._marks: dict[int, tuple[int, int]] = {}
        """By tenant: the last note seen, and the last number that waited for the server then."""

    def of(self, tenant: int, notes: Sequence[StoredNote]) -> list[StoredNote]:
        """Those of these notes, oldest first, of which the graph server knows; all where there is none."""
        if not notes:
            return []
        waiting = self._waiting(tenant)
        if waiting is None:
            self._marks.pop(tenant, None)
            return list(notes)
        oldest, newest = waiting
        last_note, last_number = self._marks.get(tenant, (0, -1))
        if oldest <= last_number:
            return []
        if tenant not in self._marks and len(self._marks) >= _MOST_TENANTS:
            self._marks.clear()
        self._marks[tenant] = notes[-1].id, newest
        return [note for note in notes if note.id <= last_note]

    def _waiting(self, tenant: int) -> tuple[int, int] | None:
        """The first and the last number that waits for the server; None if nothing does."""
        number = asset_outbox.c.number
        query = sa.select(sa.func.min(number), sa.func.max(number)).where(asset_outbox.c.tenant == tenant)
        with self._reading.connect() as connection:
            if connection.execute(sa.select(graph_servers.c.name)).first() is None:
                return None
            row = connection.execute(query).one()
        return None if row[0] is None else (row[0], row[1])
