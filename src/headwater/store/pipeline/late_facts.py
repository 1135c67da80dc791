"""Events in the log whose facts come into the graph later: jobs of the pipeline append first and merge afterwards.

A follower of the log may pass such an event before its facts are there. So a job notes the ids once the facts are
there, and the follower reads these events again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING, make_engine
from headwater.store.tables import events, late_facts

__all__ = ["LateFacts", "LateRange", "forget_late", "late_event", "late_ranges", "opened_late_facts"]

_MOST = 1_000
"""Ranges that wait. Where nobody follows the log, they become one."""
_NEVER = 1 << 62
"""An id that no event has."""
_KEPT = 90 * 86_400 * 1_000_000
"""After so long nobody goes on with a job that was cut off; microseconds."""


class LateRange(Struct, frozen=True):
    """Ids of the log, both ends included, with the number of the row that has them."""

    row: int
    first: int
    last: int


class LateFacts:
    """Notes of one job. `owner` names it, so that it finds its own notes again after an interruption."""

    def __init__(self, engine: sa.Engine, owner: str | None) -> None:
        self._engine, self._owner = engine, owner
        self._first, self._is_resumed, self._has_told = 0, False, False

    def begin(self) -> None:
        """Before the first event is appended: note from which id on, unless that is known from an attempt before."""

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                began = connection.execute(sa.select(sa.func.min(late_facts.c.first)).where(*self._mine)).scalar()
                self._is_resumed = began is not None
                self._first = _newest(connection) + 1 if began is None else int(began)
                if self._owner is None or self._is_resumed:
                    return
                now = database_time(connection)
                old = sa.and_(late_facts.c.last.is_(None), late_facts.c.noted_at < now - _KEPT)
                connection.execute(late_facts.delete().where(old))
                row = {"owner": self._owner, "first": self._first, "last": None, "noted_at": now}
                connection.execute(late_facts.insert(), row)

        retried(work)

    def newest(self) -> int:
        """The greatest id of the log."""
        with self._engine.connect() as connection:
            return _newest(connection)

    def merged(self, after: int) -> None:
        """Note that the facts of events with ids above this one are in the graph."""
        if self._is_resumed:
            return  # of what the attempt before appended, other parts may have the facts: told at the end
        retried(lambda: self._note(after + 1, is_over=False))
        self._has_told = True

    def end(self) -> None:
        """The facts of everything that this job appended are in the graph."""
        retried(lambda: self._note(_NEVER if self._has_told else self._first, is_over=True))

    @property
    def _mine(self) -> Sequence[sa.ColumnElement[bool]]:
        return late_facts.c.last.is_(None), late_facts.c.owner == self._owner

    def _note(self, first: int, *, is_over: bool) -> None:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            last = _newest(connection)
            if is_over:
                connection.execute(late_facts.delete().where(*self._mine))
            if last >= first:
                row = {"owner": self._owner, "first": first, "last": last, "noted_at": database_time(connection)}
                connection.execute(late_facts.insert(), row)
                _join(connection)


@contextmanager
def opened_late_facts(url: str, owner: str | None) -> Iterator[LateFacts]:
    """Notes of a job for as long as it runs. One that fails leaves behind where it began."""
    engine = make_engine(url)
    try:
        late = LateFacts(engine, owner)
        late.begin()
        yield late
        late.end()
    finally:
        engine.dispose()


def late_event(tenant: int, time: int, fingerprint: bytes) -> sa.Insert:
    """The statement that notes one event, whose facts were written in transactions after its own."""
    mine = (events.c.tenant_id == tenant, events.c.event_time == time, events.c.fingerprint == fingerprint)
    chosen = sa.select(events.c.id, events.c.id, sa.literal_column("0")).where(*mine)
    return late_facts.insert().from_select(["first", "last", "noted_at"], chosen)


def late_ranges(connection: sa.Connection) -> list[LateRange]:
    """Ranges to read again, in the order of their notes."""
    columns = (late_facts.c.id, late_facts.c.first, late_facts.c.last)
    query = sa.select(*columns).where(late_facts.c.last.isnot(None)).order_by(late_facts.c.id).limit(_MOST)
    return [LateRange(*row) for row in connection.execute(query)]


def forget_late(engine: sa.Engine, done: Iterable[LateRange]) -> None:
    """Remove ranges that were read: whole rows, or the beginning of a long one."""

    def work() -> None:
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            for part in done:
                mine = (late_facts.c.id == part.row, late_facts.c.first >= part.first, late_facts.c.first <= part.last)
                connection.execute(late_facts.delete().where(*mine, late_facts.c.last <= part.last))
                connection.execute(late_facts.update().where(*mine).values(first=part.last + 1))

    retried(work)


def _newest(connection: sa.Connection) -> int:
    return int(connection.execute(sa.select(sa.func.max(events.c.id))).scalar() or 0)


def _join(connection: sa.Connection) -> None:
    """Keep the number of rows bounded: one for all, rather than none for some."""
    noted = late_facts.c.last.isnot(None)
    columns = (sa.func.count(), sa.func.max(late_facts.c.id), sa.func.min(late_facts.c.first))
    count, newest, first = connection.execute(sa.select(*columns).where(noted)).one()
    if count > _MOST:
        connection.execute(late_facts.delete().where(noted, late_facts.c.id < newest))
        connection.execute(late_facts.update().where(late_facts.c.id == newest).values(first=first))
