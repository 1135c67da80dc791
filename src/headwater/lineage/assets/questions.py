"""Questions about assets: list, details, tree below one, upstream and downstream."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from headwater.deadline import check
from headwater.graph.assets.asset import TENANT
from headwater.graph.walk import walk
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.assets.records import (
    AssetDetails,
    AssetLink,
    AssetPage,
    AssetRef,
    AssetTree,
    AssetWalk,
    Branch,
    Reached,
)
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.store.assets.graph import AssetGraph, StoredNode
from headwater.store.assets.rows import key_of
from headwater.store.models.attached import AttachedResults

__all__ = ["KINDS", "asset_tree", "asset_walk", "list_assets", "show_asset", "with_results"]

KINDS = (
    "Catalog",
    "Schema",
    "Table",
    "Column",
    "SQL",
    "AtomicMetric",
    "DerivedMetric",
    "CompositeMetric",
    "WordRoot",
    "Modifier",
    "Unit",
    "ValueDomain",
    "Tag",
    "Chart",
    "Dashboard",
)
_DOWN = ("OWNS_CATALOG", "HAS_SCHEMA", "HAS_TABLE", "HAS_METRIC", "HAS_COLUMN")
_UNDER_TENANT = (
    "OWNS_CATALOG",
    "OWNS_WORDROOT",
    "OWNS_MODIFIER",
    "OWNS_UNIT",
    "OWNS_VALUEDOMAIN",
    "OWNS_TAG",
    "OWNS_CHART",
    "OWNS_DASHBOARD",
)
_MOST_EDGES = 1_000
_MOST_CALLED = 100
"""Assets of one name among which the one that is meant is looked for."""
_MOST_BRANCHES = 5_000
_DEPENDS = ("DERIVES_FROM", "MEASURES", "FILTERS_BY", "DERIVED_FROM", "COMPUTED_FROM")
"""Kinds of edges that lead from a dependent asset to the one it needs."""
_ORDER = "name"


def list_assets(
    graph: AssetGraph, tenant: int, *, kind: str | None, text: str | None, cursor: str | None, limit: int
) -> AssetPage:
    """Assets by name."""
    after = _after(cursor)
    found = graph.page(tenant, label=kind_of(kind), text=text, after=after, limit=limit + 1)
    page = found[:limit]
    following = None
    if len(found) > limit:
        (name, node_id), _ = page[-1]
        following = write_cursor(_ORDER, name, node_id.encode())
    return AssetPage([_ref(node) for _, node in page], following, graph.counts(tenant))


def _after(cursor: str | None) -> tuple[str, str] | None:
    found = read_cursor(cursor, _ORDER, str)
    return None if found is None else (str(found[0]), found[1].decode(errors="replace"))


def kind_of(text: str | None) -> str | None:
    """A kind as it is called, whatever the case it was written in."""
    if text is None:
        return None
    for kind in KINDS:
        if kind.lower() == text.lower():
            return kind
    raise BadQuestion(
        f"There is no kind of asset {text[:100]!r}.", path="?kind", hint=f"Kinds are: {', '.join(KINDS)}."
    )


def show_asset(graph: AssetGraph, tenant: int, name: str) -> AssetDetails:
    """An asset with its properties and edges."""
    node = find_asset(graph, tenant, name)
    links: list[tuple[str, bool, str, dict[str, object]]] = []
    for incoming in (False, True):
        for edge in graph.edges(tenant, [node.id], incoming=incoming, limit=_MOST_EDGES):
            other = edge.source if incoming else edge.target
            links.append((edge.kind, incoming, other, edge.properties))
    known = {found.id: found for found in graph.get(tenant, {other for _, _, other, _ in links})}
    known[TENANT] = StoredNode(TENANT, "Tenant", {})
    told = [
        AssetLink(kind, "in" if incoming else "out", _ref(known[other]), properties)
        for kind, incoming, other, properties in sorted(links, key=lambda link: (link[1], link[0], link[2]))
        if other in known
    ]
    properties = {key: value for key, value in node.properties.items() if key != "name"}
    return AssetDetails(
        node.id, node.label, _ref(node).name, properties, told[: 2 * _MOST_EDGES], len(links) > 2 * _MOST_EDGES
    )


def with_results(results: AttachedResults, tenant: int, shown: AssetDetails) -> AssetDetails:
    """Adds embeddings and summaries by the tenant's models."""
    key = key_of(shown.id)
    found = results.of_nodes(tenant, [key]).get(key)
    if found is None:
        return shown
    return msgspec.structs.replace(shown, attributes={**shown.attributes, **found.properties})


def asset_tree(graph: AssetGraph, tenant: int, name: str | None, *, depth: int) -> AssetTree:
    """Children of a tenant, catalog, schema or table, down to a depth."""
    root = StoredNode(TENANT, "Tenant", {}) if name is None else find_asset(graph, tenant, name)
    children: dict[str, list[str]] = defaultdict(list)
    nodes, level, count = {root.id: root}, [root.id], 1
    truncated = False
    for _ in range(depth):
        check()
        found: dict[str, str] = {}
        kinds = _UNDER_TENANT if level == [TENANT] else _DOWN
        for edge in graph.edges(tenant, level, incoming=False, kinds=kinds, limit=_MOST_BRANCHES, bare=True):
            if edge.target in nodes or edge.target in found:
                continue
            if count >= _MOST_BRANCHES:
                truncated = True
                break
            found[edge.target] = edge.source
            count += 1
        for node in graph.get(tenant, found):
            nodes[node.id] = node
            children[found[node.id]].append(node.id)
        level = list(found)
        if not level:
            break
    deeper = {edge.source for edge in graph.edges(tenant, level, incoming=False, kinds=_DOWN)} if level else set()
    return AssetTree(_branch(root.id, nodes, children, deeper), truncated)


def _branch(node_id: str, nodes: dict[str, StoredNode], children: dict[str, list[str]], deeper: set[str]) -> Branch:
    inner = [_branch(child, nodes, children, deeper) for child in children.get(node_id, ())]
    inner.sort(key=lambda branch: (KINDS.index(branch.kind) if branch.kind in KINDS else -1, branch.name, branch.id))
    ref = _ref(nodes[node_id])
    return Branch(ref.id, ref.kind, ref.name, inner, -1 if node_id in deeper else 0)


def asset_walk(
    graph: AssetGraph, tenant: int, name: str, *, direction: str, depth: int, limit: int = 1_000
) -> AssetWalk:
    """Assets upstream or downstream of one: columns, and metrics of them."""
    node = find_asset(graph, tenant, name)
    incoming = direction == "downstream"
    starts = [node.id]
    if node.label in ("Table", "Schema", "Catalog"):
        starts = _columns_in(graph, tenant, node.id)
    edges: list[tuple[str, str, str]] = []

    def neighbours(level: list[str]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {one: set() for one in level}
        for edge in graph.edges(tenant, level, incoming=incoming, kinds=_DEPENDS, bare=True):
            near, far = (edge.target, edge.source) if incoming else (edge.source, edge.target)
            found[near].add(far)
            edges.append((edge.source, edge.kind, edge.target))
        return found

    reached = walk(starts, neighbours, depth=depth, node_limit=limit + len(starts))
    nodes = {found.id: found for found in graph.get(tenant, reached.depths)}
    begin = set(starts)
    items = [
        Reached(*_parts(nodes[node_id]), far)
        for node_id, far in reached.depths.items()
        if node_id in nodes and node_id not in begin
    ]
    told = sorted({edge for edge in edges if edge[0] in reached.depths and edge[2] in reached.depths})
    return AssetWalk(_ref(node), direction, items, told, reached.truncated)


def _columns_in(graph: AssetGraph, tenant: int, node_id: str) -> list[str]:
    level, columns = [node_id], []
    for _ in range(3):
        edges = graph.edges(tenant, level, incoming=False, kinds=("HAS_SCHEMA", "HAS_TABLE", "HAS_COLUMN"), bare=True)
        columns += [edge.target for edge in edges if edge.kind == "HAS_COLUMN"]
        level = [edge.target for edge in edges if edge.kind != "HAS_COLUMN"]
        if not level:
            break
    return columns


def find_asset(graph: AssetGraph, tenant: int, name: str) -> StoredNode:
    """The asset with this id, or the only one with this name or part of it."""
    found = graph.get(tenant, [name])
    if found:
        return found[0]
    called = graph.named(tenant, name, limit=_MOST_CALLED)
    in_this_case = [node for node in called if name in (_ref(node).name, node.properties.get("code"))]
    of_this_path = [node for node in called if node.id.endswith(f":{name}")]
    for chosen in (in_this_case, of_this_path, called):
        if len(chosen) == 1:
            return chosen[0]
    likely = called[:6] or [node for _, node in graph.page(tenant, label=None, text=name, after=None, limit=6)]
    if len(likely) == 1:
        return likely[0]
    if not likely:
        raise NodeNotFound(f"There is no asset {name[:200]!r}.", path="?name", hint="`headwater assets ls` lists them.")
    some = ", ".join(node.id for node in likely[:5])
    raise NodeNotFound(f"{name[:200]!r} may be several assets: {some}.", path="?name", hint="Give the whole id.")


def _ref(node: StoredNode) -> AssetRef:
    return AssetRef(*_parts(node))


def _parts(node: StoredNode) -> tuple[str, str, str]:
    properties = node.properties
    name = properties.get("name") or properties.get("code") or properties.get("content") or node.id
    return node.id, node.label, " ".join(str(name).split())[:200]
