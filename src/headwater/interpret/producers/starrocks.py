"""StarRocks: a session is a run; its queries are operations of that run."""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.facts import Activity, Run, RunStatus
from headwater.interpret.details import BOTH, Details, JobRef
from headwater.openlineage.facets import read_facet
from headwater.openlineage.identity import run_uuid, uuid_time
from headwater.openlineage.naming import clean, job_id

__all__ = ["refine"]

_RUN = "$.run.facets"
_SESSION = "STARROCKS_SESSION"


class StarRocksSession(Struct, frozen=True, gc=False):
    sessionId: str | None = None
    user: str | None = None
    clientIp: str | None = None


class StarRocksQuery(Struct, frozen=True, gc=False):
    queryId: str | None = None


def refine(details: Details) -> None:
    event = details.event
    session = read_facet(StarRocksSession, event.run_facets, "starrocks_session", _RUN, event.warnings)
    if session is not None:
        details.user = session.user
    if (details.job_type.jobType or "QUERY").upper() == "SESSION":
        details.activity = Activity.RUN
        if session is not None and event.job is not None:
            details.external_id = session.sessionId
            details.run_job, details.run_job_type = _session_job(event.job.namespace, session), _SESSION
        return
    query = read_facet(StarRocksQuery, event.run_facets, "starrocks_query", _RUN, event.warnings)
    details.activity = BOTH
    details.name = query.queryId if query and query.queryId else (event.job.name if event.job else None)
    if session is None or not session.sessionId or event.job is None:
        return
    run = run_uuid(session.sessionId).bytes
    details.activity = Activity.OPERATION
    details.parent_run = run
    details.parent_job = _session_job(event.job.namespace, session)
    details.other_runs.append(
        Run(
            details.tenant,
            run,
            job=job_id(details.parent_job.namespace, details.parent_job.name),
            job_type=_SESSION,
            activity=Activity.RUN,
            created_at=uuid_time(run),
            status=RunStatus.STARTED,
            started_at=uuid_time(run),
            external_id=clean(session.sessionId),
            user=session.user and clean(session.user),
        )
    )


def _session_job(namespace: str, session: StarRocksSession) -> JobRef:
    """All sessions of one user from one place are runs of one job, as with Hive."""
    return JobRef(namespace, f"{session.user or 'anonymous'}@{session.clientIp or 'unknown'}")
