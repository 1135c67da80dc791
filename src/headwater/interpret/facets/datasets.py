"""A dataset's part in an event: names, schema, symlinks, lifecycle, column lineage."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

from headwater.graph.facts import OutputType, Role, SchemaVersion, Seen
from headwater.interpret.details import JobRef
from headwater.interpret.facets.columns import ColumnEdge, ColumnEdges, read_column_lineage
from headwater.interpret.facets.locations import dataset_as_sent
from headwater.openlineage.event import Dataset, EventWarning, Facets
from headwater.openlineage.facets import (
    Lineage,
    Schema,
    SchemaField,
    StateChange,
    Symlinks,
    read_facet,
    read_members,
)
from headwater.openlineage.identity import digest
from headwater.openlineage.naming import DatasetName, clean, dataset_name
from headwater.openlineage.plain import PlainSchema

__all__ = ["KEPT_FACETS", "DatasetPart", "Parts", "read_dataset", "read_subject"]

KEPT_FACETS = (
    "documentation",
    "ownership",
    "tags",
    "dataSource",
    "datasetType",
    "catalog",
    "hierarchy",
    "storage",
    "headwater_information",
)
_KEPT = frozenset(KEPT_FACETS)
_STATES = {member.name: member for member in OutputType}
_encode = msgspec.json.Encoder().encode
_plain = msgspec.json.Decoder(PlainSchema)
_IN_MEMORY_CATALOG = "default_catalog.default_database."


class DatasetPart(Struct):
    """One dataset in one role; mentioned twice, it is still one."""

    name: DatasetName
    role: Role
    schema: bytes | None = None
    types: OutputType | None = None
    explicit: bool = False
    kept: dict[str, Any] = field(default_factory=dict)
    columns: ColumnEdges = field(default_factory=dict)
    lineage: Lineage | None = None
    renamed_from: DatasetName | None = None


class Parts(Struct):
    """All that is collected while the datasets of one event are read."""

    datasets: dict[tuple[bytes, Role], DatasetPart] = field(default_factory=dict)
    names: dict[DatasetName, Seen] = field(default_factory=dict)
    symlinks: set[tuple[bytes, bytes, str]] = field(default_factory=set)
    schemas: dict[bytes, SchemaVersion] = field(default_factory=dict)
    jobs: dict[bytes, JobRef] = field(default_factory=dict)
    """Jobs that a `lineage` facet names."""
    edges: dict[tuple[bytes, bytes], set[ColumnEdge]] = field(default_factory=dict)
    """By source and target; without column edges where only the flow between the two is known."""

    def see(self, name: DatasetName, seen: Seen) -> None:
        known = self.names.get(name)
        self.names[name] = seen if known is None else known | seen

    def part(self, name: DatasetName, role: Role) -> DatasetPart:
        found = self.datasets.get((name.id, role))
        if found is None:
            found = self.datasets[name.id, role] = DatasetPart(name, role)
        return found


def read_dataset(
    parts: Parts,
    dataset: Dataset,
    path: str,
    integration: str,
    default: OutputType | None,
    warnings: list[EventWarning],
    *,
    output: bool = False,
) -> DatasetPart:
    """Read an input or output."""
    role, seen = (Role.OUTPUT, Seen.OUTPUT) if output else (Role.INPUT, Seen.INPUT)
    part = _read(parts, dataset, role, seen, f"{path}.facets", integration, warnings)
    if output and part.types is None:
        part.types = default
    return part


def read_subject(parts: Parts, dataset: Dataset, integration: str, warnings: list[EventWarning]) -> DatasetPart:
    """Read the dataset that a dataset event is about."""
    return _read(parts, dataset, Role.SUBJECT, Seen.SUBJECT, "$.dataset.facets", integration, warnings)


def _read(
    parts: Parts,
    dataset: Dataset,
    role: Role,
    seen: Seen,
    path: str,
    integration: str,
    warnings: list[EventWarning],
) -> DatasetPart:
    name = dataset_as_sent(dataset.namespace, dataset.name, integration)
    parts.see(name, seen)
    part = parts.part(name, role)
    facets = dataset.facets
    if not facets:
        return part
    if "schema" in facets:
        schema = _read_schema(facets, path, warnings)
        if schema is not None and (part.schema is None or schema.schema > part.schema):
            parts.schemas[schema.schema] = schema
            part.schema = schema.schema
    if "symlinks" in facets:
        _read_symlinks(parts, name, facets, path, integration, warnings)
    if "lifecycleStateChange" in facets:
        _read_state(parts, part, facets, path, warnings)
    for facet in () if _KEPT.isdisjoint(facets) else KEPT_FACETS:
        if facet in facets:
            members = read_members(facets, facet, path, warnings)
            if members is not None:
                part.kept[facet] = members
    if "columnLineage" in facets:
        columns = read_column_lineage(facets, path, integration, warnings)
        for source, edges in part.columns.items():
            columns.setdefault(source, set()).update(edges)
        part.columns = columns
    if "lineage" in facets:
        lineage = read_facet(Lineage, facets, "lineage", path, warnings)
        if lineage is not None:
            part.lineage, part.explicit = lineage, True
    return part


def _read_schema(facets: Facets, path: str, warnings: list[EventWarning]) -> SchemaVersion | None:
    fields = _plain_fields(facets["schema"])
    if fields is None:
        facet = read_facet(Schema, facets, "schema", path, warnings)
        if facet is None or not facet.fields:
            return None
        fields = _encode(_normal(facet.fields))
    return SchemaVersion(0, digest("schema", fields), fields=fields)


def _plain_fields(raw: msgspec.Raw) -> bytes | None:
    """The normal form of fields that are in it already; None if they are not, or cannot be read."""
    try:
        return None if b"\\" in bytes(raw) else _encode(_plain.decode(raw).fields)  # only an escape can be unclean
    except (msgspec.DecodeError, RecursionError):
        return None


def _normal(fields: list[SchemaField]) -> list[SchemaField]:
    """Fields in their order, blanks dropped."""
    if all(item.ordinal_position is not None for item in fields):
        fields = sorted(fields, key=lambda item: item.ordinal_position or 0)
    return [
        SchemaField(
            name=clean(item.name),
            type=clean(item.type) if item.type else None,
            description=clean(item.description) if item.description else None,
            fields=_normal(item.fields) if item.fields else None,
        )
        for item in fields
        if item.name
    ]


def _read_symlinks(
    parts: Parts, name: DatasetName, facets: Facets, path: str, integration: str, warnings: list[EventWarning]
) -> None:
    facet = read_facet(Symlinks, facets, "symlinks", path, warnings)
    for index, symlink in enumerate(facet.identifiers or () if facet else ()):
        if not (symlink.namespace and symlink.name):
            where = f"{path}.symlinks.identifiers[{index}]"
            warnings.append(EventWarning(where, "set aside: a symlink needs namespace and name"))
            continue
        if integration == "FLINK" and symlink.name.startswith(_IN_MEMORY_CATALOG):
            continue  # a name inside one Flink session, which the next job gives to another topic
        other = dataset_name(symlink.namespace, symlink.name)
        if other.id == name.id:
            continue
        parts.see(other, Seen.SYMLINK)
        kind = (symlink.type or "TABLE").upper()
        there, back = ("WAREHOUSE", "METASTORE") if kind == "LOCATION" else ("METASTORE", "WAREHOUSE")
        parts.symlinks |= {(name.id, other.id, there), (other.id, name.id, back)}


def _read_state(parts: Parts, part: DatasetPart, facets: Facets, path: str, warnings: list[EventWarning]) -> None:
    facet = read_facet(StateChange, facets, "lifecycleStateChange", path, warnings)
    if facet is None or not facet.lifecycleStateChange:
        return
    state = _STATES.get(facet.lifecycleStateChange.strip().upper())
    if state is None:
        where = f"{path}.lifecycleStateChange.lifecycleStateChange"
        warnings.append(EventWarning(where, f"unknown state {facet.lifecycleStateChange!r}"))
        return
    part.types = state if part.types is None else part.types | state
    previous = facet.previousIdentifier
    if state is OutputType.RENAME and previous and previous.name:
        old = dataset_name(previous.namespace or part.name.namespace, previous.name)
        if old.id != part.name.id:
            parts.see(old, Seen.REFERENCE)
            part.renamed_from = old
