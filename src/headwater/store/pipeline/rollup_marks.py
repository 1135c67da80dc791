"""Position of the log up to which each tenant's derived tables are complete, so that a rollup takes only newer
events.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import sqlalchemy as sa

from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.tables import events, late_facts, rollup_marks

__all__ = ["RollupMarks", "forget_before_deletion", "forget_rollups", "settled_position"]

_RECENT = 5 * 60 * 1_000_000
"""How long an event may be in the log, or on its way into it, before its facts are all there; microseconds."""
_RECENT_IDS = 20_000


class RollupMarks:
    """The marks of one version of the definitions: rows that were worked out by others do not count."""

    def __init__(self, engine: sa.Engine, definitions: str) -> None:
        self._engine, self._definitions = engine, definitions

    def read(self) -> dict[int, int]:
        """By tenant, the id of the log up to which everything is in its derived tables."""
        query = sa.select(rollup_marks.c.tenant, rollup_marks.c.position)
        with self._engine.connect() as connection:
            found = connection.execute(query.where(rollup_marks.c.definitions == self._definitions))
            return {int(tenant): int(position) for tenant, position in found}

    def note(self, tenants: Collection[int], position: int) -> None:
        """The caller holds the derived tables of these tenants."""
        rows = [{"tenant": each, "position": position, "definitions": self._definitions} for each in sorted(tenants)]

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                _forget(connection, tenants)
                if rows:
                    connection.execute(rollup_marks.insert(), rows)

        retried(work)

    def advance(self, before: Mapping[int, int], position: int) -> None:
        """Advance marks that are unchanged: another process may have removed one meanwhile, for a reason."""
        mark = rollup_marks.c

        def work() -> None:
            with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
                for tenant, known in sorted(before.items()):
                    mine = (mark.tenant == tenant, mark.position == known, mark.definitions == self._definitions)
                    connection.execute(rollup_marks.update().where(*mine).values(position=max(known, position)))

        retried(work)


def forget_rollups(engine: sa.Engine, tenants: Collection[int]) -> None:
    """The graph of these tenants has changed in a way that the log does not show: compute their tables whole."""

    def work() -> None:
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            _forget(connection, tenants)

    retried(work)


def forget_before_deletion(engine: sa.Engine, tenant: int, before: int) -> None:
    """Of a tenant with events beyond its mark that are to be deleted from the log: they happened before that time."""
    mark = rollup_marks.c
    old = (events.c.tenant_id == tenant, events.c.event_time < before, events.c.id > mark.position)
    found = sa.exists().where(*old).correlate(rollup_marks)

    def work() -> None:
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(rollup_marks.delete().where(mark.tenant == tenant, found))

    retried(work)


def settled_position(engine: sa.Engine) -> int:
    """The id of the log up to which the facts of all events are in the graph, to the best of what is known.

    What came in just now may not be visible yet, though greater ids are. A job of the pipeline that has appended and
    not merged, or was cut off in between, has a note of where it began.
    """
    recent = sa.select(sa.func.min(events.c.id))
    begun = sa.select(sa.func.min(late_facts.c.first)).where(late_facts.c.last.is_(None))
    with engine.connect() as connection:
        newest = int(connection.execute(sa.select(sa.func.max(events.c.id))).scalar() or 0)
        since = database_time(connection) - _RECENT
        recent = recent.where(events.c.id > newest - _RECENT_IDS, events.c.received_at > since)
        first = [connection.execute(query).scalar() for query in (recent, begun)]
    return min([newest, *(int(each) - 1 for each in first if each is not None)])


def _forget(connection: sa.Connection, tenants: Collection[int]) -> None:
    for tenant in sorted(tenants):
        connection.execute(rollup_marks.delete().where(rollup_marks.c.tenant == tenant))
