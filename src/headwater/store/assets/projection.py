"""Computes the asset-graph parts that are noted as changed, and updates the tables.

The new state of a part is computed from the facts and compared with the stored one; only differences are written. So
repetition and order do not matter. It runs while the server is idle, at the latest when a question needs it; with a
graph server, before an event is acknowledged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import sqlalchemy as sa
from msgspec import Struct

from headwater.deadline import check
from headwater.errors import HeadwaterError
from headwater.graph.annotations.by_hand import HandEdge
from headwater.graph.assets.asset import SEMANTIC, Owned
from headwater.graph.assets.assets import owned_assets
from headwater.graph.assets.statements import text_of_statement
from headwater.graph.catalog.facts import AssetState
from headwater.graph.catalog.names import AssetKind, Path, text_of
from headwater.graph.facts import Node, NodeKind, Shape, ShapeDataset, ShapeEdge, SqlText
from headwater.store.assets.emptied import emptied_places
from headwater.store.assets.pending import Touched, clear_assets, is_held
from headwater.store.assets.region import executions_of, facts_of_meaning, facts_of_tables
from headwater.store.assets.rows import NodeRow, Rows, id_of, key_of, rows_of
from headwater.store.assets.tables import asset_edges, asset_nodes, asset_pending
from headwater.store.assets.units import Units, dataset_of, namespace_texts, touched_units, with_all_names
from headwater.store.assets.write_rows import Beaten, RowWriter, lasting
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.read.reader import Reader
from headwater.store.tables import fact_tables

__all__ = ["Projection", "ProjectionBusy"]

_CHUNK = 256
"""Notes that are worked out together."""
_TRIES = 50
_ALL = (int(Touched.EVERYTHING), int(Touched.REBUILD))
_HELD = (int(Touched.OBJECT), int(Touched.CHANGE), *_ALL)
"""Notes that wait while a catalog is read as a whole; when that is done everything is noted."""


class _Difference(Struct):
    """New and stored state of a part of the graph."""

    wanted: Rows
    stored: Rows


class ProjectionBusy(HeadwaterError):
    """Other processes kept changing the same tenant's graph."""

    code = "projection_busy"


class Projection:
    """Brings the asset graph of tenants up to date. May be used from any thread and any number of processes."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing
        self._reader = Reader(reading)
        self._writer = RowWriter(writing)
        self._draining = threading.Lock()
        self._listener: Callable[[], None] | None = None

    def tell(self, listener: Callable[[], None]) -> None:
        """Call this after every change of a tenant's graph. It must neither wait nor raise."""
        self._listener = listener

    def waiting(self) -> list[int]:
        """Tenants with notes."""
        with self._reading.connect() as connection:
            return [row[0] for row in connection.execute(sa.select(asset_pending.c.tenant).distinct())]

    def count_waiting(self, tenant: int) -> int:
        query = sa.select(sa.func.count()).select_from(asset_pending).where(asset_pending.c.tenant == tenant)
        with self._reading.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def drain(self, tenant: int, most: int | None = None) -> int:
        """Compute the parts that a tenant's notes name, all or about this many; gives the number of notes."""
        drained = 0
        with self._draining:
            while most is None or drained < most:
                check()
                done = self._drain_chunk(tenant, _CHUNK if most is None else min(_CHUNK, most))
                if not done:
                    break
                drained += done
        return drained

    def _drain_chunk(self, tenant: int, size: int) -> int:
        for _ in range(_TRIES):
            generation = self._writer.generation(tenant)
            holds = is_held(self._reader, tenant)
            notes = self._notes(tenant, size, holds=holds)
            if not notes:
                return 0
            try:
                if any(kind in _ALL for _, kind, _ in notes):
                    clears = any(kind == Touched.REBUILD for _, kind, _ in notes)
                    done = [number for number, kind, _ in notes if kind in _ALL]
                    retried(partial(self._spread, tenant, generation, done, clears=clears))
                else:
                    self._work_out(tenant, generation, notes, holds=holds)
            except Beaten:
                continue
            return len(notes)
        raise ProjectionBusy(
            "The asset graph could not be brought up to date: other processes keep changing it.", hint="Ask again."
        )

    def _notes(self, tenant: int, size: int, *, holds: bool) -> list[tuple[int, int, bytes]]:
        query = (
            sa.select(asset_pending.c.id, asset_pending.c.kind, asset_pending.c.source)
            .where(asset_pending.c.tenant == tenant)
            .where(asset_pending.c.kind.not_in(_HELD) if holds else sa.true())
            .order_by(asset_pending.c.id)
            .limit(size)
        )
        with self._reading.connect() as connection:
            return [(row[0], row[1], row[2]) for row in connection.execute(query)]

    def _spread(self, tenant: int, generation: int, done: list[int], *, clears: bool) -> None:
        """A note about everything becomes one for each table, object and statement."""
        node, state, sql = fact_tables[Node], fact_tables[AssetState], fact_tables[SqlText]
        columns = ["tenant", "kind", "source"]
        parts = (
            sa.select(node.c.tenant, sa.literal(int(Touched.DATASET)), node.c.node).where(
                node.c.tenant == tenant, node.c.kind == int(NodeKind.DATASET)
            ),
            sa.select(state.c.tenant, sa.literal(int(Touched.OBJECT)), state.c.asset).where(state.c.tenant == tenant),
            sa.select(sql.c.tenant, sa.literal(int(Touched.STATEMENT)), sql.c.sql).where(sql.c.tenant == tenant),
        )
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            if clears:
                self._writer.take_turn(connection, tenant, generation)
                clear_assets(connection, tenant)
            for part in parts:
                connection.execute(asset_pending.insert().from_select(columns, part))
            connection.execute(
                asset_pending.delete().where(asset_pending.c.tenant == tenant, asset_pending.c.id.in_(done))
            )

    def _work_out(self, tenant: int, generation: int, notes: list[tuple[int, int, bytes]], *, holds: bool) -> None:
        units = touched_units(self._reader, tenant, [(kind, source) for _, kind, source in notes])
        differences: list[_Difference] = []
        if not units.is_empty():
            with_all_names(self._reader, tenant, units)
            if holds:
                units.datasets -= {dataset_of(path) for path in units.paths}
                units.paths = set()
            first = self._tables(tenant, units)
            differences.append(first)
            further = self._dependents(tenant, units, first)
            if not further.is_empty():
                with_all_names(self._reader, tenant, further)
                differences.append(self._tables(tenant, further))
            moved = units.paths and first.wanted.nodes.keys() != first.stored.nodes.keys()
            if units.semantic or units.renamed or moved:
                differences.append(self._meaning(tenant))
        changed = [(item.wanted, item.stored) for item in differences]
        done = [number for number, _, _ in notes]
        retried(partial(self._writer.write, tenant, generation, changed, done))
        if self._listener is not None:
            self._listener()

    def _tables(self, tenant: int, units: Units) -> _Difference:
        """Tables, statements, catalogs and schemas."""
        facts = facts_of_tables(self._reader, tenant, units)
        executions = executions_of(self._reading, tenant, units.statements)
        owners = self._owners(tenant, units, facts[Node])
        places = {id_of(text_of(kind, path)) for kind, path in units.places}
        found = list(owned_assets(lambda kind: facts.get(kind, ()), executions))
        implied = self._implied(tenant, found, owners | places)
        wanted = rows_of(item for item in found if id_of(item[0]) in owners | places | implied)
        stored = self._writer.stored(tenant, [key_of(owner) for owner in owners | places | implied])
        self._keep_with_children(tenant, places, wanted, stored)
        emptied = emptied_places(self._reading, self._writer, tenant, wanted, stored)
        stored.nodes.update(emptied.nodes)
        stored.edges.update(emptied.edges)
        return _Difference(wanted, stored)

    def _owners(self, tenant: int, units: Units, nodes: Iterable[Node]) -> set[str]:
        texts = namespace_texts(self._reader, tenant, nodes)
        owners = {
            id_of(f"{texts.get(node.namespace or b'', '')}:{node.name}")
            for node in nodes
            if node.node in units.datasets
        }
        owners |= {id_of(text_of(AssetKind.TABLE, path)) for path in units.paths}
        return owners | {text_of_statement(sql) for sql in units.statements}

    def _implied(self, tenant: int, found: Iterable[Owned], others: set[str]) -> set[str]:
        """Catalogs and schemas that are only there because a table is in them, and that are not stored yet."""
        found = list(found)
        outer = {asset["to"]: asset["from"] for _, asset in found if asset.get("edge") == "HAS_SCHEMA"}
        inner = {asset["from"] for owner, asset in found if asset.get("edge") == "HAS_TABLE" and id_of(owner) in others}
        around = inner | {outer[place] for place in inner if place in outer}
        named = {
            id_of(owner)
            for owner, asset in found
            if asset.get("asset") in ("Catalog", "Schema") and "createdAt" not in asset  # no catalog speaks of it
            if owner in around
        } - others
        keys = {key_of(owner): owner for owner in named}
        query = sa.select(asset_nodes.c.node).where(asset_nodes.c.tenant == tenant)
        known: set[str] = set()
        wanted = sorted(keys)
        with self._reading.connect() as connection:
            for start in range(0, len(wanted), 500):
                rows = connection.execute(query.where(asset_nodes.c.node.in_(wanted[start : start + 500])))
                known |= {keys[bytes(row[0])] for row in rows}
        return named - known

    def _keep_with_children(self, tenant: int, places: set[str], wanted: Rows, stored: Rows) -> None:
        """A catalog or schema that was dropped stays, bare, if there are tables in it that no catalog speaks of."""
        gone = [key for place in places if (key := key_of(place)) in stored.nodes and key not in wanted.nodes]
        if not gone:
            return
        gone.sort(
            key=lambda key: stored.nodes[key].label == "Catalog"
        )  # schemas first: one that stays keeps its catalog
        own = {key for key in stored.nodes if key not in wanted.nodes}
        query = sa.select(asset_edges.c.source, asset_edges.c.target).where(
            asset_edges.c.tenant == tenant, asset_edges.c.kind.in_(("HAS_TABLE", "HAS_SCHEMA"))
        )
        with self._reading.connect() as connection:
            for key in gone:
                rows = connection.execute(query.where(asset_edges.c.source == key)).all()
                if any(bytes(row.target) not in own for row in rows):
                    self._keep(key, wanted, stored)
                    own.discard(key)

    def _keep(self, key: bytes, wanted: Rows, stored: Rows) -> None:
        row = stored.nodes[key]
        name = row.id if row.label == "Catalog" else row.id.rpartition("/")[2]
        bare = rows_of([(row.id, {"asset": row.label, "id": row.id, "name": name})])
        wanted.nodes.update(bare.nodes)
        for place, edge in stored.edges.items():
            if edge.owner == row.owner and edge.target == key:
                wanted.edges[place] = edge

    def _dependents(self, tenant: int, units: Units, change: _Difference) -> Units:
        """Parts with edges to tables and columns that came, went or are called otherwise, if not worked out already.

        A table that its catalog speaks of for the first time takes over the edges of its locations.
        """
        before, after = change.stored.nodes, change.wanted.nodes
        gone = before.keys() - after.keys()
        if not units.datasets or not (units.renamed or gone or (units.paths and _is_other(units.paths, before, after))):
            return Units()
        by_hand = self._reader.facts(tenant, HandEdge, source=units.datasets)
        targets = {edge.target for edge in by_hand if edge.target is not None}
        parts = self._reader.facts(tenant, ShapeDataset, dataset=units.datasets)
        shapes = {part.shape for part in parts}
        if not shapes:
            return Units(datasets=targets - units.datasets)
        edges = self._reader.facts(tenant, ShapeEdge, shape=shapes)
        targets |= {edge.target for edge in edges if edge.source in units.datasets}
        headers = self._reader.facts(tenant, Shape, shape=shapes)
        statements = {header.sql for header in headers if header.sql is not None} - units.statements
        return Units(datasets=targets - units.datasets, statements=statements)

    def _meaning(self, tenant: int) -> _Difference:
        facts = facts_of_meaning(self._reader, tenant)
        found = owned_assets(lambda kind: facts.get(kind, ()), {})
        wanted = rows_of(item for item in found if item[0] == SEMANTIC)
        return _Difference(wanted, self._writer.stored(tenant, [key_of(SEMANTIC)]))


def _is_other(paths: Iterable[Path], before: Mapping[bytes, NodeRow], after: Mapping[bytes, NodeRow]) -> bool:
    """Whether a node is new, or a table has changed."""
    if after.keys() - before.keys():
        return True
    tables = [key_of(id_of(text_of(AssetKind.TABLE, path))) for path in paths]
    return any(table in after and lasting(after[table]) != lasting(before[table]) for table in tables)
