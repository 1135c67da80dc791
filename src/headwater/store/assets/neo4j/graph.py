"""The asset graph on a Neo4j server: reads of questions, and writes of rows of the tables."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from headwater.graph.assets.asset import TENANT
from headwater.openlineage.times import format_time
from headwater.store.assets.graph import Cursor, StoredEdge, StoredNode
from headwater.store.assets.neo4j.cypher import (
    ABOUT_SCHEMA,
    LABELS,
    STATEMENTS,
    delete_edges,
    near_vectors,
    scan_vectors,
    set_results,
    upsert_edges,
    upsert_nodes,
    vector_label,
)
from headwater.store.assets.neo4j.server import GraphServer
from headwater.store.assets.neo4j.values import from_neo4j, to_neo4j
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.models.attached import Attached
from headwater.store.write.log import Tenant

__all__ = ["EdgeKey", "Neo4jAssetGraph"]

EdgeKey = tuple[str, str, str]
"""Source, kind, target."""
_AT_ONCE = 5_000
_PAGE = 2_000
_OVER_FETCHED, _MOST_FETCHED = 10, 2_000
"""Nodes requested from the index for each wanted node, and at most."""


class Neo4jAssetGraph:
    """Reads and writes on one server. Every statement is bound to one tenant.

    Lists by name are answered by the tables: Neo4j would look at all nodes of a tenant for each page.
    """

    def __init__(self, server: GraphServer, tables: SqlAssetGraph) -> None:
        self.server, self._tables = server, tables
        self._tenants: dict[int, tuple[str, str]] = {}
        self._spaces: set[tuple[int, str]] = set()
        self._vector_labels: tuple[str, ...] = ()

    # --- writing

    def apply(
        self,
        tenant: Tenant,
        nodes: Sequence[StoredNode],
        edges: Sequence[StoredEdge],
        gone_nodes: Collection[str],
        gone_edges: Collection[EdgeKey],
        results: Mapping[str, Attached] | None = None,
    ) -> None:
        """Write these nodes and edges and remove the others, in one transaction.

        `results` of models by the ids of nodes; if given, a node that is not among them has none.
        """
        by_space = self._by_space(nodes, results) if results is not None else {}
        known = self._vector_labels if results is not None else None
        by_label: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for node in sorted(nodes, key=lambda node: node.id):
            by_label[node.label].append({"id": node.id, "properties": to_neo4j(node.properties)})
        by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for edge in sorted(edges, key=lambda edge: (edge.source, edge.target)):
            by_kind[edge.kind].append(
                {"source": edge.source, "target": edge.target, "properties": to_neo4j(edge.properties)}
            )
        gone_by_kind: dict[str, list[dict[str, str]]] = defaultdict(list)
        for source, kind, target in sorted(gone_edges):
            gone_by_kind[kind].append({"source": source, "target": target})

        def work(run: Any) -> None:
            self._put_tenant(run, tenant)
            for kind in sorted(gone_by_kind):
                _run(run, delete_edges(kind), tenant.id, rows=gone_by_kind[kind])
            _run(run, STATEMENTS["delete nodes"], tenant.id, ids=sorted(gone_nodes))
            for label in sorted(by_label):
                _run(run, upsert_nodes(label, known), tenant.id, rows=by_label[label])
            for space, rows in by_space.items():
                _run(run, set_results(space), tenant.id, rows=rows)
            for kind in sorted(by_kind):
                _run(run, upsert_edges(kind), tenant.id, rows=by_kind[kind])

        self.server.write(work)
        self._tenants[tenant.id] = (tenant.code, tenant.name)

    def _put_tenant(self, run: Any, tenant: Tenant) -> None:
        """The root, if it is new or has got another name: every commit would otherwise wait for its lock."""
        if self._tenants.get(tenant.id) != (tenant.code, tenant.name):
            now = format_time(time.time_ns() // 1000)
            values = {"code": tenant.code, "name": tenant.name, "now": now}
            run.run(STATEMENTS["put tenant"], tenant=tenant.id, **values).consume()

    def _by_space(
        self, nodes: Sequence[StoredNode], results: Mapping[str, Attached]
    ) -> dict[str | None, list[dict[str, Any]]]:
        """Rows of results by the label of their vectors; makes the index of a space that is new here."""
        found: dict[str | None, list[dict[str, Any]]] = defaultdict(list)
        spaces = {(one.dimension, one.similarity) for one in results.values() if one.dimension}
        for dimension, similarity in spaces - self._spaces:
            self.server.ensure_vector_space(dimension, similarity)
            self._spaces.add((dimension, similarity))
        known = {row["label"] for row in self.server.read(ABOUT_SCHEMA["vector labels"])}
        self._vector_labels = tuple(sorted(known | {vector_label(*space) for space in spaces}))
        for node in sorted(nodes, key=lambda node: node.id):
            told = results.get(node.id)
            if told is not None:
                label = vector_label(told.dimension, told.similarity) if told.dimension else None
                found[label].append({"id": node.id, "properties": told.properties})
        return dict(found)

    # --- reading

    def nearest(
        self,
        tenant: int,
        space: tuple[int, str],
        vector: Sequence[float],
        limit: int,
        labels: Collection[str] = (),
    ) -> list[tuple[str, float]]:
        """Ids and scores of the nearest nodes of a tenant: from the index if it finds enough, else from all its nodes.

        The index is of all tenants; its hits are filtered, so a small tenant beside a huge one needs the latter.
        """
        values = {"tenant": tenant, "vector": list(vector), "labels": sorted(labels), "limit": limit}
        label = vector_label(*space)
        if space not in self._spaces:  # there is no index before the first vector is there
            if label.lower() not in {row["name"] for row in self.server.read(ABOUT_SCHEMA["vector indexes"])}:
                return []
            self._spaces.add(space)
        found = self.server.read(
            near_vectors(space[1]), index=label.lower(), most=min(_OVER_FETCHED * limit, _MOST_FETCHED), **values
        )
        if len(found) < limit:
            found = self.server.read(scan_vectors(label, space[1]), **values)
        return [(row["id"], float(row["score"])) for row in found]

    def get(self, tenant: int, ids: Collection[str]) -> list[StoredNode]:
        rows = self.server.read(STATEMENTS["get nodes"], tenant=tenant, ids=sorted(set(ids)))
        return [_node(row) for row in rows]

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
        values: dict[str, Any] = {"tenant": tenant, "kinds": sorted(kinds), "limit": limit + 1, "bare": bare}
        wanted = sorted(set(ids) - {TENANT})
        found: list[Any] = []
        if wanted:
            found += self.server.read(STATEMENTS["edges in" if incoming else "edges out"], ids=wanted, **values)
        if TENANT in ids and not incoming:
            found += self.server.read(STATEMENTS["edges of tenant"], **values)
        return [_edge(row) for row in found[: limit + 1]]

    def page(
        self, tenant: int, *, label: str | None, text: str | None, after: Cursor | None, limit: int
    ) -> list[tuple[Cursor, StoredNode]]:
        return self._tables.page(tenant, label=label, text=text, after=after, limit=limit)

    def named(self, tenant: int, name: str, *, limit: int) -> list[StoredNode]:
        return self._tables.named(tenant, name, limit=limit)

    def counts(self, tenant: int) -> dict[str, int]:
        return self._tables.counts(tenant)

    def all_nodes(self, tenant: int) -> Iterator[StoredNode]:
        last = ""
        while True:
            rows = self.server.read(STATEMENTS["all nodes"], tenant=tenant, after=last, limit=_PAGE)
            yield from (_node(row) for row in rows)
            if len(rows) < _PAGE:
                return
            last = rows[-1]["id"]

    def all_edges(self, tenant: int) -> Iterator[StoredEdge]:
        ids: list[str] = []
        for node in self.all_nodes(tenant):
            ids.append(node.id)
            if len(ids) == _PAGE:
                yield from self._edges_of(tenant, ids)
                ids = []
        yield from self._edges_of(tenant, ids)

    def _edges_of(self, tenant: int, ids: list[str]) -> Iterator[StoredEdge]:
        if ids:
            yield from (_edge(row) for row in self.server.read(STATEMENTS["edges of nodes"], tenant=tenant, ids=ids))


def _run(run: Any, statement: str, tenant: int, **lists: list[Any]) -> None:
    (name, rows), *_ = lists.items()
    for start in range(0, len(rows), _AT_ONCE):
        run.run(statement, tenant=tenant, **{name: rows[start : start + _AT_ONCE]}).consume()


def _node(row: Any) -> StoredNode:
    label = next(label for label in row["labels"] if label in LABELS)
    return StoredNode(row["id"], label, from_neo4j(row["properties"], label))


def _edge(row: Any) -> StoredEdge:
    return StoredEdge(row["source"], row["kind"], row["target"], from_neo4j(row["properties"]))
