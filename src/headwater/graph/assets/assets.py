"""Asset graph: tables and columns, without times and runs.

Catalogs, schemas, tables and columns are below the tenant; a statement is between the tables it reads and those it
writes. It is a function of the facts: stores can compute their copy again at any time, and compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from headwater.graph.assets.asset import TENANT, Asset, Owned, edge, node, times_of
from headwater.graph.assets.by_hand import derivations_by_hand, inputs_by_hand
from headwater.graph.assets.catalog import catalog_assets
from headwater.graph.assets.columns import columns_and_derivations
from headwater.graph.assets.names import AssetNames
from headwater.graph.assets.shapes import Shapes
from headwater.graph.assets.statements import Executions, statements
from headwater.graph.catalog.names import AssetKind
from headwater.graph.catalog.objects import CatalogObjects
from headwater.graph.fact import Fact
from headwater.graph.facts import Node, Seen, Symlink

__all__ = ["assets_of", "owned_assets", "path_of"]

Read = Callable[[type[Fact]], Iterable[Any]]


def path_of(namespace: str, name: str) -> tuple[str, str | None, str]:
    """Catalog, schema and table of a dataset.

    >>> path_of("postgres://db:5432", "shop.public.orders")
    ('postgres://db:5432/shop', 'public', 'orders')
    >>> path_of("hive://metastore:9083", "sales.orders")
    ('hive://metastore:9083', 'sales', 'orders')
    >>> path_of("s3://lake", "raw/orders.parquet")
    ('s3://lake', None, 'raw/orders.parquet')
    """
    if "/" in name or "." not in name:
        return namespace, None, name
    *outer, schema, table = name.split(".")
    return "/".join([namespace, *outer]), schema, table


def assets_of(read: Read) -> Iterator[Asset]:
    """All nodes and edges of a tenant's asset graph, in no particular order."""
    return (asset for _, asset in owned_assets(read))


def owned_assets(read: Read, executions: Executions | None = None) -> Iterator[Owned]:
    """The same with their owners. From facts about a part of the graph, the nodes and edges of that part are complete.

    `executions` counts the runs of a statement, where the facts of runs are too many to read.
    """
    objects = CatalogObjects(read)
    names = AssetNames(read, objects)
    shapes = Shapes(read, names)
    yield from catalog_assets(objects, read)
    for node_id, dataset in names.datasets.items():
        namespace = names.places[dataset.namespace or b""]
        own = names.own(node_id) or ""
        kind = shapes.kind_of(own)
        if kind is not None:
            yield from _thing(kind, dataset, own, shapes)
        else:
            yield from _table(namespace, dataset, own, shapes, objects)
    yield from inputs_by_hand(read, names, shapes)
    yield from columns_and_derivations(names, shapes, derivations_by_hand(read, names))
    yield from statements(read, names, shapes, executions)
    for symlink in read(Symlink):
        source, target = (names.today(end, symlink.first_seen) for end in (symlink.source, symlink.target))
        if source and target and source != target:
            yield source, edge("SYMLINK", source, target, type=symlink.type)


def _table(namespace: str, dataset: Node, name: str, shapes: Shapes, objects: CatalogObjects) -> Iterator[Owned]:
    catalog, schema, table = path_of(namespace, dataset.name or "")
    parent = catalog
    if not objects.has_place(AssetKind.CATALOG, catalog):
        yield catalog, node("Tenant", TENANT, None)
        yield catalog, node("Catalog", catalog, catalog)
        yield catalog, edge("OWNS_CATALOG", TENANT, catalog)
    if schema is not None:
        parent = f"{catalog}/{schema}"
        if not objects.has_place(AssetKind.SCHEMA, parent):
            yield parent, node("Schema", parent, schema)
            yield parent, edge("HAS_SCHEMA", catalog, parent)
    values: dict[str, Any] = shapes.values_of(name)
    if Seen(dataset.seen or 0) == Seen.REFERENCE:
        values["reference"] = True
    yield name, node("Table", name, table, **values, **times_of(dataset.first_seen, shapes.newest(name)))
    yield name, edge("HAS_TABLE", parent, name)


def _thing(kind: str, dataset: Node, own: str, shapes: Shapes) -> Iterator[Owned]:
    """A chart or dashboard: it is in no schema, and hangs under the tenant."""
    values = shapes.values_of_thing(own)
    name = values.pop("name") or dataset.name
    yield own, node("Tenant", TENANT, None)
    yield own, node(kind, own, name, **values, **times_of(dataset.first_seen, shapes.newest(own)))
    yield own, edge(f"OWNS_{kind.upper()}", TENANT, own)
