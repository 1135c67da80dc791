"""The standard facets that Headwater reads, and their tolerant decoding.

`null`, a facet with `_deleted`, and one that cannot be read all count as not sent; the last leaves a warning. Other
facets stay in the raw event, which is kept for ever.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from headwater.openlineage.event import EventWarning, Facets
from headwater.openlineage.salvage import salvage_facet

__all__ = [
    "Assertions",
    "ColumnLineage",
    "ErrorMessage",
    "InputField",
    "JobDependencies",
    "JobType",
    "Lineage",
    "LineageInput",
    "NominalTime",
    "OutputField",
    "ParentRun",
    "ProcessingEngine",
    "QualityMetrics",
    "Schema",
    "SchemaField",
    "Sql",
    "StateChange",
    "Statistics",
    "Symlinks",
    "Tags",
    "Tests",
    "Transformation",
    "Version",
    "read_facet",
    "read_members",
]

_F = TypeVar("_F", bound=Struct)
_DELETED = b'"_deleted"'


def read_facet(kind: type[_F], facets: Facets, name: str, path: str, warnings: list[EventWarning]) -> _F | None:
    """Read one facet by its key, or None when there is none that can be used."""
    raw = facets.get(name)
    if raw is None:
        return None
    body = bytes(raw)
    facet = _decoded(kind, body)
    return _salvaged(kind, raw, body, f"{path}.{name}", warnings) if facet is None else facet


def _decoded(kind: type[_F], body: bytes) -> _F | None:
    try:
        facet = _decoder(kind).decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return None if _is_deleted(body) else facet


def _salvaged(kind: type[_F], raw: msgspec.Raw, body: bytes, path: str, warnings: list[EventWarning]) -> _F | None:
    return None if body == b"null" or _is_deleted(body) else salvage_facet(kind, raw, path, warnings)


def _is_deleted(body: bytes) -> bool:
    if _DELETED not in body:
        return False
    try:
        return _members.decode(body).get("_deleted") is True
    except (msgspec.DecodeError, RecursionError):
        return False


def read_members(facets: Facets, name: str, path: str, warnings: list[EventWarning]) -> dict[str, Any] | None:
    """Read a facet as it is, without its `_producer` and `_schemaURL`. `_deleted` gives an empty facet."""
    raw = facets.get(name)
    if raw is None or bytes(raw) == b"null":
        return None
    try:
        members = _members.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        warnings.append(EventWarning(f"{path}.{name}", f"facet set aside: {error}"))
        return None
    if members.get("_deleted") is True:
        return {}
    return {key: value for key, value in members.items() if not key.startswith("_") and value is not None}


_members = msgspec.json.Decoder(dict[str, Any])


@cache
def _decoder(kind: type[_F]) -> msgspec.json.Decoder[_F]:
    return msgspec.json.Decoder(kind, strict=False)


# --- run -----------------------------------------------------------------------------------------------------------


class RunId(Struct, frozen=True, gc=False):
    runId: str | None = None


class JobName(Struct, frozen=True, gc=False):
    namespace: str | None = None
    name: str | None = None


class RootRun(Struct, frozen=True, gc=False):
    run: RunId | None = None
    job: JobName | None = None


class ParentRun(Struct, frozen=True, gc=False):
    run: RunId | None = None
    job: JobName | None = None
    root: RootRun | None = None


class ProcessingEngine(Struct, frozen=True, gc=False):
    version: str | None = None
    name: str | None = None


class NominalTime(Struct, frozen=True, gc=False):
    nominalStartTime: str | None = None
    nominalEndTime: str | None = None


class ErrorMessage(Struct, frozen=True, gc=False):
    message: str | None = None
    stackTrace: str | None = None


class JobDependency(Struct, frozen=True, gc=False):
    job: JobName | None = None
    run: RunId | None = None
    dependency_type: str | None = None
    sequence_trigger_rule: str | None = None
    status_trigger_rule: str | None = None


class JobDependencies(Struct, frozen=True, gc=False):
    upstream: list[JobDependency] | None = None
    downstream: list[JobDependency] | None = None


class Tag(Struct, frozen=True, gc=False):
    key: str = ""
    value: str | None = None
    source: str | None = None
    field: str | None = None


class Tags(Struct, frozen=True, gc=False):
    tags: list[Tag] | None = None


class Test(Struct, frozen=True, gc=False):
    name: str = ""
    status: str | None = None
    severity: str | None = None
    type: str | None = None
    description: str | None = None
    expected: Any = None
    actual: Any = None
    content: str | None = None
    params: Any = None


class Tests(Struct, frozen=True, gc=False):
    tests: list[Test] | None = None


# --- job -----------------------------------------------------------------------------------------------------------


class JobType(Struct, frozen=True, gc=False):
    processingType: str | None = None
    integration: str | None = None
    jobType: str | None = None


class Sql(Struct, frozen=True, gc=False):
    query: str | None = None
    dialect: str | None = None


# --- dataset -------------------------------------------------------------------------------------------------------


class SchemaField(Struct, frozen=True, gc=False, omit_defaults=True):
    """The members in the order of their names: as they stand, they are written in normal form."""

    description: str | None = None
    fields: list[SchemaField] | None = None
    name: str = ""
    ordinal_position: int | None = None
    type: str | None = None


class Schema(Struct, frozen=True, gc=False):
    fields: list[SchemaField] | None = None


class Transformation(Struct, frozen=True, gc=False):
    type: str | None = None
    subtype: str | None = None
    description: str | None = None
    masking: bool | None = None


class InputField(Struct, frozen=True, gc=False):
    namespace: str | None = None
    name: str | None = None
    field: str | None = None
    transformations: list[Transformation] | None = None


class OutputField(Struct, frozen=True, gc=False):
    inputFields: list[InputField] | None = None
    transformationType: str | None = None
    transformationDescription: str | None = None


class ColumnLineage(Struct, frozen=True, gc=False):
    fields: dict[str, OutputField | None] | None = None
    dataset: list[InputField] | None = None


class LineageInput(Struct, frozen=True, gc=False):
    namespace: str | None = None
    name: str | None = None
    type: str | None = None
    field: str | None = None
    runId: str | None = None
    transformations: list[Transformation] | None = None


class LineageFields(Struct, frozen=True, gc=False):
    inputs: list[LineageInput] | None = None


class LineageEntry(Struct, frozen=True, gc=False):
    namespace: str | None = None
    name: str | None = None
    type: str | None = None
    runId: str | None = None
    inputs: list[LineageInput] | None = None
    fields: dict[str, LineageFields | None] | None = None


class Lineage(Struct, frozen=True, gc=False):
    """Both forms: `entries` on a job, `inputs` and `fields` on a dataset."""

    entries: list[LineageEntry] | None = None
    inputs: list[LineageInput] | None = None
    fields: dict[str, LineageFields | None] | None = None


class Symlink(Struct, frozen=True, gc=False):
    namespace: str | None = None
    name: str | None = None
    type: str | None = None


class Symlinks(Struct, frozen=True, gc=False):
    identifiers: list[Symlink] | None = None


class StateChange(Struct, frozen=True, gc=False):
    lifecycleStateChange: str | None = None
    previousIdentifier: JobName | None = None


class Version(Struct, frozen=True, gc=False):
    datasetVersion: str | None = None


class Statistics(Struct, frozen=True, gc=False):
    """Input and output statistics have the same members."""

    rowCount: int | None = None
    size: int | None = None
    fileCount: int | None = None


class AssertionResult(Struct, frozen=True, gc=False):
    assertion: str | None = None
    success: bool | None = None
    column: str | None = None
    severity: str | None = None
    name: str | None = None
    description: str | None = None
    expected: Any = None
    actual: Any = None
    content: str | None = None
    params: Any = None


class Assertions(Struct, frozen=True, gc=False):
    assertions: list[AssertionResult] | None = None


class QualityMetrics(Struct, frozen=True, gc=False):
    rowCount: int | None = None
    bytes: int | None = None
    fileCount: int | None = None
    columnMetrics: dict[str, dict[str, Any] | None] | None = None
