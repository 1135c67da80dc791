"""Wire format of Gravitino's listener: its dataset facets, and its values in schema fields."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

__all__ = ["ColumnFacet", "GravitinoFacet", "TableAlteration", "TagFacet", "names_of_columns", "pairs_of"]


class ColumnFacet(Struct, frozen=True, gc=False, rename="camel"):
    name: str
    nullable: bool | None = None
    auto_increment: bool | None = None
    default_value: str | None = None


class TableAlteration(Struct, frozen=True, gc=False, rename="camel"):
    """One of the changes of `alter_table`. Only those of names are read; the snapshot has the rest."""

    type: str = ""
    new_name: str | None = None
    new_schema_name: str | None = None
    column_name: str | None = None
    old_column_name: str | None = None
    new_column_name: str | None = None


class GravitinoFacet(Struct, frozen=True, gc=False, rename="camel"):
    description: str | None = None
    properties: dict[str, Any] | None = None
    partitions: str | None = None
    distribution: str | None = None
    sort_orders: str | None = None
    indexes: str | None = None
    creator: str | None = None
    create_time: str | None = None
    last_modifier: str | None = None
    last_modified_time: str | None = None
    catalog_type: str | None = field(name="type", default=None)
    provider: str | None = None
    columns: list[ColumnFacet] | None = None
    changes: list[TableAlteration] | None = None


class TagFacet(Struct, frozen=True, gc=False, rename="camel"):
    object_type: str = ""
    tags_to_add: list[str] | None = None
    tags_to_remove: list[str] | None = None
    associated_tags: list[str] | None = None


def names_of_columns(text: str | None) -> tuple[list[str], list[Any]]:
    """Names of columns, and the ids of those that are only given by id.

    >>> names_of_columns('[{"name": "amount"}]'), names_of_columns("[123,456]")
    ((['amount'], []), ([], [123, 456]))
    """
    names: list[str] = []
    ids: list[Any] = []
    try:
        items = msgspec.json.decode(text) if text else []
    except (msgspec.DecodeError, RecursionError):
        return [], []
    for item in items if isinstance(items, list) else []:
        name = item.get("name") if isinstance(item, dict) else item
        if isinstance(name, str) and name and not name.isdigit():
            names.append(name)
        elif isinstance(name, (int, str)) and name and not isinstance(name, bool):
            ids.append(name)
    return names, ids


def pairs_of(text: str) -> dict[str, str]:
    """Properties as a tag has them.

    >>> pairs_of("colour=red,level=3")
    {'colour': 'red', 'level': '3'}
    """
    return dict(pair.split("=", 1) for pair in text.split(",") if "=" in pair)
