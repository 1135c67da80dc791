"""Spark: an application is a run; its SQL and RDD jobs are operations of that run."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from headwater.graph.facts import Activity, Run
from headwater.interpret.details import BOTH, Details
from headwater.openlineage.facets import ErrorMessage, read_facet
from headwater.openlineage.identity import stamp, uuid_time
from headwater.openlineage.naming import clean, job_id

__all__ = ["refine"]

_RUN = "$.run.facets"
_APPLICATION, _OPERATION = Activity.RUN, Activity.OPERATION
"""Looked up once: a member of an enumeration takes ten times as long as a name."""


class ApplicationDetails(Struct, frozen=True, gc=False):
    appName: str | None = None
    applicationId: str | None = None
    userName: str | None = None
    uiWebUrl: str | None = None
    proxyUrl: str | None = None
    historyUrl: str | None = None


class JobDetails(Struct, frozen=True, gc=False):
    jobId: int | None = None
    jobDescription: str | None = None
    jobGroup: str | None = None


def refine(details: Details) -> None:
    event = details.event
    application = read_facet(ApplicationDetails, event.run_facets, "spark_applicationDetails", _RUN, event.warnings)
    if "spark.exception" in event.run_facets:
        failure = read_facet(ErrorMessage, event.run_facets, "spark.exception", _RUN, event.warnings)
        if failure is not None and failure.message and details.end_reason is None:
            details.end_reason = clean(failure.message)[:4096]
    is_application = (details.job_type.jobType or "").upper() == "APPLICATION"
    if is_application:
        details.activity = _APPLICATION
    elif details.parent_run is not None:
        details.activity = _OPERATION
    else:
        details.activity = BOTH
    if application is not None:
        _read_application(details, application)
    if not is_application:
        _read_operation(details, application)


def _read_application(details: Details, application: ApplicationDetails) -> None:
    running = application.proxyUrl or application.uiWebUrl
    running = running.split(",")[0].strip() if running else None
    if details.activity is not _OPERATION:
        details.external_id = application.applicationId or details.external_id
        details.user = application.userName
        details.persistent_log_url = application.historyUrl
        details.running_log_url = running
        return
    if details.parent_run is None:
        return
    event_stamp = stamp(details.event.time, details.event.fingerprint)
    parent = details.parent_job
    details.other_runs.append(
        Run(
            details.tenant,
            details.parent_run,
            job=job_id(parent.namespace, parent.name) if parent else None,
            activity=Activity.RUN,
            created_at=uuid_time(details.parent_run),
            external_id=application.applicationId and clean(application.applicationId),
            user=application.userName and clean(application.userName),
            persistent_log_url=(event_stamp, clean(application.historyUrl)) if application.historyUrl else None,
            running_log_url=(event_stamp, clean(running)) if running else None,
        )
    )


def _read_operation(details: Details, application: ApplicationDetails | None) -> None:
    event = details.event
    if event.job is not None:
        parent = details.parent_job
        details.name = _name_within(
            event.job.name, application.appName if application else None, parent.name if parent else None
        )
    job = read_facet(JobDetails, event.run_facets, "spark_jobDetails", _RUN, event.warnings)
    if job is not None:
        details.position, details.group, details.description = job.jobId, job.jobGroup, job.jobDescription


@lru_cache(maxsize=4096)
def _name_within(name: str, *prefixes: str | None) -> str:
    """The name of an operation without that of its application before it, on one line."""
    for prefix in prefixes:
        if prefix and name.lower().startswith(prefix.lower() + "."):
            name = name[len(prefix) + 1 :]
            break
    return " ".join(name.split("\n"))
