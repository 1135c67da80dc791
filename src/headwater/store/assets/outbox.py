"""Brings a graph server up to date with the tables of the asset graph.

The outbox only names nodes and edges; their values are in the tables. So a delivery may be repeated or come in another
order, and what could not be delivered is still there when the server answers again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from functools import partial

import sqlalchemy as sa

from headwater.deadline import check
from headwater.store.access.tenants import Tenants
from headwater.store.assets.neo4j.graph import EdgeKey, Neo4jAssetGraph
from headwater.store.assets.rows import key_of
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.assets.tables import asset_edges, asset_generations, asset_nodes, asset_outbox, graph_servers
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.models.attached import AttachedResults
from headwater.store.write.log import Tenant

__all__ = ["GraphOutbox", "note_for_server"]

_CHUNK = 5_000
_TRIES = 20
_NAME = "neo4j"
_COLUMNS = ["tenant", "source", "kind", "target"]


class GraphOutbox:
    """Delivers the nodes and edges of the outbox. Safe to use from many threads and processes."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine, graph: Neo4jAssetGraph) -> None:
        self._reading, self._writing, self.graph = reading, writing, graph
        self._tables = SqlAssetGraph(reading)
        self._tenants = Tenants(reading)
        self._results = AttachedResults(reading)
        self._delivering = threading.Lock()
        self._is_migrated = False

    def open(self) -> None:
        """Begin to note changes; the first time also everything that exists."""
        with self._reading.connect() as connection:
            if connection.execute(sa.select(graph_servers.c.name)).first() is not None:
                return
        retried(self._begin)

    def _begin(self) -> None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            connection.execute(graph_servers.insert(), {"name": _NAME, "since": time.time_ns() // 1000})
            _note_everything(connection, None)

    def waiting(self) -> list[int]:
        """Tenants with undelivered changes."""
        with self._reading.connect() as connection:
            return [row[0] for row in connection.execute(sa.select(asset_outbox.c.tenant).distinct())]

    def drain(self, tenant: int, most: int | None = None) -> int:
        """Deliver a tenant's changes, all or about this many; gives their number."""
        delivered = 0
        with self._delivering:
            if not self._is_migrated and self._waits(tenant):
                self.graph.server.migrate()
                self._is_migrated = True
            while most is None or delivered < most:
                check()
                done = self._deliver(tenant)
                if not done:
                    break
                delivered += done
        return delivered

    def _waits(self, tenant: int) -> bool:
        query = sa.select(asset_outbox.c.number).where(asset_outbox.c.tenant == tenant).limit(1)
        with self._reading.connect() as connection:
            return connection.execute(query).first() is not None

    def _deliver(self, tenant: int) -> int:
        query = (
            sa.select(asset_outbox.c.number, asset_outbox.c.source, asset_outbox.c.kind, asset_outbox.c.target)
            .where(asset_outbox.c.tenant == tenant)
            .order_by(asset_outbox.c.number)
            .limit(_CHUNK)
        )
        with self._reading.connect() as connection:
            rows = connection.execute(query).all()
        if not rows:
            return 0
        root = next((item for item in self._tenants.list(tenant)), None) or Tenant(tenant, str(tenant), str(tenant))
        nodes = {row.source for row in rows if not row.kind}
        edges = {(row.source, row.kind, row.target) for row in rows if row.kind}
        for _ in range(_TRIES):  # until nobody has changed the graph between the look at it and the end of the write
            generation = self._generation(tenant)
            self._apply(root, nodes, edges)
            if self._generation(tenant) == generation:
                break
        retried(partial(self._remove, tenant, [row.number for row in rows]))
        return len(rows)

    def _apply(self, root: Tenant, nodes: set[str], edges: set[EdgeKey]) -> None:
        found = self._tables.get(root.id, nodes)
        there = self._tables.exact_edges(root.id, edges)
        known = {(edge.source, edge.kind, edge.target) for edge in there}
        keys = {key_of(node.id): node.id for node in found}
        results = {keys[key]: told for key, told in self._results.of_nodes(root.id, keys).items()}
        self.graph.apply(root, found, there, nodes - {node.id for node in found}, edges - known, results)

    def _generation(self, tenant: int) -> int:
        query = sa.select(asset_generations.c.generation).where(asset_generations.c.tenant == tenant)
        with self._reading.connect() as connection:
            return connection.execute(query).scalar() or 0

    def _remove(self, tenant: int, numbers: list[int]) -> None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            for start in range(0, len(numbers), 500):
                some = numbers[start : start + 500]
                connection.execute(
                    asset_outbox.delete().where(asset_outbox.c.tenant == tenant, asset_outbox.c.number.in_(some))
                )


def note_for_server(engine: sa.Engine, tenant: int, nodes: Iterable[str], edges: Iterable[EdgeKey]) -> None:
    """Note nodes and edges that a graph server has not got, or has otherwise than the tables."""
    rows = [(tenant, node, "", "") for node in sorted(nodes)]
    rows += [(tenant, *edge) for edge in sorted(edges)]
    retried(partial(_insert, engine, rows))


def _insert(engine: sa.Engine, rows: list[tuple[int, str, str, str]]) -> None:
    with engine.connect().execution_options(**WRITING) as connection, connection.begin():
        for start in range(0, len(rows), 1_000):
            values = [dict(zip(_COLUMNS, row, strict=True)) for row in rows[start : start + 1_000]]
            connection.execute(asset_outbox.insert(), values)


def _note_everything(connection: sa.Connection, tenant: int | None) -> None:
    """All nodes and edges of a tenant, or of all."""
    source, target = asset_nodes.alias(), asset_nodes.alias()
    nodes = sa.select(asset_nodes.c.tenant, asset_nodes.c.id, sa.literal(""), sa.literal(""))
    edges = sa.select(asset_edges.c.tenant, sa.func.coalesce(source.c.id, "tenant"), asset_edges.c.kind, target.c.id)
    edges = edges.select_from(
        asset_edges.outerjoin(
            source, sa.and_(source.c.tenant == asset_edges.c.tenant, source.c.node == asset_edges.c.source)
        ).join(target, sa.and_(target.c.tenant == asset_edges.c.tenant, target.c.node == asset_edges.c.target))
    )
    if tenant is not None:
        nodes, edges = nodes.where(asset_nodes.c.tenant == tenant), edges.where(asset_edges.c.tenant == tenant)
    for part in (nodes, edges):
        connection.execute(asset_outbox.insert().from_select(_COLUMNS, part))
