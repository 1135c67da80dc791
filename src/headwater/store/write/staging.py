"""A graph built aside and swapped in: readers see the old one until they see the new one, never half of either."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import sqlalchemy as sa

from headwater.graph.annotations.notes import PERSON
from headwater.graph.fact import Fact
from headwater.graph.facts import STORED, RunShape, Shape, ShapePair
from headwater.graph.fold import Graph, fold
from headwater.store.cache.invalidation import note_change
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING, is_free, make_engine
from headwater.store.tables import fact_tables, stored_columns
from headwater.store.write.bulk import merge_rows
from headwater.store.write.differing_keys import DifferingKeys
from headwater.store.write.shape_pairs import PairWriter
from headwater.store.write.upsert import Row, row_of, upsert_statement

__all__ = ["StagedGraph", "StagingWriter"]

_OWN_ORIGINS = ("openlineage", PERSON)
"""Origins from the log. Shapes of other origins were inferred or entered otherwise, and stay."""


def _staged(name: str) -> dict[type[Fact], sa.Table]:
    """Tables like those of the facts, with other names and without their indexes."""
    aside = sa.MetaData()
    tables = {}
    for fact in STORED:
        table = fact_tables[fact]
        columns = [
            sa.Column(column.name, column.type, primary_key=column.primary_key, nullable=column.nullable)
            for column in stored_columns(table)
        ]
        tables[fact] = sa.Table(
            f"{name}_{table.name}", aside, *columns, sqlite_with_rowid=False, mysql_charset="utf8mb4"
        )
    return tables


class StagingWriter:
    """Merges rows into the staged tables; like `BulkWriter`, for one task."""

    def __init__(self, url: str, name: str) -> None:
        self._engine = make_engine(url, writes=True)
        tables = _staged(name)
        self._upserts = {fact: upsert_statement(fact, self._engine.dialect, tables[fact]) for fact in STORED}
        self._pairs = PairWriter(self._engine, tables[RunShape].name, self._upserts[ShapePair])

    def merge(self, facts: Mapping[type[Fact], Sequence[Row]]) -> None:
        retried(lambda: merge_rows(self._engine, self._upserts, self._pairs, facts))

    def is_free(self) -> bool:
        return is_free(self._engine)

    def close(self) -> None:
        self._engine.dispose()


class StagedGraph:
    """The staged tables of one replay."""

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self._engine, self._name, self._tables = engine, name, _staged(name)

    @contextmanager
    def open(self) -> Iterator[None]:
        """Make the tables, and take them away again whatever happens."""
        metadata = self._tables[Shape].metadata
        metadata.drop_all(self._engine)
        metadata.create_all(self._engine)
        try:
            yield
        finally:
            metadata.drop_all(self._engine)

    def swap(self, tenant: int, late: Callable[[], Iterable[Fact]], confirm: Callable[[sa.Connection], None]) -> None:
        """Replace a tenant's graph by the staged one, in one transaction.

        Differences are found before: the transaction takes as long as there are differences, however large the graph
        is, and holds up nobody who writes anything else. `confirm` raises, within it, if another job may hold the
        graph by now; nothing is changed then.

        `late` gives the facts of events that were not read when the graph was built. It is called when the wrong rows
        are gone: an event whose facts were among those is in the log by then, and one that commits later merges into
        the new rows. A row that was right when it was compared may have been merged with such an event since, and
        stays.
        """
        writer = make_engine(self._engine.url.render_as_string(hide_password=False), writes=True)
        upserts = {fact: upsert_statement(fact, writer.dialect) for fact in STORED}
        pairs, differing = PairWriter(writer), DifferingKeys(writer, self._name, self._tables)

        def work() -> None:
            with writer.connect().execution_options(**WRITING) as connection, connection.begin():
                confirm(connection)
                for fact in STORED:
                    differing.replace(connection, fact, tenant)
                graph: Graph = fold(late())
                for fact in STORED:
                    if graph.get(fact):
                        upserts[fact].run(connection, [row_of(graph[fact][key]) for key in sorted(graph[fact])])
                pairs.merge(connection, map(row_of, graph.get(RunShape, {}).values()))
                note_change(connection, tenant, None)
                confirm(connection)

        try:
            retried(lambda: self._keep_others(writer, tenant, confirm))
            with differing.found(tenant):
                retried(work)
        finally:
            writer.dispose()

    def _keep_others(self, writer: sa.Engine, tenant: int, confirm: Callable[[sa.Connection], None]) -> None:
        """Shapes that no event states, such as those read from SQL, and all that hangs on them."""
        shape = fact_tables[Shape]
        others = sa.select(shape.c.shape).where(shape.c.tenant == tenant, shape.c.origin.not_in(_OWN_ORIGINS))
        with writer.connect().execution_options(**WRITING) as connection, connection.begin():
            confirm(connection)  # who takes over drops the staged tables
            for fact in STORED:
                live, staged = fact_tables[fact], self._tables[fact]
                if "shape" not in live.c:
                    continue
                connection.execute(
                    staged.delete().where(staged.c.tenant == tenant, staged.c.shape.in_(others))
                )  # from an attempt that was undone
                names = [column.name for column in stored_columns(live)]
                kept = sa.select(*stored_columns(live)).where(live.c.tenant == tenant, live.c.shape.in_(others))
                connection.execute(staged.insert().from_select(names, kept))
