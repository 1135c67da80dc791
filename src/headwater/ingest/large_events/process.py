"""Process for large events, from bytes to commit.

Started by `large_events`. For each event it first reports the tenant, and continues when it is told to.
"""

from __future__ import annotations

import gc
import logging
import socket
import time
from typing import BinaryIO, cast

import sqlalchemy as sa

from headwater.access.identity import TenantIndex
from headwater.bounded_cache import BoundedCache
from headwater.child import receive, send, settings_of_parent
from headwater.errors import HeadwaterError
from headwater.ingest.large_events.messages import LargeEvent, LargeEventOutcome, Settled
from headwater.ingest.read_event import note_failure, read_event
from headwater.ingest.write_failures import explain, unavailable
from headwater.interpret.attempt import attempt
from headwater.interpret.describe import Description
from headwater.openlineage.event import Event
from headwater.settings import Settings
from headwater.store.dialects.failures import is_outage, reason_of
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Entry, Tenant

__all__ = ["main"]

_log = logging.getLogger(__name__)
_NICE = 5
"""Small events come first."""
_CACHE_BYTES = 48 << 20


class _Work:
    def __init__(self, store: SqlStore) -> None:
        self._store = store
        self._descriptions: BoundedCache[Description] = BoundedCache(_CACHE_BYTES)

    def write(self, event: Event, tenant: Tenant) -> LargeEventOutcome:
        interpretation = attempt(event, tenant.id, self._descriptions, note_failure)
        entry = Entry(tenant, event, interpretation, time.time_ns() // 1000)
        began = time.perf_counter()
        try:
            new = self._store.write_large(entry)
        except Exception as error:  # noqa: BLE001 - the process must outlive every failure
            return LargeEventOutcome(unavailable(error) if is_outage(error) else explain(entry, error))
        seconds = time.perf_counter() - began
        is_interpreted = interpretation is not None
        return LargeEventOutcome(None, new > 0, len(event.warnings), is_interpreted, seconds, event.policy_counts)


def _serve(settings: Settings, connection: socket.socket) -> None:
    store = SqlStore(settings.store_url)
    store.attach()
    work = _Work(store)
    gc.disable()
    with connection, cast("BinaryIO", connection.makefile("rwb")) as stream:
        _finish_events(store)
        send(stream, Settled())  # ready
        while (asked := receive(stream)) is not None:
            _answer(work, stream, asked)
            del asked
            gc.collect()
    store.close()


def _finish_events(store: SqlStore) -> None:
    """Finish events that the process before this one left unfinished."""
    try:
        finished = store.finish_events()
    except sa.exc.SQLAlchemyError as error:  # the next process tries again
        _log.warning("large events could not be finished", extra={"reason": reason_of(error)})
    else:
        if finished:
            _log.info("large events were finished", extra={"events": finished})


def _answer(work: _Work, stream: BinaryIO, asked: LargeEvent) -> None:
    try:
        event, tenant = read_event(asked.sender, asked.body, TenantIndex(asked.tenants))
    except HeadwaterError as refusal:
        send(stream, Settled(refusal=refusal))
        return
    send(stream, Settled(tenant))
    if receive(stream):
        send(stream, work.write(event, tenant))


def main() -> None:
    _serve(*settings_of_parent(_NICE))


if __name__ == "__main__":
    main()
