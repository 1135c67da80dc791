"""Records of single entities: dataset, job, run, location, statement, user. Times are ISO 8601 in UTC."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from headwater.lineage.answer.records import (
    Hidden,
    LocationItem,
    RunItem,
    StatementUse,
)
from headwater.lineage.answer.text_types import Instant, JsonObject, Relevance, RoleName, RunStatusName

__all__ = [
    "AliasName",
    "ColumnSource",
    "DatasetEntity",
    "JobEntity",
    "JobVersion",
    "LastAttempt",
    "LocationEntity",
    "RunDatasetItem",
    "RunEntity",
    "SchemaField",
    "SchemaHistoryItem",
    "SqlEntity",
    "StatementSummary",
    "Use",
    "UserEntity",
]


class SchemaField(Struct, frozen=True):
    name: str
    type: str | None = None
    description: str | None = None
    fields: list[SchemaField] = []
    key: str | None = None
    """Of a column of the schema that holds."""
    tags: list[str] = []


class SchemaHistoryItem(Struct, frozen=True, kw_only=True):
    id: str
    first_seen: Instant | None
    last_seen: Instant | None
    used_as: list[RoleName]
    added: list[str]
    """Columns that the schema before it did not have."""
    removed: list[str]
    changed: list[str]
    """Columns of another type than before."""
    fields: list[SchemaField]


class AliasName(Struct, frozen=True):
    id: str
    key: str
    type: str
    """METASTORE or WAREHOUSE for a symlink, RENAME, or ADDRESS for another name of the same place."""


class LastAttempt(Struct, frozen=True, kw_only=True):
    """The newest run that set out to write a dataset, however it ended."""

    at: Instant | None
    """When it ended; of one that has not ended, its newest event."""
    run: str
    status: RunStatusName


class Use(Struct, frozen=True, kw_only=True):
    readers: int
    """Jobs."""
    writers: int
    last_read: Instant | None
    """By a run that did not fail."""
    last_written: Instant | None
    """When the newest run ended that wrote it and did not fail; of one that has not ended, its newest event."""
    last_attempt: LastAttempt | None
    every_ms: int | None
    """The usual time between runs of the job that writes it most often; null where there is no rhythm."""
    read_runs: int
    """Runs and operations that did so themselves."""
    write_runs: int


class ColumnSource(Struct, frozen=True, kw_only=True, omit_defaults=True):
    column: str
    """Empty for the dataset as a whole."""
    source: str
    source_column: str
    type: str
    subtype: str
    masking: bool | None
    """None where it is not known."""
    stated: str | None = None
    """The producer's own subtype, where that is none of ours."""
    expression: str | None = None


class DatasetEntity(Struct, frozen=True, kw_only=True):
    kind: Literal["dataset"]
    id: str
    key: str
    namespace: str
    name: str
    title: str | None = None
    """Title of a chart or dashboard."""
    url: str | None = None
    """Where a chart or dashboard is to be seen."""
    location: str
    aliases: list[str]
    links: list[AliasName]
    """Why the names of `aliases` are names of this dataset."""
    reference_only: bool
    exists: bool | None
    created_at: Instant | None
    dropped_at: Instant | None
    truncated_at: Instant | None
    retracted_at: Instant | None = None
    """Since when its publisher has withdrawn it."""
    first_seen: Instant | None
    last_seen: Instant | None
    description: str | None
    tags: list[str]
    owners: list[str]
    schema: list[SchemaField]
    schema_id: str | None
    schema_relevance: Relevance | None
    """EXACT_MATCH when everybody used this schema, LATEST_KNOWN when it is the newest of several."""
    schema_versions: int
    schema_history: list[SchemaHistoryItem]
    use: Use
    written_by: list[str]
    """At most 200 of `use.writers`; the list of jobs has all."""
    changed_by: list[str] = []
    """Jobs that only dropped, altered, truncated or renamed it."""
    read_by: list[str]
    named_by: list[str]
    runs_total: int
    runs: list[RunItem]
    """The newest runs that used it, or inside which something did, each with its roles."""
    columns: list[ColumnSource]
    column_tags: dict[str, list[str]]
    hidden: Hidden | None
    facets: JsonObject
    assertions: list[JsonObject]
    quality: JsonObject | None


class JobVersion(Struct, frozen=True, kw_only=True):
    """One version of a job: a shape and the time in which it held."""

    id: str
    kind: str | None
    first_seen: Instant | None
    last_seen: Instant | None
    inputs: list[str]
    outputs: list[str]
    sql: str | None


class JobEntity(Struct, frozen=True, kw_only=True):
    kind: Literal["job"]
    id: str
    key: str
    namespace: str
    name: str
    location: str
    type: str
    processing: str | None
    producer: str | None
    parent: str | None
    first_seen: Instant | None
    last_seen: Instant | None
    description: str | None
    tags: list[str]
    owners: list[str]
    sql: str | None
    parts_total: int
    """Jobs that ran inside its newest 250 runs: tasks of a DAG, operations of an application."""
    parts: list[str]
    """At most 200."""
    runs_left_out: int
    """Of a job with parts, older runs in which they were not looked for."""
    waits_for: list[str]
    inputs: list[str]
    outputs: list[str]
    references: list[str]
    versions_total: int
    versions_left_out: int
    """Of a job with very many, those whose inputs, outputs and facets are not listed here."""
    versions: list[JobVersion]
    """The newest."""
    every_ms: int | None
    """The usual time from one run to the next; null where there is no rhythm."""
    runs_total: int
    runs_by_status: dict[RunStatusName, int]
    runs: list[RunItem]
    """The newest."""
    hidden: Hidden | None
    facets: JsonObject


class RunDatasetItem(Struct, frozen=True, kw_only=True):
    dataset: str
    key: str
    by: list[str]
    """The run or the parts of it that did this; at most 20."""
    by_total: int
    types: list[str]
    rows: int | None
    bytes: int | None
    files: int | None
    version: str | None
    subset: JsonObject | None
    schema: str | None


class RunEntity(RunItem, frozen=True, kw_only=True):
    """A run or an operation with its parents, parts, inputs and outputs."""

    previous: str | None
    """The run of the same job before this one."""
    parent_job: str | None
    parents: list[RunItem]
    """The run it belongs to, that run's own parent, and so on."""
    children_total: int
    children: list[RunItem]
    operations_total: int
    operations: list[RunItem]
    parts_total: int
    """Runs and operations below it, at any depth."""
    is_cut: bool
    """There are more parts than are counted; inputs and outputs are those of the counted ones."""
    inputs: list[RunDatasetItem]
    """Read by the run itself or by a part of it; rows, bytes and files are summed."""
    outputs: list[RunDatasetItem]
    sql: str | None
    assertions: list[JsonObject]


class LocationEntity(LocationItem, frozen=True, kw_only=True):
    kind: Literal["location"]


class StatementSummary(Struct, frozen=True):
    """Summary of a statement, made by a model."""

    summary: str
    tags: list[str]
    """Of the model: they count for nothing but search."""
    generated_at: Instant


class SqlEntity(Struct, frozen=True, kw_only=True):
    kind: Literal["sql"]
    id: str
    key: str
    text: str
    dialect: str | None
    executions: int
    """Runs that completed it."""
    use: StatementUse | None
    """Use of the statement; null until the pipeline has computed it."""
    summary: StatementSummary | None
    first_seen: Instant | None
    last_seen: Instant | None
    jobs: list[str]
    inputs: list[str]
    outputs: list[str]


class UserEntity(Struct, frozen=True, kw_only=True):
    kind: Literal["user"]
    id: str
    key: str
    name: str
    runs_total: int
    """That were started in this name."""
    first_seen: Instant | None
    last_seen: Instant | None
    runs: list[RunItem]
    owns_total: int
    """Datasets and jobs of which this is an owner."""
    owns: list[str]
