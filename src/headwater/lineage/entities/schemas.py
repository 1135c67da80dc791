"""Schemas of a dataset: current, confidence, history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from headwater.graph.annotations.described import Described
from headwater.graph.current.schemas import SchemaUse
from headwater.graph.facts import SchemaVersion
from headwater.lineage.answer.entity_records import SchemaField, SchemaHistoryItem
from headwater.lineage.answer.values import moment, role_names, stamped
from headwater.lineage.names.keys import column_key

__all__ = [
    "column_paths",
    "described_fields",
    "keyed",
    "read_fields",
    "schema_history",
]

_fields = msgspec.json.Decoder(list[SchemaField])


def schema_history(uses: list[SchemaUse], versions: Mapping[bytes, SchemaVersion]) -> list[SchemaHistoryItem]:
    """All schemas in order of appearance, each with its difference from the one before."""
    history: list[SchemaHistoryItem] = []
    before: dict[str, Any] = {}
    for index, use in enumerate(uses):
        version = versions.get(use.schema)
        fields = read_fields(version.fields if version else None)
        columns = {field.name: field.type for field in fields}
        history.append(
            SchemaHistoryItem(
                id=use.schema.hex(),
                first_seen=moment(use.first_seen),
                last_seen=stamped(use.last),
                used_as=role_names(use.roles),
                added=[name for name in columns if name not in before] if index else [],
                removed=[name for name in before if name not in columns],
                changed=[name for name in columns if name in before and columns[name] != before[name]],
                fields=fields,
            )
        )
        before = columns
    return history


def column_paths(fields: Iterable[SchemaField], above: str = "") -> Iterator[str]:
    """The columns of a schema; one inside of another is `outer.inner`."""
    for field in fields:
        yield above + field.name
        yield from column_paths(field.fields, f"{above}{field.name}.")


def described_fields(fields: Iterable[SchemaField], annotation: Described, above: str = "") -> list[SchemaField]:
    """The same with the tags of columns, and descriptions that people wrote."""
    return [
        SchemaField(
            field.name,
            field.type,
            annotation.column_descriptions.get(above + field.name, field.description),
            described_fields(field.fields, annotation, f"{above}{field.name}."),
            tags=annotation.column_tags.get(above + field.name, []),
        )
        for field in fields
    ]


def read_fields(blob: bytes | None) -> list[SchemaField]:
    return _fields.decode(blob) if blob else []


def keyed(dataset: bytes, fields: list[SchemaField], outer: str = "") -> list[SchemaField]:
    """The columns of a dataset, each with its key; nested ones are called `outer.inner`."""
    return [
        msgspec.structs.replace(
            field,
            key=column_key(dataset, outer + field.name),
            fields=keyed(dataset, field.fields, f"{outer}{field.name}."),
        )
        for field in fields
    ]
