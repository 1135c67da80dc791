"""Tables, schemas and catalogs: properties, former names, drops."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import asdict

from headwater.graph.catalog.names import SCHEME, AssetKind, Path
from headwater.graph.fact import Fact
from headwater.interpret.gravitino.statement import CatalogStatement
from headwater.interpret.gravitino.wire import GravitinoFacet, TableAlteration
from headwater.openlineage.event import Dataset
from headwater.openlineage.facets import Schema, read_facet, read_members
from headwater.openlineage.naming import clean

__all__ = ["as_dataset", "catalog_is", "is_gone", "schema_is", "table_is"]

_OF_TABLES = (
    "description",
    "properties",
    "partitions",
    "distribution",
    "sort_orders",
    "indexes",
    "creator",
    "create_time",
    "last_modifier",
    "last_modified_time",
)
_OF_PLACES = ("description", "properties", "catalog_type", "provider")
_SHOWN = {
    "sort_orders": "sortOrders",
    "create_time": "createTime",
    "last_modifier": "lastModifier",
    "last_modified_time": "lastModifiedTime",
    "catalog_type": "catalogType",
}
_TABLE_FACETS = ("schema", "lifecycleStateChange", "symlinks")


def table_is(statement: CatalogStatement) -> list[Fact]:
    """The table exists as in the event's snapshot; statements under its old names follow the new ones."""
    path = statement.path(AssetKind.TABLE)
    if path is None:
        return []
    facet = _facet(statement)
    steps, now = _steps(path, facet)
    facts: list[Fact] = [*statement.above(now), statement.present(AssetKind.TABLE, now, _table(statement, facet))]
    if steps:
        facts.append(statement.changed(AssetKind.TABLE, path, steps))
    return facts


def schema_is(statement: CatalogStatement) -> list[Fact]:
    path = statement.path(AssetKind.SCHEMA)
    if path is None:
        return []
    return [*statement.above(path), statement.present(AssetKind.SCHEMA, path, _place(statement))]


def catalog_is(statement: CatalogStatement) -> list[Fact]:
    path = statement.path(AssetKind.CATALOG)
    return [statement.present(AssetKind.CATALOG, path, _place(statement))] if path is not None else []


def is_gone(statement: CatalogStatement, kind: AssetKind) -> list[Fact]:
    """The object was dropped, and all that hangs on it."""
    path = statement.path(kind)
    return [statement.changed(kind, path, [["drop"]])] if path is not None else []


def as_dataset(statement: CatalogStatement) -> Dataset | None:
    """The table as a dataset, under its new name if it has got one."""
    path = statement.path(AssetKind.TABLE)
    if path is None:
        return None
    facet, sent = _facet(statement), statement.dataset.facets
    _, now = _steps(path, facet)
    facets = {name: sent[name] for name in _TABLE_FACETS if name in sent}
    if facet is not None and facet.description:
        facets["documentation"] = _raw({"description": facet.description})
    namespace, name, old = SCHEME + "/".join(now[:2]), ".".join(now[2:]), ".".join(path[2:])
    if now != path:
        previous = {"namespace": namespace, "name": old}
        facets["lifecycleStateChange"] = _raw({"lifecycleStateChange": "RENAME", "previousIdentifier": previous})
    return Dataset(namespace, name, facets)


def _facet(statement: CatalogStatement) -> GravitinoFacet | None:
    facets, event = statement.dataset.facets, statement.event
    return read_facet(GravitinoFacet, facets, "gravitino", statement.facets_path, event.warnings)


def _steps(path: Path, facet: GravitinoFacet | None) -> tuple[list[list[Any]], Path]:
    """The changes that give and take names, in their order, and the path after them."""
    steps: list[list[Any]] = []
    for change in facet.changes or () if facet is not None else ():
        step, path = _step(change, path)
        if step:
            steps.append(step)
    return steps, path


def _step(change: TableAlteration, path: Path) -> tuple[list[Any], Path]:
    if change.type == "RENAME_TABLE" and change.new_name:
        now = (*path[:2], clean(change.new_schema_name or path[2]), clean(change.new_name))
        return (["rename", list(now)], now) if now != path else ([], path)
    if change.type == "RENAME_COLUMN" and change.old_column_name and change.new_column_name:
        return ["rename_column", clean(change.old_column_name), clean(change.new_column_name)], path
    if change.type == "DELETE_COLUMN" and change.column_name:
        return ["drop_column", clean(change.column_name)], path
    return [], path


def _table(statement: CatalogStatement, facet: GravitinoFacet | None) -> dict[str, Any] | None:
    facets, warnings = statement.dataset.facets, statement.event.warnings
    schema = read_facet(Schema, facets, "schema", statement.facets_path, warnings)
    if facet is None and schema is None:
        return None
    details = {"producer": "gravitino", **_members(facet, _OF_TABLES)}
    columns: dict[str, dict[str, Any]] = {}
    for field in (schema.fields if schema else None) or ():
        if field.name:
            columns[field.name] = {"name": field.name, "dataType": field.type, "description": field.description}
    for column in (facet.columns if facet else None) or ():
        column_values = columns.setdefault(column.name, {"name": column.name})
        column_values["nullable"], column_values["autoIncrement"] = column.nullable, column.auto_increment
        column_values["defaultValue"] = column.default_value
    shown = [{key: value for key, value in column.items() if value is not None} for column in columns.values()]
    return {**details, "columns": shown}


def _place(statement: CatalogStatement) -> dict[str, Any] | None:
    """Properties of a schema or catalog; None if the event only names it."""
    facet = _facet(statement)
    facets, warnings = statement.dataset.facets, statement.event.warnings
    documentation = read_members(facets, "documentation", statement.facets_path, warnings) or {}
    if facet is None and not documentation:
        return None
    members = _members(facet, _OF_PLACES)
    text = documentation.get("description")
    return {**members, **({"description": text} if isinstance(text, str) and "description" not in members else {})}


def _members(facet: GravitinoFacet | None, names: tuple[str, ...]) -> dict[str, Any]:
    members = asdict(facet) if facet is not None else {}
    return {_SHOWN.get(name, name): members[name] for name in names if members.get(name) is not None}


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
