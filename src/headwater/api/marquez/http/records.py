"""Answers of Marquez' routes, as the reference of the API describes them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from headwater.lineage.answer.text_types import JsonObject

__all__ = [
    "ColumnGraph",
    "DatasetHits",
    "DatasetPage",
    "DatasetRecord",
    "DatasetVersionPage",
    "DatasetVersionRecord",
    "EventCount",
    "EventList",
    "EventPage",
    "JobHits",
    "JobPage",
    "JobRecord",
    "JobVersionPage",
    "JobVersionRecord",
    "LineageGraph",
    "MarquezError",
    "MarquezErrors",
    "NamespacePage",
    "NamespaceRecord",
    "NodeCount",
    "RunFacets",
    "RunPage",
    "RunRecord",
    "SearchResults",
    "SourcePage",
    "SourceRecord",
    "TagPage",
    "TagRecord",
    "UpstreamRuns",
]

_Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
_Facets = JsonObject


class MarquezError(Struct):
    """Something is not there, or a parameter is wrong."""

    code: int
    message: str


class MarquezErrors(Struct):
    """Errors of parameters or of a body."""

    errors: list[str]


class NamespaceRecord(Struct, rename="camel"):
    name: str
    created_at: _Time
    updated_at: _Time
    owner_name: str
    description: str | None
    is_hidden: bool


class NamespacePage(Struct):
    namespaces: list[NamespaceRecord]


class SourceRecord(Struct, rename="camel"):
    type: str
    name: str
    created_at: _Time
    updated_at: _Time
    connection_url: str | None
    description: str | None


class SourcePage(Struct):
    sources: list[SourceRecord]


class TagRecord(Struct):
    name: str
    description: str | None


class TagPage(Struct):
    tags: list[TagRecord]


class Named(Struct):
    namespace: str
    name: str


class VersionNamed(Named):
    version: str | None


class FieldRecord(Struct):
    name: str
    type: str | None
    tags: list[str]
    description: str | None


class SourceColumn(Struct, rename="camel"):
    namespace: str
    dataset: str
    field: str
    transformation_description: str | None
    transformation_type: str | None


class ColumnOrigin(Struct, rename="camel"):
    name: str
    input_fields: list[SourceColumn]
    transformation_description: str | None
    transformation_type: str | None


class DatasetBasics(Struct, rename="camel"):
    id: Named
    type: str
    name: str
    physical_name: str
    created_at: _Time
    namespace: str
    source_name: str
    fields: list[FieldRecord]
    tags: list[str]
    description: str | None


class DatasetRecord(DatasetBasics, rename="camel"):
    updated_at: _Time
    last_modified_at: _Time | None
    last_lifecycle_state: str | None
    current_version: str | None
    column_lineage: list[ColumnOrigin] | None
    facets: _Facets
    deleted: bool


class DatasetPage(Struct, rename="camel"):
    datasets: list[DatasetRecord]
    total_count: int


class UsedVersion(Struct, rename="camel"):
    dataset_version_id: VersionNamed
    facets: _Facets


class RunRecord(Struct, rename="camel"):
    id: str
    created_at: _Time
    updated_at: _Time
    nominal_start_time: _Time | None
    nominal_end_time: _Time | None
    state: Literal["NEW", "RUNNING", "COMPLETED", "ABORTED", "FAILED"]
    started_at: _Time | None
    ended_at: _Time | None
    duration_ms: int | None
    args: JsonObject
    job_version: VersionNamed | None
    input_dataset_versions: list[UsedVersion]
    output_dataset_versions: list[UsedVersion]
    facets: _Facets


class RunPage(Struct, rename="camel"):
    runs: list[RunRecord]
    total_count: int


class RunFacets(Struct, rename="camel"):
    run_id: str
    facets: _Facets


class DatasetVersionRecord(DatasetBasics, rename="camel"):
    version: str
    lifecycle_state: str
    current_schema_version: str
    created_by_run: RunRecord | None
    facets: _Facets


class DatasetVersionPage(Struct, rename="camel"):
    versions: list[DatasetVersionRecord]
    total_count: int


class JobBasics(Struct, rename="camel"):
    id: Named
    type: Literal["BATCH", "STREAM"]
    name: str
    simple_name: str
    parent_job_name: str | None
    parent_job_uuid: str | None
    created_at: _Time
    updated_at: _Time
    namespace: str
    inputs: list[Named]
    outputs: list[Named]
    location: str | None
    description: str | None
    latest_run: RunRecord | None


class JobRecord(JobBasics, rename="camel"):
    latest_runs: list[RunRecord] | None
    facets: _Facets
    current_version: str | None
    labels: list[str]
    tags: list[str]


class JobPage(Struct, rename="camel"):
    jobs: list[JobRecord]
    total_count: int


class JobVersionRecord(Struct, rename="camel"):
    id: VersionNamed
    name: str
    created_at: _Time
    version: str
    namespace: str
    location: str | None
    inputs: list[Named]
    outputs: list[Named]
    latest_run: RunRecord | None


class JobVersionPage(Struct):
    versions: list[JobVersionRecord]


class GraphEdge(Struct):
    origin: str
    destination: str


class GraphNode(Struct, rename="camel"):
    id: str
    in_edges: list[GraphEdge]
    out_edges: list[GraphEdge]


class LineageNode(GraphNode, rename="camel"):
    type: Literal["JOB", "DATASET"]
    data: Annotated[JsonObject, Meta(description="The job or dataset, without its facets.")]


class LineageGraph(Struct):
    graph: list[LineageNode]


class ColumnInput(SourceColumn, rename="camel"):
    dataset_version: str | None


class ColumnData(Struct, rename="camel"):
    namespace: str
    dataset: str
    dataset_version: str | None
    field: str
    field_type: str
    transformation_description: str | None
    transformation_type: str | None
    input_fields: list[ColumnInput]


class ColumnNode(GraphNode, rename="camel"):
    type: Literal["DATASET_FIELD"]
    data: ColumnData


class ColumnGraph(Struct):
    graph: list[ColumnNode]


class RunMoment(Struct):
    id: str
    start: _Time | None
    end: _Time | None
    status: str


class RunInput(VersionNamed, rename="camel"):
    produced_by_run_id: str | None


class NullNamed(Struct):
    namespace: str | None
    name: str | None
    version: str | None


class UpstreamRun(Struct):
    job: NullNamed
    run: RunMoment
    inputs: list[RunInput]


class UpstreamRuns(Struct):
    runs: list[UpstreamRun]


class EventList(Struct):
    events: list[JsonObject]


class EventPage(EventList, rename="camel"):
    total_count: int


class SearchResult(Struct, rename="camel"):
    type: Literal["DATASET", "JOB"]
    name: str
    updated_at: _Time
    namespace: str
    node_id: str


class SearchResults(Struct, rename="camel"):
    total_count: int
    results: list[SearchResult]


class Hit(Struct):
    run_id: str | None
    event_type: str | None = field(name="eventType")
    name: str
    namespace: str
    facets: _Facets


class JobHit(Hit):
    type: str
    run_facets: _Facets = field(name="runFacets")


class DatasetHit(Hit):
    input_facets: _Facets = field(name="inputFacets")
    output_facets: _Facets = field(name="outputFacets")


class JobHits(Struct):
    hits: list[JobHit]
    highlights: list[dict[str, list[str]]]


class DatasetHits(Struct):
    hits: list[DatasetHit]
    highlights: list[dict[str, list[str]]]


class Interval(Struct, rename="camel"):
    start_interval: _Time
    end_interval: _Time


class EventCount(Interval):
    fail: int
    start: int
    complete: int
    abort: int


class NodeCount(Interval):
    count: int
