"""Reads and writes rows of the asset graph: only differences, with outbox rows for a graph server."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from headwater.graph.assets.asset import TENANT
from headwater.store.assets.rows import EdgeRow, NodeRow, Rows, key_of
from headwater.store.assets.tables import (
    asset_edges,
    asset_generations,
    asset_nodes,
    asset_outbox,
    asset_pending,
    graph_servers,
)
from headwater.store.engine import WRITING
from headwater.store.tasks.notes import NodeNotes
from headwater.store.write.upsert import insert_statement, replace_statement

__all__ = ["Beaten", "RowWriter", "lasting"]

_AT_ONCE = 500
_PASSING = ("executionCount", "createdAt", "updatedAt")
"""Properties that change with every run, and with nothing else."""
_OF_SOURCE, _OF_TARGET = ("HAS_TAG", "HAS_VALUE_DOMAIN", "OUTPUT_TO"), ("INPUT_OF",)
"""Kinds of edges that affect the node at their beginning, or at their end."""
_DELETE_EDGE = asset_edges.delete().where(
    asset_edges.c.tenant == sa.bindparam("t"),
    asset_edges.c.source == sa.bindparam("s"),
    asset_edges.c.kind == sa.bindparam("k"),
    asset_edges.c.target == sa.bindparam("g"),
)


class Beaten(Exception):
    """Somebody else changed the tenant's graph since it was looked at."""


class RowWriter:
    """Reads stored parts of the graph, and writes differences."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._nodes = replace_statement(asset_nodes, engine.dialect)
        self._edges = replace_statement(asset_edges, engine.dialect)
        self._outbox = insert_statement(asset_outbox, engine.dialect)
        self._first = insert_statement(asset_generations, engine.dialect)
        self._task_notes = NodeNotes(engine.dialect)

    def generation(self, tenant: int) -> int:
        """How often the tenant's graph was changed."""
        query = sa.select(asset_generations.c.generation).where(asset_generations.c.tenant == tenant)
        with self._engine.connect() as connection:
            return connection.execute(query).scalar() or 0

    def stored(self, tenant: int, owners: Collection[bytes]) -> Rows:
        """Stored rows of the parts with these owners."""
        nodes: dict[bytes, NodeRow] = {}
        edges: dict[tuple[bytes, str, bytes], EdgeRow] = {}
        wanted = sorted(set(owners))
        node_query = sa.select(*[asset_nodes.c[name] for name in NodeRow._fields])
        edge_query = sa.select(*[asset_edges.c[name] for name in EdgeRow._fields[:5]])
        with self._engine.connect() as connection:
            for start in range(0, len(wanted), _AT_ONCE):
                some = wanted[start : start + _AT_ONCE]
                query = node_query.where(asset_nodes.c.tenant == tenant, asset_nodes.c.owner.in_(some))
                for row in connection.execute(query):
                    nodes[bytes(row.node)] = NodeRow(*row)
                query = edge_query.where(asset_edges.c.tenant == tenant, asset_edges.c.owner.in_(some))
                for row in connection.execute(query):
                    edges[bytes(row.source), row.kind, bytes(row.target)] = EdgeRow(
                        row[0], row[1], row[2], row[3], row[4], "", ""
                    )
        return Rows(nodes, edges)

    def write(self, tenant: int, generation: int, changed: Sequence[tuple[Rows, Rows]], done: Sequence[int]) -> None:
        """Write the differences between wanted and stored rows, and remove the notes that are done.

        Raises `Beaten` if the graph was changed since it had this generation.
        """
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            self.take_turn(connection, tenant, generation)
            feeds = connection.execute(sa.select(graph_servers.c.name)).first() is not None
            for wanted, stored in changed:
                self._write(connection, tenant, wanted, stored, feeds=feeds)
            if self._task_notes.is_wanted(connection, tenant):
                self._task_notes.write(connection, tenant, _told_anew(changed))
            for start in range(0, len(done), _AT_ONCE):
                numbers = done[start : start + _AT_ONCE]
                connection.execute(
                    asset_pending.delete().where(asset_pending.c.tenant == tenant, asset_pending.c.id.in_(numbers))
                )

    def take_turn(self, connection: sa.Connection, tenant: int, generation: int) -> None:
        """Raise the generation. Raises `Beaten` if the graph was changed since it had this one."""
        if generation == 0:
            self._first.run(connection, [(tenant, 0)])
        raised = connection.execute(
            asset_generations.update()
            .where(asset_generations.c.tenant == tenant, asset_generations.c.generation == generation)
            .values(generation=generation + 1)
        )
        if raised.rowcount != 1:
            raise Beaten

    def _write(self, connection: sa.Connection, tenant: int, wanted: Rows, stored: Rows, *, feeds: bool) -> None:
        new_nodes = [row for key, row in sorted(wanted.nodes.items()) if stored.nodes.get(key) != row]
        old_nodes = [row for key, row in sorted(stored.nodes.items()) if key not in wanted.nodes]
        new_edges = [row for key, row in sorted(wanted.edges.items()) if not _same(stored.edges.get(key), row)]
        old_edges = [row for key, row in sorted(stored.edges.items()) if key not in wanted.edges]
        if feeds:
            came = [row for row in new_nodes if row.node not in stored.nodes]
            self._note(connection, tenant, [row.id for row in (*old_nodes, *new_nodes)])
            self._note_edges(connection, tenant, [*old_edges, *new_edges], came)
        if old_edges:
            connection.execute(
                _DELETE_EDGE, [{"t": tenant, "s": row.source, "k": row.kind, "g": row.target} for row in old_edges]
            )
        for start in range(0, len(old_nodes), _AT_ONCE):
            keys = [row.node for row in old_nodes[start : start + _AT_ONCE]]
            connection.execute(asset_nodes.delete().where(asset_nodes.c.tenant == tenant, asset_nodes.c.node.in_(keys)))
        if new_nodes:
            self._nodes.run(connection, [(tenant, *row) for row in new_nodes])
        if new_edges:
            self._edges.run(connection, [(tenant, *row[:5]) for row in new_edges])

    def _note(self, connection: sa.Connection, tenant: int, ids: Sequence[str]) -> None:
        if ids:
            self._outbox.run(connection, [(tenant, node_id, "", "") for node_id in ids])

    def _note_edges(
        self, connection: sa.Connection, tenant: int, edges: Sequence[EdgeRow], came: Sequence[NodeRow]
    ) -> None:
        """Edges that came or went, and those that waited for a node that came."""
        keys = {(row.source, row.kind, row.target) for row in edges}
        columns = (asset_edges.c.source, asset_edges.c.kind, asset_edges.c.target)
        for start in range(0, len(came), _AT_ONCE):
            nodes = [row.node for row in came[start : start + _AT_ONCE]]
            for end in (asset_edges.c.source, asset_edges.c.target):
                query = sa.select(*columns).where(asset_edges.c.tenant == tenant, end.in_(nodes))
                keys |= {(bytes(row[0]), row[1], bytes(row[2])) for row in connection.execute(query)}
        ids = {key_of(row.source_id): row.source_id for row in edges if row.source_id}
        ids |= {key_of(row.target_id): row.target_id for row in edges if row.target_id}
        ids |= {row.node: row.id for row in came}
        ids[key_of(TENANT)] = TENANT
        missing = sorted({key for source, _, target in keys for key in (source, target)} - ids.keys())
        for start in range(0, len(missing), _AT_ONCE):
            query = sa.select(asset_nodes.c.node, asset_nodes.c.id).where(
                asset_nodes.c.tenant == tenant, asset_nodes.c.node.in_(missing[start : start + _AT_ONCE])
            )
            ids |= {bytes(row[0]): row[1] for row in connection.execute(query)}
        # An edge of which an end is gone went with that.
        rows = [
            (tenant, ids[source], kind, ids[target])
            for source, kind, target in sorted(keys)
            if source in ids and target in ids
        ]
        if rows:
            self._outbox.run(connection, rows)


def _told_anew(changed: Sequence[tuple[Rows, Rows]]) -> list[bytes]:
    """Nodes that are new, or of which more changed than counts and times, or that got or lost a describing edge."""
    found: set[bytes] = set()
    for wanted, stored in changed:
        for key, row in wanted.nodes.items():
            before = stored.nodes.get(key)
            if before != row and (before is None or lasting(before) != lasting(row)):
                found.add(key)
        for edges, others in ((wanted.edges, stored.edges), (stored.edges, wanted.edges)):
            for source, kind, target in edges.keys() - others.keys():
                if kind in _OF_SOURCE:
                    found.add(source)
                elif kind in _OF_TARGET:
                    found.add(target)
    return sorted(found)


def lasting(row: NodeRow) -> tuple[str, dict[str, Any]]:
    """Label and properties, without those that change with every run or event."""
    properties: dict[str, Any] = msgspec.json.decode(row.properties)
    return row.label, {name: value for name, value in properties.items() if name not in _PASSING}


def _same(stored: EdgeRow | None, wanted: EdgeRow) -> bool:
    return stored is not None and stored[:5] == wanted[:5]
