"""Nodes and edges of the asset graph that catalogs speak of: the tree of objects, metrics, tags, value domains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from headwater.graph.catalog.facts import AssetTag
from headwater.graph.catalog.names import AssetKind, Path, label_of, text_of
from headwater.graph.catalog.objects import CatalogObject, CatalogObjects
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.times import format_time

__all__ = ["Asset", "catalog_assets", "edge", "node", "times_of"]

Asset = dict[str, Any]
TENANT = "tenant"
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


def catalog_assets(objects: CatalogObjects, read: Callable[[type[Any]], Iterable[Any]]) -> Iterator[Asset]:
    """All nodes and edges that follow from what catalogs said."""
    for item in objects:
        yield from _object(item)
        if item.kind is AssetKind.METRIC:
            yield from _metric(item, objects)
    for kind, path, tag, said in objects.given(read(AssetTag)):
        yield from _tagged(kind, path, tag, said, objects)


def node(label: str, node_id: str, name: str | None, **properties: Any) -> Asset:
    """A node; what is not known is left out."""
    said = {key: value for key, value in properties.items() if value is not None}
    return {"asset": label, "id": node_id, **({"name": name} if name is not None else {}), **said}


def edge(label: str, source: str, target: str, **properties: Any) -> Asset:
    return {"edge": label, "from": source, "to": target, **properties}


def times_of(first: int | None, last: int | None) -> dict[str, str]:
    """The times that every node carries."""
    found = {"createdAt": first, "updatedAt": last}
    return {key: format_time(value) for key, value in found.items() if value is not None}


def _object(item: CatalogObject) -> Iterator[Asset]:
    kind, path, own = item.kind, item.path, text_of(item.kind, item.path)
    times = times_of(item.first_seen, stamp_time(max(item.present, item.told_at)))
    said = {key: value for key, value in item.details.items() if key not in _INNER}
    if kind in _CODED:
        said = {"code": path[-1], **said}
    if kind is AssetKind.CATALOG and path[0]:
        said = {"metalake": path[0], **said}
    name = said.pop("name", None) or (None if kind in _CODED else path[-1])
    if item.details.get("unresolvedColumns"):
        said["unresolvedColumns"] = item.details["unresolvedColumns"]
    yield node(label_of(kind, item.details.get("metricType")), own, name, **{**said, **times})
    if kind in _OWNED:
        yield node("Tenant", TENANT, None)
        yield edge(_OWNED[kind], TENANT, own)
    if kind is AssetKind.SCHEMA:
        yield edge("HAS_SCHEMA", text_of(AssetKind.CATALOG, path[:2]), own)
    elif kind is AssetKind.TABLE:
        yield edge("HAS_TABLE", text_of(AssetKind.SCHEMA, path[:3]), own)
        for column in item.columns.values():
            text = text_of(AssetKind.COLUMN, (*path, column["name"]))
            shown = {key: value for key, value in column.items() if key != "name"}
            yield node("Column", text, column["name"], **{**shown, **times})
            yield edge("HAS_COLUMN", own, text)
    elif kind is AssetKind.METRIC:
        yield edge("HAS_METRIC", text_of(AssetKind.SCHEMA, path[:3]), own)


def _metric(item: CatalogObject, objects: CatalogObjects) -> Iterator[Asset]:
    own, details = text_of(item.kind, item.path), item.details
    kind = details.get("metricType", "")
    for code in details.get("parents", ()) if kind in _PARENT_EDGES else ():
        parent = objects.nearest(AssetKind.METRIC, (*item.path[:3], code))
        if parent is not None and parent is not item:
            yield edge(_PARENT_EDGES[kind], own, text_of(AssetKind.METRIC, parent.path))
    table = details.get("table")
    if table is None or kind in _PARENT_EDGES:
        return
    for label, names in (("MEASURES", details.get("measures", ())), ("FILTERS_BY", details.get("filters", ()))):
        for name in names:
            column = objects.column_now((item.path[0], *table, name), item.told_at)
            if column is not None:
                yield edge(label, own, text_of(AssetKind.COLUMN, column))


def _tagged(kind: AssetKind, path: Path, tag: str, said: bytes, objects: CatalogObjects) -> Iterator[Asset]:
    own = text_of(kind, path)
    if tag.startswith(VALUE_DOMAIN):
        code = tag.removeprefix(VALUE_DOMAIN)
        schema = path[2] if len(path) > 2 else ""
        domain = objects.nearest(AssetKind.VALUEDOMAIN, (path[0], path[1] if len(path) > 1 else "", schema, code))
        if domain is not None and objects.history.now(domain.kind, domain.path, said) is not None:
            yield edge("HAS_VALUE_DOMAIN", own, text_of(AssetKind.VALUEDOMAIN, domain.path))
        return
    now = objects.history.now(AssetKind.TAG, (path[0], tag), said)
    found = objects.get(AssetKind.TAG, now) if now is not None else None
    if found is not None:
        yield edge("HAS_TAG", own, text_of(AssetKind.TAG, found.path))
