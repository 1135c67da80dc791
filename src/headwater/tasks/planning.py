"""Turns notes into tasks after the commit, a bounded number of them at a time, tenants in turn."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import sqlalchemy as sa

from headwater.store.dialects.failures import StoreUnavailable
from headwater.store.tasks.delivered import DeliveredNotes
from headwater.store.tasks.notes import StoredNote, TaskNotes
from headwater.store.tasks.records import NewTask
from headwater.store.tasks.task_store import Added, TaskStore
from headwater.store.write.log import Tenant
from headwater.tasks.halving import describe
from headwater.tasks.handler import Planner

__all__ = ["Planning"]

_log = logging.getLogger(__name__)


class Planning:
    """Plans tasks from notes, one chunk of each tenant a round."""

    def __init__(
        self, planner: Planner, notes: TaskNotes, delivered: DeliveredNotes, store: TaskStore, size: int
    ) -> None:
        self._planner, self._notes, self._delivered = planner, notes, delivered
        self._store, self._size = store, size

    def plan(self, tenants: Callable[[int], Tenant | None], push: Callable[[Tenant, Sequence[Added]], None]) -> bool:
        """Plan one chunk of each tenant; gives whether there may be more."""
        has_more = False
        for number in self._notes.waiting():
            notes = self._delivered.of(number, self._notes.first(number, self._size))
            tenant = tenants(number)
            if tenant is None:
                self._notes.remove(number, [note.id for note in notes])
            else:
                for planned, ids in self._planned(tenant, notes):
                    push(tenant, self._store.add(tenant, planned, ids))
            has_more |= len(notes) >= self._size
        return has_more

    def _planned(self, tenant: Tenant, notes: Sequence[StoredNote]) -> list[tuple[list[NewTask], list[int]]]:
        """Tasks, and the notes that they come from. A note that leads to no task is removed, with a line in the log."""
        ids = [note.id for note in notes]
        try:
            return [(self._planner.plan(tenant, list(dict.fromkeys(note.note for note in notes))), ids)]
        except (sa.exc.SQLAlchemyError, StoreUnavailable):
            raise  # the notes stay
        except Exception as error:  # noqa: BLE001 - one bad node must not keep the others of its tenant waiting
            if len(notes) > 1:
                middle = len(notes) // 2
                return [*self._planned(tenant, notes[:middle]), *self._planned(tenant, notes[middle:])]
            extra = {"tenant": tenant.code, "node": notes[0].note.node.hex(), "reason": describe(error)[1]}
            _log.error("no task could be planned for a node", extra=extra)
            return [([], ids)]
