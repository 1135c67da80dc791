"""The asset graph in the tables of the SQL store."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

import sqlalchemy as sa

from headwater.deadline import check
from headwater.graph.assets.asset import TENANT
from headwater.store.assets.graph import Cursor, StoredEdge, StoredNode
from headwater.store.assets.rows import NAME_LENGTH, key_of
from headwater.store.assets.tables import asset_edges, asset_nodes
from headwater.store.read.lookup import Lookup

__all__ = ["SqlAssetGraph"]

_AT_ONCE = 500
_PAGE = 2_000
_ROOT = key_of(TENANT)
_GET = "SELECT id, label, properties FROM asset_node WHERE tenant = ? AND node {ids}"
_IDS = "SELECT id FROM asset_node WHERE tenant = ? AND node {ids}"
_EDGES = (
    "SELECT e.[{end}], e.kind, e.[{other}], {told}, n.id FROM asset_edge e "
    "LEFT JOIN asset_node n ON n.tenant = e.tenant AND n.node = e.[{other}] "
    "WHERE e.tenant = ? AND e.[{end}] {ids}{only} LIMIT {limit}"
)


class SqlAssetGraph:
    """Reads the rows that the projection wrote."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def get(self, tenant: int, ids: Collection[str]) -> list[StoredNode]:
        rows = Lookup(self._engine).rows(_GET, tenant, {key_of(node_id) for node_id in ids})
        return [StoredNode(row[0], row[1], json.loads(row[2])) for row in rows]

    def by_key(self, tenant: int, keys: Collection[bytes]) -> dict[bytes, StoredNode]:
        """Nodes with these keys; keys without a node are left out."""
        rows = Lookup(self._engine).rows(_GET, tenant, set(keys))
        return {key_of(row[0]): StoredNode(row[0], row[1], json.loads(row[2])) for row in rows}

    def ids(self, tenant: int, keys: Collection[bytes]) -> dict[bytes, str]:
        """Ids of the nodes with these keys; keys without a node are left out."""
        return {key_of(row[0]): row[0] for row in Lookup(self._engine).rows(_IDS, tenant, set(keys))}

    def keys(self, tenant: int, after: bytes, limit: int) -> list[bytes]:
        """Keys of nodes in their order, those behind one."""
        nodes = asset_nodes.c
        query = sa.select(nodes.node).where(nodes.tenant == tenant, nodes.node > after).order_by(nodes.node)
        with self._engine.connect() as connection:
            return [bytes(row[0]) for row in connection.execute(query.limit(limit))]

    def edges(
        self,
        tenant: int,
        ids: Collection[str],
        *,
        incoming: bool,
        kinds: Collection[str] = (),
        limit: int = 10_000,
        bare: bool = False,
    ) -> list[StoredEdge]:
        near = {key_of(node_id): node_id for node_id in ids}
        end, other = ("target", "source") if incoming else ("source", "target")
        chosen = sorted(kinds)
        only = f" AND e.kind IN ({', '.join('?' * len(chosen))})" if chosen else ""
        told = "''" if bare else "e.properties"  # without them the index of ends has all that is asked for
        sql = _EDGES.format(end=end, other=other, told=told, ids="{ids}", only=only, limit=limit + 1)
        found = []
        for key, kind, far, properties, far_id in Lookup(self._engine).rows(sql, tenant, near, *chosen):
            name = TENANT if bytes(far) == _ROOT else far_id
            if name is not None:
                one, two = near[bytes(key)], name
                source, target = (two, one) if incoming else (one, two)
                found.append(StoredEdge(source, kind, target, {} if bare else json.loads(properties)))
        return found[: limit + 1]

    def exact_edges(self, tenant: int, wanted: Collection[tuple[str, str, str]]) -> list[StoredEdge]:
        """Those of these edges (source, kind, target) that are there."""
        found: list[Any] = []
        texts = {(key_of(source), kind, key_of(target)): (source, target) for source, kind, target in wanted}
        edges = asset_edges.c
        columns = (edges.source, edges.kind, edges.target, edges.properties)
        sources = sorted({source for source, _, _ in texts} - {_ROOT})
        targets = sorted({target for source, _, target in texts if source == _ROOT})
        with self._engine.connect() as connection:
            for end, keys in ((edges.source, sources), (edges.target, targets)):
                for start in range(0, len(keys), _AT_ONCE):
                    query = sa.select(*columns).where(edges.tenant == tenant, end.in_(keys[start : start + _AT_ONCE]))
                    found += connection.execute(query).all()
        told = {(bytes(row[0]), row[1], bytes(row[2])): row[3] for row in found}
        return [
            StoredEdge(*(texts[key][0], key[1], texts[key][1]), json.loads(told[key])) for key in texts if key in told
        ]

    def page(
        self, tenant: int, *, label: str | None, text: str | None, after: Cursor | None, limit: int
    ) -> list[tuple[Cursor, StoredNode]]:
        nodes = asset_nodes.c
        query = sa.select(nodes.id, nodes.label, nodes.properties, nodes.name_key).where(nodes.tenant == tenant)
        if label is not None:
            query = query.where(nodes.label == label)
        if text:
            pattern = f"%{_pattern(text.lower())}%"
            query = query.where(
                sa.or_(nodes.name_key.like(pattern, escape="!"), sa.func.lower(nodes.id).like(pattern, escape="!"))
            )
        if after is not None:
            name, node_id = after
            query = query.where(sa.or_(nodes.name_key > name, sa.and_(nodes.name_key == name, nodes.id > node_id)))
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(nodes.name_key, nodes.id).limit(limit)).all()
        return [((row[3], row[0]), StoredNode(row[0], row[1], json.loads(row[2]))) for row in rows]

    def named(self, tenant: int, name: str, *, limit: int) -> list[StoredNode]:
        nodes = asset_nodes.c
        text = name.lower()
        ends = [sa.func.lower(nodes.id).like(f"%{mark}{_pattern(text)}", escape="!") for mark in (":", "/", ".")]
        query = sa.select(nodes.id, nodes.label, nodes.properties).where(
            nodes.tenant == tenant, sa.or_(nodes.name_key == text[:NAME_LENGTH], *ends)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(nodes.node).limit(limit)).all()
        return [StoredNode(row[0], row[1], json.loads(row[2])) for row in rows]

    def counts(self, tenant: int) -> dict[str, int]:
        nodes = asset_nodes.c
        query = sa.select(nodes.label, sa.func.count()).where(nodes.tenant == tenant).group_by(nodes.label)
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def all_nodes(self, tenant: int) -> Iterator[StoredNode]:
        last = b""
        nodes = asset_nodes.c
        columns = (nodes.node, nodes.id, nodes.label, nodes.properties)
        while True:
            check()
            query = sa.select(*columns).where(nodes.tenant == tenant, nodes.node > last).order_by(nodes.node)
            with self._engine.connect() as connection:
                rows = connection.execute(query.limit(_PAGE)).all()
            yield from (StoredNode(row[1], row[2], json.loads(row[3])) for row in rows)
            if len(rows) < _PAGE:
                return
            last = bytes(rows[-1][0])

    def all_edges(self, tenant: int) -> Iterator[StoredEdge]:
        edges = asset_edges.c
        keys = (edges.source, edges.kind, edges.target)
        last: tuple[bytes, str, bytes] = (b"", "", b"")
        while True:
            check()
            after = sa.tuple_(*keys) > sa.tuple_(
                *[sa.literal(value, key.type) for value, key in zip(last, keys, strict=True)]
            )
            query = sa.select(*keys, edges.properties).where(edges.tenant == tenant, after).order_by(*keys)
            with self._engine.connect() as connection:
                rows = connection.execute(query.limit(_PAGE)).all()
                names = self._ids(connection, tenant, {bytes(end) for row in rows for end in (row[0], row[2])})
            for row in rows:
                edge = _edge(row, names)
                if edge is not None:
                    yield edge
            if len(rows) < _PAGE:
                return
            last = bytes(rows[-1][0]), rows[-1][1], bytes(rows[-1][2])

    def _ids(self, connection: sa.Connection, tenant: int, keys: set[bytes]) -> dict[bytes, str]:
        names = {_ROOT: TENANT}
        wanted = sorted(keys)
        for start in range(0, len(wanted), _AT_ONCE):
            query = sa.select(asset_nodes.c.node, asset_nodes.c.id).where(
                asset_nodes.c.tenant == tenant, asset_nodes.c.node.in_(wanted[start : start + _AT_ONCE])
            )
            names |= {bytes(row[0]): row[1] for row in connection.execute(query)}
        return names


def _pattern(text: str) -> str:
    """A text as it is, in a LIKE with `!` as its escape."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _edge(row: Any, names: dict[bytes, str]) -> StoredEdge | None:
    source, target = names.get(bytes(row[0])), names.get(bytes(row[2]))
    return None if source is None or target is None else StoredEdge(source, row[1], target, json.loads(row[3]))
