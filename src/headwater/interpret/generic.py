"""Generic rules for every producer: standard run facets, kind of activity."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from headwater.graph.facts import Activity
from headwater.interpret.details import BOTH, Details, JobRef
from headwater.openlineage.event import Event
from headwater.openlineage.facets import (
    ErrorMessage,
    JobDependencies,
    JobName,
    JobType,
    NominalTime,
    ParentRun,
    ProcessingEngine,
    RunId,
    Tags,
    read_facet,
)
from headwater.openlineage.identity import run_key
from headwater.openlineage.naming import clean
from headwater.openlineage.times import parse_time

__all__ = ["details_of", "refine"]

_RUN = "$.run.facets"
_REASON_LENGTH = 4096
"""An end reason is for reading; the whole stack trace stays in the event."""


class ExternalQuery(Struct, frozen=True, gc=False):
    externalQueryId: str | None = None


class RunHints(Struct, frozen=True, gc=False):
    """The `dataRentgen_run` facet, by which any producer can describe its run."""

    external_id: str | None = None
    external_attempt: str | None = None
    attempt: str | None = None
    persistent_log_url: str | None = None
    running_log_url: str | None = None
    start_reason: str | None = None
    started_by_user: str | None = None


class OperationHints(Struct, frozen=True, gc=False):
    """The `dataRentgen_operation` facet."""

    name: str | None = None
    description: str | None = None
    group: str | None = None
    position: int | None = None


def details_of(event: Event, tenant: int) -> Details:
    """Read the standard run facets."""
    facets, warnings, job = event.run_facets, event.warnings, event.job
    job_type = read_facet(JobType, job.facets, "jobType", "$.job.facets", warnings) if job is not None else None
    details = Details(event, tenant, job_type or JobType())
    if not facets:
        return details
    if "parent" in facets or "parentRun" in facets:
        _read_parent(details)
    if "nominalTime" in facets:
        _read_nominal_time(details)
    if "errorMessage" in facets:
        error = read_facet(ErrorMessage, facets, "errorMessage", _RUN, warnings)
        if error is not None and error.message:
            details.end_reason = clean(error.message)[:_REASON_LENGTH]
    if "processing_engine" in facets:
        engine = read_facet(ProcessingEngine, facets, "processing_engine", _RUN, warnings)
        if engine is not None and engine.name:
            details.engine, details.engine_version = clean(engine.name), engine.version and clean(engine.version)
    if "tags" in facets:
        _read_tags(details)
    if "jobDependencies" in facets:
        _read_dependencies(details)
    if "externalQuery" in facets:
        details.external_id = _external_query(details)
    return details


def refine(details: Details) -> None:
    """A producer without a file of its own: with inputs or outputs it is an operation as well as a run."""
    event = details.event
    run = read_facet(RunHints, event.run_facets, "dataRentgen_run", _RUN, event.warnings)
    operation = read_facet(OperationHints, event.run_facets, "dataRentgen_operation", _RUN, event.warnings)
    if run is not None:
        details.external_id = run.external_id or details.external_id
        details.attempt = run.attempt or run.external_attempt
        details.persistent_log_url = run.persistent_log_url
        details.running_log_url = run.running_log_url
        details.start_reason = run.start_reason.upper() if run.start_reason else None
        details.user = run.started_by_user
    if operation is not None:
        details.name, details.description = operation.name, operation.description
        details.group, details.position = operation.group, operation.position
    if operation is not None and run is None and details.parent_run is not None:
        details.activity = Activity.OPERATION
    elif operation is not None or event.inputs or event.outputs:
        details.activity = BOTH
    if details.name is None and Activity.OPERATION in details.activity and event.job is not None:
        details.name = event.job.name


def _read_parent(details: Details) -> None:
    facets = details.event.run_facets
    name = "parent" if "parent" in facets else "parentRun"
    facet = read_facet(ParentRun, facets, name, _RUN, details.warnings)
    if facet is None:
        return
    details.parent_run, details.parent_job = _run_and_job(facet.run, facet.job)
    if facet.root is not None:
        details.root_run, details.root_job = _run_and_job(facet.root.run, facet.root.job)


def _read_nominal_time(details: Details) -> None:
    nominal = read_facet(NominalTime, details.event.run_facets, "nominalTime", _RUN, details.warnings)
    if nominal is not None:
        details.expected_start_at = parse_time(nominal.nominalStartTime)
        end = parse_time(nominal.nominalEndTime)
        details.expected_end_at = end if end != details.expected_start_at else None


def _run_and_job(run: RunId | None, job: JobName | None) -> tuple[bytes | None, JobRef | None]:
    run_id = run_key(run.runId)[0] if run and run.runId else None
    return run_id, JobRef(job.namespace, job.name) if job and job.namespace and job.name else None


def _read_tags(details: Details) -> None:
    facet = read_facet(Tags, details.event.run_facets, "tags", _RUN, details.warnings)
    if facet is None or not facet.tags:
        return
    tags = sorted({(clean(tag.key), clean(tag.value or ""), clean(tag.source or "")) for tag in facet.tags if tag.key})
    details.tags = msgspec.json.encode(tags).decode() if tags else None


def _read_dependencies(details: Details) -> None:
    facet = read_facet(JobDependencies, details.event.run_facets, "jobDependencies", _RUN, details.warnings)
    event = details.event
    if facet is None or event.job is None:
        return
    own = JobRef(event.job.namespace, event.job.name)
    for entries, upstream in ((facet.upstream, True), (facet.downstream, False)):
        for entry in entries or ():
            run, job = _run_and_job(entry.run, entry.job)
            kind = clean(entry.dependency_type or "DIRECT_DEPENDENCY")[:64]
            if job is not None:
                details.dependencies.append((job, own, kind) if upstream else (own, job, kind))
            if run is not None and event.run_id is not None:
                details.run_dependencies.append((run, event.run_id, kind) if upstream else (event.run_id, run, kind))


def _external_query(details: Details) -> str | None:
    facet = read_facet(ExternalQuery, details.event.run_facets, "externalQuery", _RUN, details.warnings)
    return clean(facet.externalQueryId) if facet and facet.externalQueryId else None
