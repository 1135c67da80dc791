"""Hive: every query is an operation of its session, and the session is a run that no event of its own announces."""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.facts import Activity, OutputType, Run, RunStatus
from headwater.interpret.details import BOTH, Details, JobRef
from headwater.openlineage.facets import read_facet
from headwater.openlineage.identity import session_uuid, uuid_time
from headwater.openlineage.naming import clean, job_id
from headwater.openlineage.times import parse_time

__all__ = ["refine"]

_RUN = "$.run.facets"
_NOBODY = {"anonymous", "hive", ""}
_OPERATIONS = {
    "CREATETABLE_AS_SELECT": OutputType.CREATE,
    "CREATETABLE": OutputType.CREATE,
    "CREATEVIEW": OutputType.CREATE,
    "CREATE_MATERIALIZED_VIEW": OutputType.CREATE,
    "ALTERVIEW_AS": OutputType.ALTER,
    "DROPTABLE": OutputType.DROP,
    "DROPVIEW": OutputType.DROP,
    "TRUNCATETABLE": OutputType.TRUNCATE,
    "LOAD": OutputType.APPEND,
    "IMPORT": OutputType.APPEND,
}


class HiveQuery(Struct, frozen=True, gc=False):
    queryId: str | None = None
    operationName: str | None = None


class HiveSession(Struct, frozen=True, gc=False):
    username: str | None = None
    clientIp: str | None = None
    sessionId: str | None = None
    creationTime: str | None = None


def refine(details: Details) -> None:
    event = details.event
    query = read_facet(HiveQuery, event.run_facets, "hive_query", _RUN, event.warnings) or HiveQuery()
    session = read_facet(HiveSession, event.run_facets, "hive_session", _RUN, event.warnings)
    details.activity = BOTH
    details.name = query.queryId or (event.job.name if event.job else None)
    details.description = query.operationName
    details.external_id = query.queryId
    details.output_type = _OPERATIONS.get((query.operationName or "").upper())
    if session is not None and session.sessionId:
        _read_session(details, session, session.sessionId)


def _read_session(details: Details, session: HiveSession, session_id: str) -> None:
    """The session's id is a function of the session alone, so all its queries agree on it."""
    job = details.event.job
    if job is None:
        return
    started = parse_time(session.creationTime)
    user = session.username if (session.username or "") not in _NOBODY else None
    name = f"{session.username or 'anonymous'}@{session.clientIp or 'unknown'}"
    operation = (details.description or "").lower()
    if operation and not job.name.lower().startswith(operation):
        name = job.name  # the user named the job; the hook's own names start with the operation
    ref = JobRef(job.namespace, name)
    details.activity = Activity.OPERATION
    details.external_id = None
    if details.parent_run is not None and details.parent_run != details.event.run_id:
        outer_run, outer_job = details.parent_run, details.parent_job
    else:
        outer_run, outer_job = None, None
    run = session_uuid(started or 0, session_id).bytes
    details.parent_run, details.parent_job = run, ref
    details.root_run = details.root_run or outer_run
    details.root_job = details.root_job or outer_job
    details.user = user
    details.other_runs.append(
        Run(
            details.tenant,
            run,
            job=job_id(ref.namespace, ref.name),
            job_type="HIVE_SESSION",
            activity=Activity.RUN,
            parent_run=outer_run,
            created_at=uuid_time(run),
            status=RunStatus.STARTED,
            started_at=started,
            external_id=clean(session_id),
            user=user and clean(user),
            start_reason="AUTOMATIC" if outer_run is not None else None,
        )
    )
