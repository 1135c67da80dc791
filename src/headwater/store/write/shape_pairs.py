"""Keeps `shape_pair` up to date: in the transaction that writes `run_shape`, from all shapes of its runs.

Two writers of one run do not miss each other: both write the run's own row first, so the second one waits for the
commit of the first, and then sees its rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import sqlalchemy as sa

from headwater.bounded_cache import BoundedCache
from headwater.graph.current.shape_pairs import ShapeOfRun, by_run, is_wide, paired, through_run
from headwater.graph.fact import Fact
from headwater.graph.fact import Key as FactKey
from headwater.graph.facts import RunShape, ShapePair
from headwater.graph.fold import Graph, fold_into
from headwater.store.read.lookup import Lookup
from headwater.store.write.upsert import Row, UpsertStatement, row_of, upsert_statement

__all__ = ["PairWriter"]

_SHAPES_OF_RUNS = (
    "SELECT run, shape, first_seen, last_seen, sides FROM {table} "
    "WHERE tenant = ? AND run {{ids}} AND sides IS NOT NULL AND first_seen IS NOT NULL AND last_seen IS NOT NULL"
)
_IS_THERE = "SELECT 1 FROM shape_pair WHERE tenant = ? AND reader = ? AND writer = ?"
_NAMES = RunShape.__struct_fields__
_TENANT, _RUN, _SHAPE, _FIRST, _LAST, _SIDES = (
    _NAMES.index(name) for name in ("tenant", "run", "shape", "first_seen", "last_seen", "sides")
)
_REMEMBERED = 200_000


class PairWriter:
    """Writes the pairs of runs, for one engine. Its cache saves lookups and decides nothing."""

    def __init__(self, engine: sa.Engine, table: str = "run_shape", upsert: UpsertStatement | None = None) -> None:
        self._engine, self._shapes_of_runs = engine, _SHAPES_OF_RUNS.format(table=table)
        self._upsert = upsert or upsert_statement(ShapePair, engine.dialect)
        self._wide: BoundedCache[bool] = BoundedCache(_REMEMBERED)
        """Runs with too many shapes to pair each with each."""
        self._known: BoundedCache[bool] = BoundedCache(_REMEMBERED)
        """Pairs that are stored."""
        self._written: list[FactKey] = []

    def write(self, connection: sa.Connection, links: Iterable[Row]) -> dict[int, set[bytes]]:
        """Pair the shapes of the runs of these rows of `run_shape`; gives, by tenant, the shapes of pairs that are new.

        Call `committed` when the transaction is.
        """
        lookup, rows = Lookup(self._engine, connection), list(links)
        pairs = self._pairs(lookup, rows).get(ShapePair, {})
        runs = {row[_RUN] for row in rows}
        new: dict[int, set[bytes]] = {}
        self._written = [key for key in pairs if not self._known.get(key)]
        for key in self._written:
            if not lookup.all(_IS_THERE, *key):
                new.setdefault(key[0], set()).update(shape for shape in key[1:] if shape not in runs)
        self._upsert_all(connection, pairs)
        return new

    def committed(self) -> None:
        """Remember the pairs that were written."""
        for key in self._written:
            self._known.put(key, value=True)
        self._written = []

    def merge(self, connection: sa.Connection, links: Iterable[Row]) -> None:
        """As `write`, for callers that note a change of the whole graph afterwards."""
        self._upsert_all(connection, self._pairs(Lookup(self._engine, connection), links).get(ShapePair, {}))

    def shapes_of(self, connection: sa.Connection, tenant: int, runs: Collection[bytes]) -> set[bytes]:
        """All shapes of these runs that name data."""
        return {row[1] for row in Lookup(self._engine, connection).rows(self._shapes_of_runs, tenant, runs)}

    def _pairs(self, lookup: Lookup, links: Iterable[Row]) -> Graph:
        changed: dict[tuple[int, bytes], dict[bytes, ShapeOfRun]] = {}
        for row in links:
            if row[_SIDES] and row[_FIRST] is not None and row[_LAST] is not None:
                item = ShapeOfRun(row[_SHAPE], row[_FIRST], row[_LAST], int(row[_SIDES]))
                changed.setdefault((row[_TENANT], row[_RUN]), {})[item.shape] = item
        graph: Graph = {}
        asked: dict[int, set[bytes]] = {}
        for (tenant, run), items in changed.items():
            if self._wide.get((tenant, run)):
                fold_into(graph, through_run(tenant, run, items.values()))
            else:
                asked.setdefault(tenant, set()).add(run)
        for tenant, runs in asked.items():
            rows = [(row[0], row[1], row[2], row[3], row[4]) for row in lookup.rows(self._shapes_of_runs, tenant, runs)]
            for run, run_shapes in by_run(rows).items():
                wide = is_wide(run_shapes)
                if wide:
                    self._wide.put((tenant, run), value=True)
                if len(run_shapes) > 1:
                    fold_into(graph, paired(tenant, run, run_shapes, None if wide else changed[tenant, run]))
        return graph

    def _upsert_all(self, connection: sa.Connection, pairs: Mapping[FactKey, Fact]) -> None:
        if pairs:
            self._upsert.run(connection, [row_of(pairs[key]) for key in sorted(pairs)])
