"""Names of catalog objects: their paths, ids, and the texts that stand for them in the asset graph."""

from __future__ import annotations

import re
from enum import IntEnum

from headwater.openlineage.identity import digest

__all__ = ["SCHEME", "AssetKind", "Path", "asset_id", "label_of", "path_of_dataset", "path_of_namespace", "text_of"]

SCHEME = "gravitino://"
Path = tuple[str, ...]
"""Metalake, catalog, schema, name; fewer for a higher object. An empty part is unknown."""
_NAMESPACE = re.compile(r"gravitino://(?:tenant/\d+(?:/|$))?(?:([^/]+)(?:/([^/]+))?)?/*$")


class AssetKind(IntEnum):
    """Kinds of objects. The order is that of the tree, parents first."""

    __hash__ = int.__hash__  # that of enumerations takes ten times as long

    CATALOG = 1
    SCHEMA = 2
    TABLE = 3
    METRIC = 4
    WORDROOT = 5
    MODIFIER = 6
    UNIT = 7
    VALUEDOMAIN = 8
    TAG = 9
    COLUMN = 10
    """Of columns only tags and renames are kept; the table has the list of its columns."""


_LABELS = {
    AssetKind.CATALOG: "Catalog",
    AssetKind.SCHEMA: "Schema",
    AssetKind.TABLE: "Table",
    AssetKind.COLUMN: "Column",
    AssetKind.WORDROOT: "WordRoot",
    AssetKind.MODIFIER: "Modifier",
    AssetKind.UNIT: "Unit",
    AssetKind.VALUEDOMAIN: "ValueDomain",
    AssetKind.TAG: "Tag",
}


def asset_id(kind: AssetKind, path: Path) -> bytes:
    """The id of an object: a function of its kind and names."""
    return digest("asset", kind.name, *path)


def label_of(kind: AssetKind, metric_type: str | None = None) -> str:
    """The label of a node; a metric has one of three.

    >>> label_of(AssetKind.METRIC, "DERIVED"), label_of(AssetKind.UNIT)
    ('DerivedMetric', 'Unit')
    """
    if kind is AssetKind.METRIC:
        return {"DERIVED": "DerivedMetric", "COMPOSITE": "CompositeMetric"}.get(metric_type or "", "AtomicMetric")
    return _LABELS[kind]


def text_of(kind: AssetKind, path: Path) -> str:
    """The id of a node in the asset graph. Catalogs, schemas, tables and columns have those of datasets.

    >>> text_of(AssetKind.TABLE, ("lake", "hive", "sales", "orders"))
    'gravitino://lake/hive:sales.orders'
    >>> text_of(AssetKind.METRIC, ("lake", "hive", "sales", "GMV"))
    'metric:gravitino://lake/hive:sales.GMV'
    """
    known = [part for part in path if part]
    if kind is AssetKind.TAG:
        return f"tag:{SCHEME}{path[0]}:{path[-1]}" if path[0] else f"tag:{path[-1]}"
    catalog = SCHEME + "/".join(part for part in path[:2] if part)
    if kind is AssetKind.CATALOG:
        return catalog if known else SCHEME
    if kind is AssetKind.SCHEMA:
        return f"{catalog}/{path[2]}"
    if kind is AssetKind.COLUMN:
        return f"{catalog}:{path[2]}.{path[3]}#{path[4]}"
    name = ".".join(part for part in path[2:4] if part)
    return f"{catalog}:{name}" if kind is AssetKind.TABLE else f"{kind.name.lower()}:{catalog}:{name}"


def path_of_namespace(namespace: str) -> Path | None:
    """Metalake and catalog that a namespace names, each empty where it does not; None if it is none of Gravitino's.

    >>> path_of_namespace("gravitino://tenant/7/lake/hive"), path_of_namespace("gravitino://lake")
    (('lake', 'hive'), ('lake', ''))
    >>> path_of_namespace("gravitino"), path_of_namespace("s3://lake")
    (('', ''), None)
    """
    if namespace == "gravitino":
        return "", ""
    found = _NAMESPACE.match(namespace)
    return (found.group(1) or "", found.group(2) or "") if found else None


def path_of_dataset(namespace: str, name: str) -> Path | None:
    """The path of a table that is named as a dataset; None if it is none of Gravitino's.

    >>> path_of_dataset("gravitino://lake/hive", "sales.orders")
    ('lake', 'hive', 'sales', 'orders')
    """
    if not namespace.startswith(SCHEME):
        return None
    schema_path, (schema, dot, table) = path_of_namespace(namespace), name.partition(".")
    return (*schema_path, schema, table) if schema_path and all(schema_path) and dot and schema and table else None
