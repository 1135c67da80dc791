"""Preloads the tenant graph before the first question."""

from __future__ import annotations

from headwater.store.cache.graph_loader import LoadedGraph, load_graph
from headwater.store.cache.tenant_graph import MAX_REFERENCES
from headwater.store.read.aliases import Aliases, cache_view_of
from headwater.store.read.lookup import Lookup, looking
from headwater.store.read.names import names_of
from headwater.store.read.reader import Reader

__all__ = ["warm"]

_PAGE = 5_000


def warm(reader: Reader, tenant: int) -> bool:
    """Load a tenant's graph into the cache before the first question; False if it does not fit as a whole."""
    with looking(reader.engine) as lookup:
        graph, version = cache_view_of(reader, tenant, lookup)
        aliases = Aliases(reader, tenant, lookup, memory=graph.aliases)
        if version < 0 or aliases.any_renames:
            return False

        def shown(nodes: list[bytes]) -> dict[bytes, bytes]:
            aliases.learn(nodes)
            return {node: other for node in nodes if (other := aliases.canonical(node)) != node}

        graph.begin_load()
        # Each part of a shape is counted some six times: at its job and at its dataset, with what belongs to them.
        loaded_graph = load_graph(tenant, lookup, shown, reader.shapes, MAX_REFERENCES // 6)
        if loaded_graph is not None:
            graph.take(loaded_graph)
            _names(reader, tenant, lookup, loaded_graph)
        return loaded_graph is not None


def _names(reader: Reader, tenant: int, lookup: Lookup, loaded_graph: LoadedGraph) -> None:
    """Load names of all nodes, as long as there is room."""
    nodes = sorted({*loaded_graph.readers, *loaded_graph.sources, *loaded_graph.targets})
    for start in range(0, len(nodes), _PAGE):
        if reader.called.is_nearly_full:
            return
        for node, name in names_of(tenant, lookup, nodes[start : start + _PAGE]).items():
            reader.called.put(tenant, node, name, 1)
