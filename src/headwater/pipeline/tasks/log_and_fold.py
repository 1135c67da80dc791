"""Events of a task: into the log in portions, then into the fold.

An invalid event is refused by itself, and so is one that the store rejects: neither affects its neighbours or the next
attempt.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Generic, TypeVar

import sqlalchemy as sa

from headwater.errors import HeadwaterError
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.policy.apply import under_policy
from headwater.openlineage.policy.withheld import kept_form
from headwater.pipeline.errors import PipelineError, RefusedByStore
from headwater.pipeline.tasks.fold import Folding, may_write
from headwater.store.dialects.failures import TooLargeForStore, is_conflict, is_outage, reason_of
from headwater.store.write.bulk import BulkWriter, Key
from headwater.store.write.log import Entry, Tenant

__all__ = ["LogAndFold"]

_log = logging.getLogger(__name__)
_AT_ONCE = 4096
"""Events in one transaction of the log; up to twice as many if another task writes just then."""
_BYTES = 64 << 20

Origin = TypeVar("Origin")
Refuse = Callable[[Origin, HeadwaterError, bytes], None]


class LogAndFold(Generic[Origin]):
    """Takes the events of one task. A place identifies where an event came from."""

    def __init__(
        self,
        folding: Folding,
        writer: BulkWriter,
        refuse: Refuse[Origin],
        *,
        now: int | None = None,
        again: bool = False,
    ) -> None:
        """`now` is when the events come in. `again`: an attempt with the same time may have appended some of them."""
        self._folding, self._writer, self._refuse = folding, writer, refuse
        self._counted: set[Key] | None = set() if again else None
        self._waiting: list[tuple[Origin, Entry]] = []
        self._size = 0
        self._now = time.time_ns() // 1000 if now is None else now
        self.appended = 0

    def add(self, origin: Origin, tenant: Tenant, body: bytes, received_at: int | None = None) -> None:
        """Take one event; `received_at` if it came in long ago, as one that comes out of an archive."""
        try:
            event = under_policy(decode_event(body), tenant.facet_policy)
        except RefusedEvent as error:
            self._refuse(origin, *kept_form(error, body, tenant.facet_policy))
            return
        except Exception as error:  # noqa: BLE001 - a defect of ours must not hold up all that comes after
            _log.exception("an event could not be read")
            defect = PipelineError(f"A defect of Headwater: {error!r}.")
            self._refuse(origin, *kept_form(defect, body, tenant.facet_policy))
            return
        self._waiting.append((origin, Entry(tenant, event, None, self._now if received_at is None else received_at)))
        self._size += len(body)
        many = len(self._waiting)
        if self._size >= _BYTES or (many >= _AT_ONCE and may_write(self._writer, many, _AT_ONCE)):
            self.flush()

    def flush(self) -> None:
        """Write the pending events."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if waiting:
            self._append(waiting)

    def _append(self, waiting: list[tuple[Origin, Entry]]) -> None:
        try:
            entries = [entry for _, entry in waiting]
            self.appended += self._counting_again(entries, self._writer.append(entries))
        except (sa.exc.DBAPIError, TooLargeForStore) as error:
            if is_outage(error) or is_conflict(error):
                raise
            if len(waiting) == 1:
                self._refuse(waiting[0][0], _explained(error), waiting[0][1].event.body)
                return
            half = len(waiting) // 2
            self._append(waiting[:half])
            self._append(waiting[half:])
        else:
            for _, entry in waiting:
                self._folding.take(entry.tenant, entry.event)

    def _counting_again(self, entries: list[Entry], appended: int) -> int:
        """How many of these the log has from this task: from now, or from an attempt that was cut off."""
        if self._counted is None:
            return appended
        new = self._writer.appended_at(entries) - self._counted
        self._counted |= new
        return len(new)


def _explained(error: Exception) -> HeadwaterError:
    if isinstance(error, HeadwaterError):
        return error
    _log.error("the store refused an event: %s", reason_of(error))
    return RefusedByStore(f"The store did not take the event: {reason_of(error)}.")
