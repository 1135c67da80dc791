"""Events of the shop's producers, put together from steps."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from headwater.demo.shop.step import Step
from headwater.demo.shop.tables import Table

__all__ = ["Job", "Parent", "dataset", "dataset_event", "run_event", "step_datasets"]

PRODUCER = "https://shop.example.com/platform"
_SPEC = "https://openlineage.io/spec"


class Job(Struct, frozen=True):
    namespace: str
    name: str
    integration: str
    type: str
    processing: str = "BATCH"
    sql: str | None = None
    dialect: str | None = None
    about: str | None = None
    owner: str | None = None


class Parent(Struct, frozen=True):
    run: str
    job: Job


def run_event(
    kind: str,
    time: str,
    run: str,
    job: Job,
    *,
    parent: Parent | None = None,
    inputs: list[dict[str, Any]] | None = None,
    outputs: list[dict[str, Any]] | None = None,
    facets: dict[str, Any] | None = None,
    failure: str | None = None,
) -> dict[str, Any]:
    run_facets: dict[str, Any] = dict(facets or {})
    if parent is not None:
        name = {"namespace": parent.job.namespace, "name": parent.job.name}
        run_facets["parent"] = _facet("1-1-0/ParentRunFacet", run={"runId": parent.run}, job=name)
    if failure is not None:
        run_facets["errorMessage"] = _facet(
            "1-0-1/ErrorMessageRunFacet",
            message=failure,
            programmingLanguage="JVM" if job.integration == "SPARK" else "SQL",
        )
    return {
        "eventTime": time,
        "eventType": kind,
        "producer": PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": run_facets},
        "job": {"namespace": job.namespace, "name": job.name, "facets": _job_facets(job)},
        "inputs": inputs or [],
        "outputs": outputs or [],
    }


def dataset_event(time: str, table: Table) -> dict[str, Any]:
    """Event of the shop's catalog about a table: description, owner, tags and columns."""
    return {
        "eventTime": time,
        "producer": PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/DatasetEvent",
        "dataset": dataset(table),
    }


def step_datasets(step: Step, rows: int, *, ways: bool = True) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Inputs and outputs of a finished run; without `ways` there is no column lineage."""
    inputs = [dataset(table) for table in step.inputs]
    for index, one in enumerate(inputs):
        one["inputFacets"] = {
            "inputStatistics": _facet("1-0-0/InputStatisticsInputDatasetFacet", rowCount=rows * (index + 2))
        }
    output = dataset(step.output)
    output["facets"]["columnLineage"] = _column_lineage(step, ways=ways)
    statistics = _facet("1-0-2/OutputStatisticsOutputDatasetFacet", rowCount=rows, size=rows * 64, fileCount=2)
    output["outputFacets"] = {"outputStatistics": statistics}
    return inputs, [output]


def dataset(table: Table) -> dict[str, Any]:
    fields = [{"name": column.name, "type": column.type} for column in table.columns]
    facets: dict[str, Any] = {
        "schema": _facet("1-2-0/SchemaDatasetFacet", fields=fields),
        "datasetType": _facet("1-0-0/DatasetTypeDatasetFacet", datasetType=table.kind),
    }
    if table.about:
        facets["documentation"] = _facet("1-1-0/DocumentationDatasetFacet", description=table.about)
    if table.owner:
        facets["ownership"] = _facet(
            "1-0-1/OwnershipDatasetFacet", owners=[{"name": table.owner, "type": "MAINTAINER"}]
        )
    tags = [_tag(column.tag, column.name) for column in table.columns if column.tag]
    if tags:
        facets["tags"] = _facet("1-0-0/TagsDatasetFacet", tags=tags)
    return {"namespace": table.namespace, "name": table.name, "facets": facets}


def _tag(tag: str, column: str) -> dict[str, str]:
    key, _, value = tag.partition("=")
    return {"key": key, "value": value or "true", "source": "CATALOG", "field": column}


def _column_lineage(step: Step, *, ways: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for edge in step.edges:
        way = {"type": "DIRECT", "subtype": edge.subtype, "masking": edge.masked}
        sources = fields.setdefault(edge.column, {"inputFields": []})["inputFields"]
        sources.append(_field(edge.source, edge.source_column, [way] if ways else []))
    influences = [
        _field(it.source, it.source_column, [{"type": "INDIRECT", "subtype": it.subtype, "masking": False}])
        for it in step.influences
    ]
    return _facet("1-2-0/ColumnLineageDatasetFacet", fields=fields, dataset=influences if ways else [])


def _field(source: Table, column: str, ways: list[dict[str, Any]]) -> dict[str, Any]:
    return {"namespace": source.namespace, "name": source.name, "field": column, "transformations": ways}


def _job_facets(job: Job) -> dict[str, Any]:
    facets: dict[str, Any] = {
        "jobType": _facet(
            "2-0-3/JobTypeJobFacet", processingType=job.processing, integration=job.integration, jobType=job.type
        )
    }
    if job.sql:
        facets["sql"] = _facet("1-1-0/SQLJobFacet", query=job.sql, dialect=job.dialect or "spark")
    if job.about:
        facets["documentation"] = _facet("1-1-0/DocumentationJobFacet", description=job.about)
    if job.owner:
        facets["ownership"] = _facet("1-0-1/OwnershipJobFacet", owners=[{"name": job.owner}])
    return facets


def _facet(schema: str, **members: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": f"{_SPEC}/facets/{schema}.json", **members}
