"""Compares the asset graph with the fold of the log, and mends it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, field

from headwater.deadline import check
from headwater.graph.assets.assets import owned_assets
from headwater.store.assets.follow import AssetStore
from headwater.store.assets.graph import AssetGraph, StoredEdge, StoredNode
from headwater.store.assets.outbox import note_for_server
from headwater.store.assets.pending import is_held, note_all_assets
from headwater.store.assets.rows import rows_of
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.read.reader import Reader

__all__ = ["GraphDifferences", "compare_with_facts", "repair"]

_EXAMPLES = 20
EdgeKey = tuple[str, str, str]


class GraphDifferences(Struct):
    """Differences between a graph and what it should be."""

    nodes: int = 0
    """How many there should be."""
    edges: int = 0
    missing: int = 0
    extra: int = 0
    different: int = 0
    held: bool = False
    """Whether a metalake is being synced. Until that is done the log is ahead of the graph, so only a graph server is
    compared, with the tables.
    """
    examples: list[str] = field(default_factory=list)

    @property
    def is_none(self) -> bool:
        return not (self.missing or self.extra or self.different)


class _Wanted(Struct):
    nodes: dict[str, tuple[str, Any]]
    edges: dict[EdgeKey, Any]


def compare_with_facts(engine: sa.Engine, tenant: int, graph: AssetGraph) -> GraphDifferences:
    """Compare the graph with all facts of the tenant. Holds both in memory."""
    tables = SqlAssetGraph(engine)
    held = is_held(Reader(engine), tenant)
    wanted = _of_graph(tables, tenant) if held else _of_facts(engine, tenant)
    found = _compare(wanted, graph, tenant)[0]
    found.held = held
    return found


def repair(engine: sa.Engine, tenant: int, assets: AssetStore) -> GraphDifferences:
    """Repair the tables from the facts, and the graph server from the tables; gives the differences."""
    tables = SqlAssetGraph(engine)
    found = compare_with_facts(engine, tenant, tables)
    if not found.is_none:
        note_all_assets(engine, tenant, clear=True)
    if assets.outbox is not None:
        assets.follow([tenant])
        on_server, nodes, edges = _compare(_of_graph(tables, tenant), assets.graph, tenant)
        note_for_server(engine, tenant, nodes, edges)
        on_server.held = found.held
        found = on_server if found.is_none else found
    assets.follow([tenant])
    return found


def _of_facts(engine: sa.Engine, tenant: int) -> _Wanted:
    with Reader(engine).snapshot(tenant) as read:
        facts: dict[Any, list[Any]] = {}

        def remembered(kind: Any) -> list[Any]:
            if kind not in facts:
                check()
                facts[kind] = list(read(kind))
            return facts[kind]

        rows = rows_of(owned_assets(remembered))
    ids = {row.id for row in rows.nodes.values()} | {"tenant"}
    return _Wanted(
        {row.id: (row.label, json.loads(row.properties)) for row in rows.nodes.values()},
        {
            (row.source_id, row.kind, row.target_id): json.loads(row.properties)
            for row in rows.edges.values()
            if row.source_id in ids and row.target_id in ids
        },
    )


def _of_graph(graph: AssetGraph, tenant: int) -> _Wanted:
    return _Wanted(
        {node.id: (node.label, node.properties) for node in graph.all_nodes(tenant)},
        {(edge.source, edge.kind, edge.target): edge.properties for edge in graph.all_edges(tenant)},
    )


def _compare(wanted: _Wanted, graph: AssetGraph, tenant: int) -> tuple[GraphDifferences, set[str], set[EdgeKey]]:
    found = GraphDifferences(len(wanted.nodes), len(wanted.edges))

    def node_of(node: StoredNode) -> tuple[str, tuple[str, Any]]:
        return node.id, (node.label, node.properties)

    def edge_of(edge: StoredEdge) -> tuple[EdgeKey, Any]:
        return (edge.source, edge.kind, edge.target), edge.properties

    nodes: set[str] = _differing(found, wanted.nodes, map(node_of, graph.all_nodes(tenant)), str)
    edges: set[EdgeKey] = _differing(found, wanted.edges, map(edge_of, graph.all_edges(tenant)), " ".join)
    return found, nodes, edges


def _differing(
    found: GraphDifferences, wanted: dict[Any, Any], there: Iterable[tuple[Any, Any]], text: Callable[[Any], str]
) -> set[Any]:
    """The keys that differ, counted."""
    seen, keys = set(), set()
    for key, value in there:
        check()
        seen.add(key)
        if key not in wanted:
            found.extra += 1
            word = "extra"
        elif wanted[key] != value:
            found.different += 1
            word = "different"
        else:
            continue
        keys.add(key)
        if len(found.examples) < _EXAMPLES:
            found.examples.append(f"{word}: {text(key)}")
    missing = wanted.keys() - seen
    found.missing += len(missing)
    found.examples += [f"missing: {text(key)}" for key in sorted(missing)[: max(0, _EXAMPLES - len(found.examples))]]
    return keys | missing
