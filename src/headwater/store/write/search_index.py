"""Search index, updated without delaying writers.

A writer only notes names and shapes that may be new (`search_pending`), in the transaction that writes them: one
small row for each, and none for those it knows. Their postings are computed later: while the server is idle, and at
the latest when somebody searches, so that a search finds everything committed before. Sources with postings are
marked (`search_source`). All rows merge as facts do, so any number of processes may do it at once.
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from headwater.deadline import check, cut
from headwater.graph.fact import Fact
from headwater.graph.facts import Edit, Namespace, Node, SchemaVersion, Shape, ShapeDataset, SqlText
from headwater.graph.fold import Graph, fold_into
from headwater.graph.search.documents import SearchPending, SearchPosting, SearchSource, described, edited, named
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.read.reader import Reader
from headwater.store.tables import fact_tables
from headwater.store.write.upsert import Row, UpsertStatement, row_of, upsert_statement

__all__ = ["SearchIndex", "note_missing"]

_F = TypeVar("_F", bound=Fact)
_CHUNK = 100
"""Sources that are worked out together."""
_ROWS = 2_000
"""Rows in one transaction: writers to SQLite wait for it, and one event may have 100,000 words."""
_LOOK_AGAIN = 0.05
_SOURCES: tuple[type[Fact], ...] = (Namespace, Node, Shape, Edit)
"""Sources of documents; the key of each is the tenant and one id."""
_WRITTEN: tuple[type[Fact], ...] = (SearchPosting, SearchSource)
"""In the order in which everybody writes them."""


class SearchIndex:
    """Notes new names and shapes, and computes their postings later."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing
        self._facts = Reader(reading).facts
        self._draining: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)
        """By tenant: nobody waits for the words of another one."""
        kinds: tuple[type[Fact], ...] = (SearchPending, *_WRITTEN)
        self._upserts = {kind: upsert_statement(kind, writing.dialect) for kind in kinds}

    def notes(self, graph: Graph) -> list[tuple[UpsertStatement, list[Row]]]:
        """Notes to write beside these facts."""
        new = sorted(cast("tuple[int, bytes]", key) for kind in _SOURCES for key in graph.get(kind, ()))
        return [(self._upserts[SearchPending], list(new))] if new else []

    def waiting(self) -> list[int]:
        """Tenants with notes."""
        pending = fact_tables[SearchPending]
        with self._reading.connect() as connection:
            return [row[0] for row in connection.execute(sa.select(pending.c.tenant).distinct())]

    def drain(self, tenant: int, most: int | None = None, seconds: float = math.inf) -> int:
        """Compute postings of noted sources: all, about this many, or until the deadline.

        Gives the number of sources. Marks the answer as cut if the time was not enough.
        """
        ends, lock = time.monotonic() + seconds, self._draining[tenant]
        while not lock.acquire(
            timeout=_LOOK_AGAIN
        ):  # those that come meanwhile find it done, instead of doing the same
            check()
            if time.monotonic() > ends:
                cut()
                return 0
        try:
            return self._drain(tenant, most, ends)
        finally:
            lock.release()

    def _drain(self, tenant: int, most: int | None, ends: float) -> int:
        drained = 0
        pending = fact_tables[SearchPending]
        chunk = _CHUNK if most is None else min(_CHUNK, most)
        query = sa.select(pending.c.source).where(pending.c.tenant == tenant).order_by(pending.c.source).limit(chunk)
        while most is None or drained < most:
            check()
            with self._reading.connect() as connection:
                ids = [row[0] for row in connection.execute(query)]
            if not ids:
                break
            if time.monotonic() > ends:
                cut()
                break
            self._index(tenant, ids)
            drained += len(ids)
        return drained

    def catch_up(self, tenant: int) -> int:
        """The same for names and shapes without notes: those of an older version, or of a bulk load."""
        note_missing(self._reading, tenant)
        return self.drain(tenant)

    def _index(self, tenant: int, ids: list[bytes]) -> None:
        marks, pending = fact_tables[SearchSource], fact_tables[SearchPending]
        with self._reading.connect() as connection:
            marked = {
                row[0]
                for row in connection.execute(
                    sa.select(marks.c.source).where(marks.c.tenant == tenant, marks.c.source.in_(ids))
                )
            }
        found = self._postings(tenant, [source for source in ids if source not in marked])
        for kind in _WRITTEN:
            rows = [row_of(found[kind][key]) for key in sorted(found[kind])]
            for start in range(0, len(rows), _ROWS):
                check()
                retried(partial(self._write, [(self._upserts[kind], rows[start : start + _ROWS])], None))
        done = pending.delete().where(pending.c.tenant == tenant, pending.c.source.in_(ids))
        retried(partial(self._write, [], done))

    def _write(self, writes: list[tuple[UpsertStatement, list[Row]]], done: sa.Delete | None) -> None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            for statement, rows in writes:
                statement.run(connection, rows)
            if done is not None:
                connection.execute(done)

    def _postings(self, tenant: int, ids: list[bytes]) -> Graph:
        """Postings and marks of these sources, each once."""
        found: Graph = {SearchPosting: {}, SearchSource: {}}
        shapes, parts = self._facts(tenant, Shape, shape=ids), self._facts(tenant, ShapeDataset, shape=ids)
        schemas = _by_id(self._facts(tenant, SchemaVersion, schema={part.schema for part in parts if part.schema}))
        statements = _by_id(self._facts(tenant, SqlText, sql={shape.sql for shape in shapes if shape.sql}))
        by_shape: dict[bytes, list[ShapeDataset]] = {}
        for part in parts:
            by_shape.setdefault(part.shape, []).append(part)
        for kind, column in ((Namespace, "namespace"), (Node, "node")):
            for fact in self._facts(tenant, kind, **{column: ids}):
                fold_into(found, named(cast("Namespace | Node", fact)))
        for shape in shapes:
            fold_into(found, described(shape, by_shape.get(shape.shape, ()), schemas, statements))
        for edit in self._facts(tenant, Edit, edit=ids):
            fold_into(found, edited(edit))
        fold_into(found, (SearchSource(tenant, source) for source in ids))
        return found


def note_missing(engine: sa.Engine, tenant: int) -> None:
    """Note every name and shape without postings, after a write without `notes`.

    Only when all parts of the shapes are there: postings of half a shape would not be computed again.
    """
    retried(partial(_note_missing, engine, tenant))


def _note_missing(engine: sa.Engine, tenant: int) -> None:
    marks, pending = fact_tables[SearchSource], fact_tables[SearchPending]
    with engine.connect().execution_options(**WRITING) as connection, connection.begin():
        for kind in _SOURCES:
            table = fact_tables[kind]
            column = list(table.primary_key)[1]
            unknown = sa.select(table.c.tenant, column).where(
                table.c.tenant == tenant,
                ~sa.exists().where(marks.c.tenant == tenant, marks.c.source == column),
                ~sa.exists().where(pending.c.tenant == tenant, pending.c.source == column),
            )
            connection.execute(_unless_there(pending, engine.dialect.name).from_select(["tenant", "source"], unknown))


def _unless_there(table: sa.Table, dialect: str) -> sa.Insert:
    """Somebody else may note the same at the same time."""
    if dialect == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return table.insert().prefix_with("OR IGNORE" if dialect == "sqlite" else "IGNORE")


def _by_id(facts: Iterable[_F]) -> dict[bytes, _F]:
    return {fact.key()[1]: fact for fact in facts}
