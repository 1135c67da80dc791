"""A run event in the form of Spark's agent, from the inputs and outputs of a job."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

__all__ = ["PRODUCER", "DemoEdge", "Job", "Moment", "Table", "application_event", "operation_event"]

PRODUCER = "https://example.com"
_SPEC = "https://openlineage.io/spec"

Number = int | str
"""A number, or the mark that will stand for one in a template."""


class Table(Struct, frozen=True):
    """A dataset and its columns, each with its type."""

    namespace: str
    name: str
    columns: tuple[tuple[str, str], ...]


class DemoEdge(Struct, frozen=True):
    """A column that is made from a column of an input."""

    column: str
    source: Table
    source_column: str
    subtype: str = "IDENTITY"
    type: str = "DIRECT"


class Job(Struct, frozen=True):
    """Inputs and outputs of an operation of an application, equal in every run."""

    namespace: str
    application: str
    name: str
    number: int
    inputs: tuple[Table, ...]
    outputs: tuple[Table, ...]
    edges: tuple[DemoEdge, ...] = ()
    sql: str | None = None


class Moment(Struct, frozen=True):
    """The part of one event: time, run, result. Counts are per input and per output."""

    type: str
    time: str
    run: str
    parent_run: str
    read: tuple[tuple[Number, Number], ...] = ()
    """Rows and bytes."""
    written: tuple[tuple[Number, Number, Number], ...] = ()
    """Rows, bytes and files."""
    failure: str | None = None


def operation_event(job: Job, moment: Moment) -> dict[str, Any]:
    """The event of an operation, such as one SQL statement."""
    reads = moment.read or [None] * len(job.inputs)
    writes = moment.written or [None] * len(job.outputs)
    return {
        **_envelope(moment),
        "run": {"runId": moment.run, "facets": _run_facets(job, moment)},
        "job": {
            "namespace": job.namespace,
            "name": f"{job.application}.{job.name}",
            "facets": _job_facets("SQL_JOB", "BATCH", job.sql),
        },
        "inputs": [_input(table, counts) for table, counts in zip(job.inputs, reads, strict=True)],
        "outputs": [_output(job, table, counts) for table, counts in zip(job.outputs, writes, strict=True)],
    }


def application_event(namespace: str, name: str, moment: Moment, user: str = "etl") -> dict[str, Any]:
    """The event of an application, the parent of its operations."""
    details = {
        "_producer": PRODUCER,
        "appName": name,
        "applicationId": f"app-{moment.run}",
        "userName": user,
        "historyUrl": f"https://history.example.com/{moment.run}",
    }
    facets: dict[str, Any] = {"processing_engine": _engine(), "spark_applicationDetails": details}
    return {
        **_envelope(moment),
        "run": {"runId": moment.run, "facets": facets | _failure(moment)},
        "job": {"namespace": namespace, "name": name, "facets": _job_facets("APPLICATION", "NONE", None)},
        "inputs": [],
        "outputs": [],
    }


def _envelope(moment: Moment) -> dict[str, Any]:
    return {
        "eventTime": moment.time,
        "eventType": moment.type,
        "producer": PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
    }


def _engine() -> dict[str, str]:
    return {"_producer": PRODUCER, "version": "3.5.1", "name": "spark"}


def _failure(moment: Moment) -> dict[str, Any]:
    if moment.failure is None:
        return {}
    return {"errorMessage": {"_producer": PRODUCER, "message": moment.failure, "programmingLanguage": "JVM"}}


def _run_facets(job: Job, moment: Moment) -> dict[str, Any]:
    return {
        "parent": {
            "_producer": PRODUCER,
            "_schemaURL": f"{_SPEC}/facets/1-1-0/ParentRunFacet.json#/$defs/ParentRunFacet",
            "run": {"runId": moment.parent_run},
            "job": {"namespace": job.namespace, "name": job.application},
        },
        "processing_engine": _engine(),
        "spark_jobDetails": {"_producer": PRODUCER, "jobId": job.number, "jobDescription": "insert"},
        **_failure(moment),
    }


def _job_facets(job_type: str, processing: str, sql: str | None) -> dict[str, Any]:
    facets: dict[str, Any] = {
        "jobType": {
            "_producer": PRODUCER,
            "processingType": processing,
            "integration": "SPARK",
            "jobType": job_type,
        }
    }
    if sql is not None:
        facets["sql"] = {"_producer": PRODUCER, "query": sql, "dialect": "spark"}
    return facets


def _schema(table: Table) -> dict[str, Any]:
    return {
        "_producer": PRODUCER,
        "_schemaURL": f"{_SPEC}/facets/1-2-0/SchemaDatasetFacet.json",
        "fields": [{"name": name, "type": kind} for name, kind in table.columns],
    }


def _input(table: Table, counts: tuple[Number, Number] | None) -> dict[str, Any]:
    facets = {"schema": _schema(table)} if table.columns else {}
    dataset: dict[str, Any] = {"namespace": table.namespace, "name": table.name, "facets": facets}
    if counts is not None:
        rows, size = counts
        dataset["inputFacets"] = {"inputStatistics": {"_producer": PRODUCER, "rowCount": rows, "size": size}}
    return dataset


def _output(job: Job, table: Table, counts: tuple[Number, Number, Number] | None) -> dict[str, Any]:
    facets: dict[str, Any] = {"schema": _schema(table)}
    if job.edges:
        fields = {
            edge.column: {
                "inputFields": [
                    {
                        "namespace": edge.source.namespace,
                        "name": edge.source.name,
                        "field": edge.source_column,
                        "transformations": [{"type": edge.type, "subtype": edge.subtype}],
                    }
                ]
            }
            for edge in job.edges
        }
        facets["columnLineage"] = {"_producer": PRODUCER, "fields": fields}
    dataset: dict[str, Any] = {"namespace": table.namespace, "name": table.name, "facets": facets}
    if counts is not None:
        rows, size, files = counts
        statistics = {"_producer": PRODUCER, "rowCount": rows, "size": size, "fileCount": files}
        dataset["outputFacets"] = {"outputStatistics": statistics}
    return dataset
