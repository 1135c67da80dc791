"""The schemas of a dataset: which one holds, how sure that is, and how it changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.described import Described
from headwater.graph.facts import Evidence, Role, SchemaVersion, ShapeDataset
from headwater.lineage.answers import SchemaField, SchemaHistoryItem
from headwater.lineage.keys import column_key
from headwater.lineage.shown import moment, newer, stamped

__all__ = [
    "SchemaUse",
    "column_paths",
    "current_schema",
    "described_fields",
    "keyed",
    "read_fields",
    "schema_history",
    "schema_uses",
]

_fields = msgspec.json.Decoder(list[SchemaField])


class SchemaUse(Struct, frozen=True):
    """One schema of a dataset, whoever used it."""

    schema: bytes
    first_seen: int | None
    last: bytes
    """Stamp of the newest interaction with it."""
    last_written: bytes
    roles: frozenset[int]


def schema_uses(parts: Iterable[ShapeDataset], evidence: Mapping[bytes, Evidence]) -> list[SchemaUse]:
    """Every schema that an interaction with the dataset had; a mere reference is none."""
    found: dict[bytes, SchemaUse] = {}
    for part in parts:
        if part.schema is None or part.role in (Role.REFERENCE, Role.JOB):
            continue
        said, known = evidence.get(part.shape), found.get(part.schema)
        last = said.last or b"" if said else b""
        times = (said.first_seen if said else None, known.first_seen if known else None)
        found[part.schema] = SchemaUse(
            part.schema,
            min((time for time in times if time is not None), default=None),
            newer(last, known.last if known else None),
            newer(last if part.role != Role.INPUT else None, known.last_written if known else None),
            frozenset({part.role}) | (known.roles if known else frozenset()),
        )
    return sorted(found.values(), key=lambda use: (use.first_seen or 0, use.last, use.schema))


def current_schema(uses: list[SchemaUse]) -> tuple[bytes, str] | None:
    """The schema that holds: the only one there is, or that of the latest interaction.

    One who writes knows the whole dataset, one who reads perhaps only the columns he chose. So where both happened,
    the latest write decides.
    """
    if not uses:
        return None
    if len(uses) == 1:
        return uses[0].schema, "EXACT_MATCH"
    newest = max(uses, key=lambda use: (use.last_written, use.last, use.schema))
    return newest.schema, "LATEST_KNOWN"


def schema_history(uses: list[SchemaUse], versions: Mapping[bytes, SchemaVersion]) -> list[SchemaHistoryItem]:
    """All schemas in the order in which they came up, each with what it changed."""
    history: list[SchemaHistoryItem] = []
    before: dict[str, Any] = {}
    for place, use in enumerate(uses):
        version = versions.get(use.schema)
        fields = read_fields(version.fields if version else None)
        columns = {field.name: field.type for field in fields}
        history.append(
            SchemaHistoryItem(
                id=use.schema.hex(),
                first_seen=moment(use.first_seen),
                last_seen=stamped(use.last),
                used_as=[Role(role).name for role in sorted(use.roles)],
                added=[name for name in columns if name not in before] if place else [],
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


def described_fields(fields: Iterable[SchemaField], said: Described, above: str = "") -> list[SchemaField]:
    """The same with the tags of columns, and descriptions that people wrote."""
    return [
        SchemaField(
            field.name,
            field.type,
            said.column_descriptions.get(above + field.name, field.description),
            described_fields(field.fields, said, f"{above}{field.name}."),
            tags=said.column_tags.get(above + field.name, []),
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
