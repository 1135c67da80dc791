"""The SQL store: one transaction appends events to the log and merges their facts into the graph."""

from __future__ import annotations

import time
from collections.abc import Sequence

import sqlalchemy as sa

from headwater.graph.fact import Fact
from headwater.graph.facts import FACTS, Declaration, Evidence, Run, RunShape, RunStatus, Shape
from headwater.graph.fold import Graph, fold_into
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.assets.late_events import LateEvents
from headwater.store.assets.pending import AssetNotes
from headwater.store.assets.projection import Projection
from headwater.store.cache.invalidation import changes_of, changes_of_shapes, prune_changes
from headwater.store.dialects.failures import retried
from headwater.store.dialects.mysql_packet import check_size, packet_size
from headwater.store.dialects.sqlite_statistics import guide_planner
from headwater.store.engine import WRITING, make_engine
from headwater.store.migrate import ensure_schema, schema_lock
from headwater.store.pipeline.late_facts import late_event
from headwater.store.read.reader import Reader
from headwater.store.tables import graph_changes, tenants, unfinished_events
from headwater.store.write.known_facts import Known
from headwater.store.write.large_events.slices import in_slices
from headwater.store.write.large_events.unfinished_events import Unfinished, take_unfinished, without_note
from headwater.store.write.log import Entry, Tenant, log_rows
from headwater.store.write.search_index import SearchIndex
from headwater.store.write.shape_pairs import PairWriter
from headwater.store.write.upsert import (
    Row,
    UpsertStatement,
    append_statement,
    insert_statement,
    row_function,
    upsert_statement,
)

__all__ = ["SqlStore"]

DEFAULT_TENANT = Tenant(1, "default", "Default")

_ORDER: tuple[type[Fact], ...] = (*(fact for fact in FACTS if fact is not Evidence), Evidence)
"""All runs of a job update one row of evidence. It is locked last, so that other writers wait for the commit only."""
_LAST: frozenset[type[Fact]] = frozenset((Run, RunShape, Shape, Declaration, Evidence))
"""Tables that make an event's other rows count; those of a large event are written last, in one transaction."""
_LONGEST_PAUSE = 0.1
"""Seconds that others have at most between two transactions of a large event."""
_FAILED = RunStatus.FAILED
_PRUNED = 1_000
"""Notes of changes after which old ones are removed."""


class SqlStore:
    """Writes. Reads of the same database are in `store/read/reader.py` and `store/read/dump.py`."""

    def __init__(self, url: str, *, statement_seconds: int | None = None) -> None:
        """`statement_seconds` bounds each statement that reads."""
        self.engine = make_engine(url, seconds=statement_seconds)
        self.known = Known()
        self._writing = make_engine(url, writes=True)
        self._packet: int | None = None
        dialect = self._writing.dialect
        self._append = append_statement(dialect)
        self._upserts: dict[type[Fact], UpsertStatement] = {fact: upsert_statement(fact, dialect) for fact in FACTS}
        self._note, self._noted = insert_statement(graph_changes, dialect), 0
        self._unfinished = insert_statement(unfinished_events, dialect)
        self._pairs = PairWriter(self._writing)
        self.search = SearchIndex(self.engine, self._writing)
        self._touched = AssetNotes(dialect)
        self._late = LateEvents(self.engine)
        self.projection = Projection(self.engine, self._writing)

    @property
    def engines(self) -> dict[str, sa.Engine]:
        """Engines by purpose."""
        return {"questions": self.engine, "writer": self._writing}

    def open(self) -> None:
        """Bring the tables up to date; the first start creates them, and the default tenant."""
        ensure_schema(self.engine)
        retried(self._ensure_default_tenant)
        if self.engine.dialect.name == "sqlite":
            retried(self._guide_planner)
        prune_changes(self.engine)
        self._packet = packet_size(self.engine)

    def attach(self) -> None:
        """Use tables that another process of this server has brought up to date."""
        self._packet = packet_size(self.engine)

    def _guide_planner(self) -> None:
        with self.engine.connect().execution_options(**WRITING) as connection, connection.begin():
            guide_planner(connection)
        self.engine.dispose()  # connections that are open already would plan without

    def close(self) -> None:
        self._writing.dispose()
        self.engine.dispose()

    def write(self, entries: Sequence[Entry]) -> int:
        """Append events and merge their facts, all or nothing. Gives the number of events that were new to the log."""
        retried(lambda: self._late.mark(entries))
        return retried(lambda: self._write(entries), on_lost=self.known.forget)

    def write_large(self, entry: Entry) -> int:
        """Append one event and merge its facts; many of them in short transactions with pauses in between.

        Until the last of them the event is noted as unfinished; `finish_events` continues after a crash.
        """
        note = Unfinished(entry.tenant.id, entry.event.time, entry.event.fingerprint)
        return self._write_slices(entry, log_rows([entry]), note)

    def finish_events(self) -> int:
        """Write the rest of unfinished large events; gives their number."""
        return take_unfinished(self._writing, self._finish)

    def _finish(self, note: Unfinished) -> None:
        logged = Reader(self.engine).event_by_stamp(*note)
        if logged is None:  # removed meanwhile
            retried(lambda: self._transact([], [], {}, [without_note(note)]))
            return
        event = decode_event(logged.body)
        entry = Entry(Tenant(note.tenant, "", ""), event, interpret(event, note.tenant), logged.received_at)
        self._write_slices(entry, [], note)

    def _write_slices(self, entry: Entry, log: list[Row], note: Unfinished) -> int:
        interpreted = entry.interpretation
        graph: Graph = {}
        new = self.known.new_facts(interpreted) if interpreted is not None else []
        fold_into(graph, new)
        bulk = {kind: table for kind, table in graph.items() if kind not in _LAST}
        rest = {kind: table for kind, table in graph.items() if kind in _LAST}
        first = [*self._fact_rows(bulk), *self.search.notes(bulk)]
        touched = self._touched.notes(graph, [interpreted] if interpreted is not None else ())
        last = [*self.search.notes(rest), *self._fact_rows(rest), *self._change_rows(graph)]
        if self._packet is not None:
            check_size([entry], [(self._append, log), *first, *last, *touched], self._packet)
        slices, assets = list(in_slices(first)), list(in_slices(touched))
        if len(slices) + len(assets) <= 2 and log:
            appended = self._attempt(log, [*first, *last, *touched], graph)
        else:
            appended = self._attempt(log, [(self._unfinished, [note.row()])], {})
            for part in slices:
                began = time.monotonic()
                self._attempt([], part, {})
                time.sleep(min(time.monotonic() - began, _LONGEST_PAUSE))
            self._attempt([], last, rest)
            for part in assets:  # after all facts, since the asset graph is read from them once this is noted
                self._attempt([], part, {})
            self._attempt([], [], {}, [without_note(note), late_event(*note)])
        if interpreted is not None:
            self.known.learn([interpreted], new)
        return appended if appended >= 0 else 1

    def _attempt(
        self,
        log: list[Row],
        facts: list[tuple[UpsertStatement, list[Row]]],
        graph: Graph,
        last: Sequence[sa.Executable] = (),
    ) -> int:
        return retried(lambda: self._transact(log, facts, graph, last), on_lost=self.known.forget)

    def merge(self, graph: Graph) -> None:
        """Merge folded facts, as a bulk load does; `search.catch_up` lets search know, after all of them."""
        rows = [*self._rows(graph), *self._touched.notes(graph)]
        retried(lambda: self._transact([], rows, graph))

    def probe(self) -> None:
        """Raise when the database does not take writes; changes nothing."""
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(tenants.update().where(tenants.c.id == DEFAULT_TENANT.id).values(id=tenants.c.id))

    def _write(self, entries: Sequence[Entry]) -> int:
        graph: Graph = {}
        interpreted = [entry.interpretation for entry in entries if entry.interpretation is not None]
        new = [fact for interpretation in interpreted for fact in self.known.new_facts(interpretation)]
        fold_into(graph, new)
        log = log_rows(entries)
        facts = [*self.search.notes(graph), *self._touched.notes(graph, interpreted), *self._rows(graph)]
        if self._packet is not None:
            check_size(entries, [(self._append, log), *facts], self._packet)
        appended = self._transact(log, facts, graph)
        self.known.learn(interpreted, new)
        if self._noted > _PRUNED:
            prune_changes(self._writing)
            self._noted = 0
        return appended if appended >= 0 else len(entries)

    def _rows(self, graph: Graph) -> list[tuple[UpsertStatement, list[Row]]]:
        return [*self._fact_rows(graph), *self._change_rows(graph)]

    def _fact_rows(self, graph: Graph) -> list[tuple[UpsertStatement, list[Row]]]:
        """Each fact once, tables and keys in one order everywhere: two writers cannot wait for each other in a ring."""
        written = []
        for fact in _ORDER:
            table = graph.get(fact)
            if table:
                row_of = row_function(fact)
                written.append((self._upserts[fact], [row_of(table[key]) for key in sorted(table)]))
        return written

    def _change_rows(self, graph: Graph) -> list[tuple[UpsertStatement, list[Row]]]:
        changes = changes_of(graph)
        self._noted += len(changes)
        return [(self._note, changes)] if changes else []

    def _transact(
        self,
        log: list[Row],
        facts: list[tuple[UpsertStatement, list[Row]]],
        graph: Graph,
        last: Sequence[sa.Executable] = (),
    ) -> int:
        evidence = self._upserts[Evidence]
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            # A database that reports no count for many rows at once answers -1.
            appended = self._append.run(connection, log) if log else 0
            for statement, rows in facts:
                if statement is not evidence:
                    statement.run(connection, rows)
            self._pair(connection, graph)
            for statement, rows in facts:
                if statement is evidence:
                    statement.run(connection, rows)
            for statement_of_end in last:
                connection.execute(statement_of_end)
        self._pairs.committed()
        return appended

    def _pair(self, connection: sa.Connection, graph: Graph) -> None:
        """Pair the shapes of the written runs, and note the changes for caches of the graph.

        A new pair is a new flow, and the flows of a failed run may no longer apply.
        """
        links = graph.get(RunShape)
        if not links:
            return
        row_of = row_function(RunShape)
        changed = self._pairs.write(connection, map(row_of, links.values()))
        failed: dict[int, set[bytes]] = {}
        for fact in graph.get(Run, {}).values():
            if isinstance(fact, Run) and fact.status == _FAILED:
                failed.setdefault(fact.tenant, set()).add(fact.run)
        for tenant, runs in failed.items():
            changed.setdefault(tenant, set()).update(self._pairs.shapes_of(connection, tenant, runs))
        notes = changes_of_shapes(changed)
        if notes:
            self._note.run(connection, notes)
            self._noted += len(notes)

    def _ensure_default_tenant(self) -> None:
        is_there = sa.select(tenants.c.id).where(tenants.c.id == DEFAULT_TENANT.id)
        with self.engine.connect() as connection:
            if connection.execute(is_there).first() is not None:
                return
        with schema_lock(self.engine), self.engine.connect().execution_options(**WRITING) as connection:
            if connection.execute(is_there).first() is None:
                values = {"code": DEFAULT_TENANT.code, "name": DEFAULT_TENANT.name, "state": DEFAULT_TENANT.state}
                connection.execute(tenants.insert(), {"id": DEFAULT_TENANT.id, **values})
                if connection.dialect.name == "postgresql":  # its sequence does not notice an id that was given
                    sequence = sa.func.pg_get_serial_sequence("tenant", "id")
                    connection.execute(
                        sa.select(sa.func.setval(sequence, sa.select(sa.func.max(tenants.c.id)).scalar_subquery()))
                    )
            connection.commit()
