"""The asset graph: what the facts say about tables and columns, apart from who said it and when.

Catalogs, schemas, tables and columns hang under the tenant; a statement stands between the tables it reads and those
it writes. It is a function of the facts and stored nowhere, so it can never disagree with them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from headwater.graph.assets.names import AssetNames
from headwater.graph.catalog.assets import Asset, catalog_assets, edge, node
from headwater.graph.catalog.objects import CatalogObjects
from headwater.graph.fact import Fact
from headwater.graph.facts import (
    Role,
    Run,
    RunShape,
    RunStatus,
    SchemaVersion,
    Seen,
    Shape,
    ShapeDataset,
    ShapeEdge,
    SqlText,
    Symlink,
)

__all__ = ["assets_of", "path_of"]

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
    objects = CatalogObjects(read)
    names = AssetNames(read, objects)
    yield from catalog_assets(objects, read)
    for node_id, dataset in names.datasets.items():
        reference = Seen(dataset.seen or 0) == Seen.REFERENCE
        namespace, name = names.places[dataset.namespace or b""], dataset.name or ""
        yield from _table(namespace, name, names.own(node_id) or "", reference=reference)
    yield from _columns(read, names)
    yield from _statements(read, names)
    for symlink in read(Symlink):
        source, target = names.own(symlink.source), names.own(symlink.target)
        if source and target:
            yield edge("SYMLINK", source, target, type=symlink.type)


def _table(namespace: str, dataset: str, name: str, *, reference: bool) -> Iterator[Asset]:
    catalog, schema, table = path_of(namespace, dataset)
    yield node("Tenant", "tenant", None)
    yield node("Catalog", catalog, catalog)
    yield edge("OWNS_CATALOG", "tenant", catalog)
    parent = catalog
    if schema is not None:
        parent = f"{catalog}/{schema}"
        yield node("Schema", parent, schema)
        yield edge("HAS_SCHEMA", catalog, parent)
    yield node("Table", name, table, **({"reference": True} if reference else {}))
    yield edge("HAS_TABLE", parent, name)


def _columns(read: Read, names: AssetNames) -> Iterator[Asset]:
    columns: dict[str, set[str]] = defaultdict(set)
    schemas = {fact.schema: [field["name"] for field in json.loads(fact.fields)] for fact in read(SchemaVersion)}
    for part in read(ShapeDataset):
        for column in schemas.get(part.schema, ()):
            for table, name in names.columns(part.dataset, column, part.shape):
                columns[table].add(name)
    edges: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for flow in read(ShapeEdge):
        for source_column, target_column, kind, subtype, *_ in json.loads(flow.columns) if flow.columns else ():
            sources = names.columns(flow.source, source_column, flow.shape) if source_column else set()
            targets = names.columns(flow.target, target_column, flow.shape) if target_column else set()
            for table, name in sources | targets:
                columns[table].add(name)
            for source, target in product(sources, targets):
                edges["#".join(target), "#".join(source)].add((kind, subtype))
    for table, found in columns.items():
        for name in found if not names.is_told(table) else ():
            yield node("Column", f"{table}#{name}", name)
            yield edge("HAS_COLUMN", table, f"{table}#{name}")
    for (target_id, source_id), kinds in edges.items():
        yield edge("DERIVES_FROM", target_id, source_id, transformations=sorted(kinds))


def _statements(read: Read, names: AssetNames) -> Iterator[Asset]:
    """SQL nodes with the number of distinct runs that completed them, and their inputs and outputs."""
    by_shape = {shape.shape: shape.sql for shape in read(Shape) if shape.sql is not None}
    succeeded = {run.run for run in read(Run) if run.status == RunStatus.SUCCEEDED}
    runs: dict[bytes, set[bytes]] = defaultdict(set)
    for link in read(RunShape):
        if link.shape in by_shape and link.run in succeeded:
            runs[by_shape[link.shape]].add(link.run)
    for statement in read(SqlText):
        count = len(runs.get(statement.sql, ()))
        name = f"sql:{statement.sql.hex()}"
        yield node("SQL", name, statement.text, dialect=statement.dialect, executionCount=count)
        yield node("Tenant", "tenant", None)
        yield edge("OWNS_SQL", "tenant", name)
    edges = set()
    for part in read(ShapeDataset):
        sql = by_shape.get(part.shape)
        if sql is None:
            continue
        for table in names.tables(part.dataset, part.shape):
            if part.role == Role.INPUT:
                edges.add(("INPUT_OF", table, f"sql:{sql.hex()}"))
            elif part.role == Role.OUTPUT:
                edges.add(("OUTPUT_TO", f"sql:{sql.hex()}", table))
    for kind, source, target in edges:
        yield edge(kind, source, target)
