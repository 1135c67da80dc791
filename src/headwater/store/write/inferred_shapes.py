"""Inferred shapes, replaced by job. No event states them, so nothing is lost when they are removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import sqlalchemy as sa

from headwater.graph.fact import Fact
from headwater.graph.facts import Evidence, Shape, ShapeDataset, ShapeEdge
from headwater.graph.fold import Graph
from headwater.graph.rollup.totals import INFERRED
from headwater.store.cache.invalidation import note_change
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING, make_engine
from headwater.store.read.reader import Reader
from headwater.store.tables import fact_tables
from headwater.store.write.upsert import row_of, upsert_statement

__all__ = ["InferredStore"]

_KINDS: tuple[type[Fact], ...] = (Shape, ShapeDataset, ShapeEdge, Evidence)
_CHUNK = 400


class InferredStore:
    """Writes inferred shapes, and removes those that no longer follow."""

    def __init__(self, url: str) -> None:
        self._engine = make_engine(url, writes=True)
        self._reader = Reader(self._engine)
        self._upserts = {kind: upsert_statement(kind, self._engine.dialect) for kind in _KINDS}

    def close(self) -> None:
        self._engine.dispose()

    def replace(self, tenant: int, jobs: Collection[bytes], graph: Graph) -> tuple[int, int]:
        """Make these the inferred shapes of these jobs; gives how many were written and how many removed."""
        known = {shape.shape for shape in self._reader.facts(tenant, Shape, job=set(jobs)) if shape.origin == INFERRED}
        wanted = {key[1]: fact for key, fact in graph.get(Evidence, {}).items()}
        stored = {item.shape: item for item in self._reader.facts(tenant, Evidence, shape=known)}
        changed = {shape for shape, fact in wanted.items() if stored.get(shape) != fact}
        removed = known - set(wanted)
        if changed or removed:
            rows = {
                kind: [row_of(fact) for key, fact in sorted(graph.get(kind, {}).items()) if key[1] in changed]
                for kind in _KINDS
            }
            retried(lambda: self._write(tenant, sorted(removed | (changed & known)), rows))
        return len(changed), len(removed)

    def _write(self, tenant: int, gone: list[bytes], rows: dict[type[Fact], list[tuple[object, ...]]]) -> None:
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            for chunk in _chunks(gone):
                for kind in reversed(_KINDS):
                    table = fact_tables[kind]
                    connection.execute(sa.delete(table).where(table.c.tenant == tenant, table.c.shape.in_(chunk)))
            for kind in _KINDS:
                if rows[kind]:
                    self._upserts[kind].run(connection, rows[kind])
            note_change(connection, tenant, None)


def _chunks(shapes: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(shapes), _CHUNK):
        yield shapes[start : start + _CHUNK]
