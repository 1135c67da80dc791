"""StarRocks: a session is a run; its queries are operations of that run."""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.facts import Activity, Run, RunStatus
from headwater.interpret.details import Details, JobRef
from headwater.openlineage.facets import read_facet
from headwater.openlineage.identity import run_uuid
from headwater.openlineage.naming import clean, job_id

__all__ = ["refine"]

_RUN = "$.run.facets"


class StarRocksSession(Struct, gc=False):
    sessionId: str | None = None
    user: str | None = None
    clientIp: str | None = None


class StarRocksQuery(Struct, gc=False):
    queryId: str | None = None


def refine(details: Details) -> None:
    event = details.event
    session = read_facet(StarRocksSession, event.run_facets, "starrocks_session", _RUN, event.warnings)
    if session is not None:
        details.user = session.user
    if (details.job_type.jobType or "QUERY").upper() == "SESSION":
        details.activity = Activity.RUN
        details.external_id = session.sessionId if session else None
        return
    query = read_facet(StarRocksQuery, event.run_facets, "starrocks_query", _RUN, event.warnings)
    details.activity = Activity.RUN | Activity.OPERATION
    details.name = query.queryId if query and query.queryId else (event.job.name if event.job else None)
    if session is None or not session.sessionId or event.job is None:
        return
    run = run_uuid(session.sessionId).bytes
    details.activity = Activity.OPERATION
    details.parent_run = run
    if details.parent_job is None and session.user and session.clientIp:
        details.parent_job = JobRef(event.job.namespace, f"{session.user}@{session.clientIp}")
    details.other_runs.append(
        Run(
            details.tenant,
            run,
            job=job_id(details.parent_job.namespace, details.parent_job.name) if details.parent_job else None,
            activity=Activity.RUN,
            status=RunStatus.STARTED,
            external_id=clean(session.sessionId),
            user=session.user and clean(session.user),
        )
    )
