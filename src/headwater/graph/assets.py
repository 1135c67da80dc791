"""The asset graph: what the facts say about tables and columns, apart from who said it and when.

Catalogs, schemas, tables and columns hang under the tenant; a statement stands between the tables it reads and those
it writes. It is a function of the facts and stored nowhere, so it can never disagree with them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from headwater.graph.fact import Fact
from headwater.graph.facts import (
    Namespace,
    Node,
    NodeKind,
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
Asset = dict[str, Any]


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
    places = {fact.namespace: fact.text for fact in read(Namespace)}
    tables: dict[bytes, str] = {}
    for node in read(Node):
        if node.kind == NodeKind.DATASET and node.namespace in places:
            name = f"{places[node.namespace]}:{node.name}"
            tables[node.node] = name
            reference = Seen(node.seen or 0) == Seen.REFERENCE
            yield from _table(places[node.namespace] or "", node.name or "", name, reference=reference)
    yield from _columns(read, tables)
    yield from _statements(read, tables)
    for symlink in read(Symlink):
        if symlink.source in tables and symlink.target in tables:
            yield _edge("SYMLINK", tables[symlink.source], tables[symlink.target], type=symlink.type)


def _table(namespace: str, dataset: str, name: str, *, reference: bool) -> Iterator[Asset]:
    catalog, schema, table = path_of(namespace, dataset)
    yield _node("Tenant", "tenant", None)
    yield _node("Catalog", catalog, catalog)
    yield _edge("OWNS_CATALOG", "tenant", catalog)
    parent = catalog
    if schema is not None:
        parent = f"{catalog}/{schema}"
        yield _node("Schema", parent, schema)
        yield _edge("HAS_SCHEMA", catalog, parent)
    yield _node("Table", name, table, **({"reference": True} if reference else {}))
    yield _edge("HAS_TABLE", parent, name)


def _columns(read: Read, tables: dict[bytes, str]) -> Iterator[Asset]:
    columns: dict[str, set[str]] = defaultdict(set)
    schemas = {fact.schema: [field["name"] for field in json.loads(fact.fields)] for fact in read(SchemaVersion)}
    for part in read(ShapeDataset):
        if part.schema in schemas and part.dataset in tables:
            columns[tables[part.dataset]].update(schemas[part.schema])
    edges: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for edge in read(ShapeEdge):
        source, target = tables.get(edge.source), tables.get(edge.target)
        for source_column, target_column, kind, subtype, *_ in json.loads(edge.columns) if edge.columns else ():
            if source and source_column:
                columns[source].add(source_column)
            if target and target_column:
                columns[target].add(target_column)
            if source and target and source_column and target_column:
                edges[f"{target}#{target_column}", f"{source}#{source_column}"].add((kind, subtype))
    for table, names in columns.items():
        for name in names:
            yield _node("Column", f"{table}#{name}", name)
            yield _edge("HAS_COLUMN", table, f"{table}#{name}")
    for (target_id, source_id), kinds in edges.items():
        yield _edge("DERIVES_FROM", target_id, source_id, transformations=sorted(kinds))


def _statements(read: Read, tables: dict[bytes, str]) -> Iterator[Asset]:
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
        yield _node("SQL", name, statement.text, dialect=statement.dialect, executionCount=count)
        yield _node("Tenant", "tenant", None)
        yield _edge("OWNS_SQL", "tenant", name)
    edges = set()
    for part in read(ShapeDataset):
        sql = by_shape.get(part.shape)
        if sql is None or part.dataset not in tables:
            continue
        if part.role == Role.INPUT:
            edges.add(("INPUT_OF", tables[part.dataset], f"sql:{sql.hex()}"))
        elif part.role == Role.OUTPUT:
            edges.add(("OUTPUT_TO", f"sql:{sql.hex()}", tables[part.dataset]))
    for kind, source, target in edges:
        yield _edge(kind, source, target)


def _node(label: str, node_id: str, name: str | None, **properties: Any) -> Asset:
    said = {key: value for key, value in properties.items() if value is not None}
    return {"asset": label, "id": node_id, **({"name": name} if name is not None else {}), **said}


def _edge(label: str, source: str, target: str, **properties: Any) -> Asset:
    return {"edge": label, "from": source, "to": target, **properties}
