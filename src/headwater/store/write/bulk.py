"""Bulk writes: many rows of the log, or many folded facts, in transactions of their own.

Safe beside a server that writes single events, and beside other bulk writes: rows merge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from headwater.graph.fact import Fact
from headwater.graph.facts import FACTS, RunShape
from headwater.store.dialects.failures import retried
from headwater.store.dialects.mysql_packet import check_size, packet_size
from headwater.store.engine import WRITING, is_free, make_engine
from headwater.store.tables import events
from headwater.store.write.log import Entry, log_rows
from headwater.store.write.shape_pairs import PairWriter
from headwater.store.write.upsert import Row, UpsertStatement, append_statement, upsert_statement

__all__ = ["BulkWriter", "Key", "merge_rows"]

_AT_ONCE = 400
Key = tuple[int, int, bytes]
"""Tenant, time and fingerprint of an event."""
_ENDLESS = 1 << 62
"""Of a database that does not limit its statements."""


class BulkWriter:
    """One connection to a store, for one task."""

    def __init__(self, url: str) -> None:
        self._engine = make_engine(url, writes=True)
        dialect = self._engine.dialect
        self._append = append_statement(dialect)
        self._packet: int | None = None
        self._upserts: dict[type[Fact], UpsertStatement] = {fact: upsert_statement(fact, dialect) for fact in FACTS}
        self._pairs = PairWriter(self._engine)

    def append(self, entries: Sequence[Entry]) -> int:
        """Append events to the log, each once; gives the number of new ones, -1 if the database does not report it."""
        rows = log_rows(entries)
        if self._packet is None:
            self._packet = packet_size(self._engine) or _ENDLESS
        check_size(entries, [(self._append, rows)], self._packet)
        return retried(lambda: self._run(self._append, rows))

    def appended_at(self, entries: Sequence[Entry]) -> set[Key]:
        """Those of these events that the log has with the very time of receipt that they have here."""
        found: set[Key] = set()
        times = {(entry.tenant.id, entry.event.time, entry.event.fingerprint): entry.received_at for entry in entries}
        ordered = sorted(times)
        names = ("tenant_id", "event_time", "fingerprint", "received_at")
        for start in range(0, len(ordered), _AT_ONCE):
            chunk = ordered[start : start + _AT_ONCE]
            query = sa.select(*(events.c[name] for name in names)).where(
                events.c.tenant_id.in_({key[0] for key in chunk}),
                events.c.event_time.in_({key[1] for key in chunk}),
                events.c.fingerprint.in_([key[2] for key in chunk]),
            )
            with self._engine.connect() as connection:
                for tenant, time, mark, received_at in connection.execute(query):
                    key = (tenant, time, bytes(mark))
                    if times.get(key) == received_at:
                        found.add(key)
        return found

    def merge(self, facts: Mapping[type[Fact], Sequence[Row]]) -> None:
        """Merge rows of tables of facts in one transaction.

        Rows are sorted by key, and tables taken in one order, so that two writers cannot wait for each other in a ring.
        """
        retried(lambda: merge_rows(self._engine, self._upserts, self._pairs, facts))

    def is_free(self) -> bool:
        """Whether nobody else keeps us from writing just now."""
        return is_free(self._engine)

    def close(self) -> None:
        self._engine.dispose()

    def _run(self, statement: UpsertStatement, rows: Sequence[Row]) -> int:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            return statement.run(connection, rows)


def merge_rows(
    engine: sa.Engine,
    upserts: Mapping[type[Fact], UpsertStatement],
    pairs: PairWriter,
    facts: Mapping[type[Fact], Sequence[Row]],
) -> None:
    """One transaction, tables in their order; then the shape pairs of the runs."""
    with engine.connect().execution_options(**WRITING) as connection, connection.begin():
        for kind, statement in upserts.items():
            if kind in facts:
                statement.run(connection, facts[kind])
        pairs.merge(connection, facts.get(RunShape, ()))
