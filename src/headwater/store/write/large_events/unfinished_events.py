"""Large events that are in the log, with part of their facts still missing in the graph.

Facts of such an event are written in many transactions. The first appends it to the log and notes here that it is
unfinished; the last removes the note. After a crash noted events are written again from the log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import sqlalchemy as sa

from headwater.store.dialects.failures import is_outage, retried
from headwater.store.engine import WRITING
from headwater.store.tables import unfinished_events as _notes
from headwater.store.write.upsert import Row

__all__ = ["Unfinished", "has_unfinished", "take_unfinished", "without_note"]

_log = logging.getLogger(__name__)
_MOST_ATTEMPTS = 3
"""After this many attempts, an event that ended its process each time is left alone."""


class Unfinished(NamedTuple):
    tenant: int
    time: int
    fingerprint: bytes

    def row(self) -> Row:
        return (*self, 0)


def has_unfinished(engine: sa.Engine) -> bool:
    with engine.connect() as connection:
        return connection.execute(sa.select(1).where(_notes.c.attempts < _MOST_ATTEMPTS).limit(1)).first() is not None


def take_unfinished(engine: sa.Engine, finish: Callable[[Unfinished], None]) -> int:
    """Finish every event that is noted, each after it was counted that this was tried. Gives how many they were."""
    query = sa.select(_notes.c.tenant, _notes.c.event_time, _notes.c.fingerprint).where(
        _notes.c.attempts < _MOST_ATTEMPTS
    )
    with engine.connect() as connection:
        found = [Unfinished(row[0], row[1], bytes(row[2])) for row in connection.execute(query)]
    for note in found:
        retried(partial(_count_attempt, engine, note))
        try:
            finish(note)
        except Exception as error:
            if is_outage(error):
                raise
            _log.exception("a large event could not be finished", extra={"fingerprint": note.fingerprint.hex()})
    return len(found)


def without_note(note: Unfinished) -> sa.Delete:
    """The statement that takes a note away."""
    return _notes.delete().where(*_is(note))


def _count_attempt(engine: sa.Engine, note: Unfinished) -> None:
    with engine.connect().execution_options(**WRITING) as connection, connection.begin():
        connection.execute(_notes.update().where(*_is(note)).values(attempts=_notes.c.attempts + 1))


def _is(note: Unfinished) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        _notes.c.tenant == note.tenant,
        _notes.c.event_time == note.time,
        _notes.c.fingerprint == note.fingerprint,
    )
