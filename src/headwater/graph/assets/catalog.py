"""Nodes and edges of the asset graph that catalogs speak of: the tree of objects, metrics, tags, value domains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from headwater.graph.assets.asset import SEMANTIC, TENANT, Owned, edge, node, times_of
from headwater.graph.catalog.facts import AssetTag
from headwater.graph.catalog.names import AssetKind, Path, label_of, text_of
from headwater.graph.catalog.objects import CatalogObject, CatalogObjects
from headwater.openlineage.identity import stamp_time

__all__ = ["catalog_assets"]

VALUE_DOMAIN = "vd:"
"""How a tag begins that stands for a value domain."""
_OWNED = {
    AssetKind.CATALOG: "OWNS_CATALOG",
    AssetKind.METRIC: "OWNS_METRIC",
    AssetKind.WORDROOT: "OWNS_WORDROOT",
    AssetKind.MODIFIER: "OWNS_MODIFIER",
    AssetKind.UNIT: "OWNS_UNIT",
    AssetKind.VALUEDOMAIN: "OWNS_VALUEDOMAIN",
    AssetKind.TAG: "OWNS_TAG",
}
_CODED = {AssetKind.METRIC, AssetKind.WORDROOT, AssetKind.MODIFIER, AssetKind.UNIT, AssetKind.VALUEDOMAIN}
_INNER = ("columns", "parents", "table", "measures", "filters", "metricType", "unresolvedColumns")
"""Details that become edges or nodes of their own, or the label."""
_PARENT_EDGES = {"DERIVED": "DERIVED_FROM", "COMPOSITE": "COMPUTED_FROM"}


def catalog_assets(objects: CatalogObjects, read: Callable[[type[Any]], Iterable[Any]]) -> Iterator[Owned]:
    """Nodes and edges from the events of catalogs."""
    for item in objects:
        yield from _object(item)
        if item.kind is AssetKind.METRIC:
            yield from _metric(item, objects)
    for kind, path, tag, properties in objects.given(read(AssetTag)):
        yield from _tagged(kind, path, tag, properties, objects)


def _object(item: CatalogObject) -> Iterator[Owned]:
    kind, path, own = item.kind, item.path, text_of(item.kind, item.path)
    owner = own if kind in (AssetKind.CATALOG, AssetKind.SCHEMA, AssetKind.TABLE) else SEMANTIC
    times = times_of(item.first_seen, stamp_time(max(item.present, item.stated_at)))
    properties = {key: value for key, value in item.details.items() if key not in _INNER}
    if kind in _CODED:
        properties = {"code": path[-1], **properties}
    if kind is AssetKind.CATALOG and path[0]:
        properties = {"metalake": path[0], **properties}
    name = properties.pop("name", None) or (None if kind in _CODED else path[-1])
    if item.details.get("unresolvedColumns"):
        properties["unresolvedColumns"] = item.details["unresolvedColumns"]
    yield owner, node(label_of(kind, item.details.get("metricType")), own, name, **{**properties, **times})
    if kind in _OWNED:
        yield owner, node("Tenant", TENANT, None)
        yield owner, edge(_OWNED[kind], TENANT, own)
    if kind is AssetKind.SCHEMA:
        yield owner, edge("HAS_SCHEMA", text_of(AssetKind.CATALOG, path[:2]), own)
    elif kind is AssetKind.TABLE:
        yield owner, edge("HAS_TABLE", text_of(AssetKind.SCHEMA, path[:3]), own)
        for column in item.columns.values():
            text = text_of(AssetKind.COLUMN, (*path, column["name"]))
            shown = {key: value for key, value in column.items() if key != "name"}
            yield owner, node("Column", text, column["name"], **{**shown, **times})
            yield owner, edge("HAS_COLUMN", own, text)
    elif kind is AssetKind.METRIC:
        yield owner, edge("HAS_METRIC", text_of(AssetKind.SCHEMA, path[:3]), own)


def _metric(item: CatalogObject, objects: CatalogObjects) -> Iterator[Owned]:
    own, details = text_of(item.kind, item.path), item.details
    kind = details.get("metricType", "")
    for code in details.get("parents", ()) if kind in _PARENT_EDGES else ():
        parent = objects.nearest(AssetKind.METRIC, (*item.path[:3], code), item.stated_at)
        if parent is not None and parent is not item:
            yield SEMANTIC, edge(_PARENT_EDGES[kind], own, text_of(AssetKind.METRIC, parent.path))
    table = details.get("table")
    if table is None or kind in _PARENT_EDGES:
        return
    for label, names in (("MEASURES", details.get("measures", ())), ("FILTERS_BY", details.get("filters", ()))):
        for name in names:
            column = objects.column_now((item.path[0], *table, name), item.stated_at)
            if column is not None:
                yield SEMANTIC, edge(label, own, text_of(AssetKind.COLUMN, column))


def _tagged(kind: AssetKind, path: Path, tag: str, properties: bytes, objects: CatalogObjects) -> Iterator[Owned]:
    own = text_of(kind, path)
    if tag.startswith(VALUE_DOMAIN):
        code = tag.removeprefix(VALUE_DOMAIN)
        schema = path[2] if len(path) > 2 else ""
        place = (path[0], path[1] if len(path) > 1 else "", schema, code)
        domain = objects.nearest(AssetKind.VALUEDOMAIN, place, properties)
        if domain is not None:
            yield SEMANTIC, edge("HAS_VALUE_DOMAIN", own, text_of(AssetKind.VALUEDOMAIN, domain.path))
        return
    now = objects.history.now(AssetKind.TAG, (path[0], tag), properties)
    found = objects.get(AssetKind.TAG, now) if now is not None else None
    if found is not None:
        yield SEMANTIC, edge("HAS_TAG", own, text_of(AssetKind.TAG, found.path))
