"""Jobs and their versions."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from starlette.requests import Request
from starlette.responses import Response

from headwater.access.identity import Role
from headwater.api.authentication.authorize import require
from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.body import members_of
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import JOB, JOB_BODY, JOB_VERSION
from headwater.api.marquez.http.query import PageQuery, page_of, query_of
from headwater.api.marquez.http.records import JobPage, JobRecord, JobVersionPage, JobVersionRecord
from headwater.api.marquez.http.refuse import known_id
from headwater.api.marquez.http.route import MarquezRoute, record_all, record_notes, view_of
from headwater.graph.facts import Run
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.datasets import find_dataset
from headwater.lineage.marquez.edits import hide, job_event
from headwater.lineage.marquez.jobs import find_visible_job, job_page, render_jobs
from headwater.lineage.marquez.namespaces import namespace_exists
from headwater.lineage.marquez.parents import JobName
from headwater.lineage.marquez.version.job_versions import job_version_page, one_job_version
from headwater.lineage.marquez.view import View
from headwater.openlineage.identity import run_uuid

__all__ = ["ROUTES", "known_job"]


class Reference(Struct):
    namespace: str
    name: str


class JobBody(Struct, rename="camel"):
    type: str
    inputs: list[Reference] | None = None
    outputs: list[Reference] | None = None
    location: str | None = None
    description: str | None = None
    run_id: str | None = None


class JobsQuery(PageQuery, frozen=True, kw_only=True):
    last_run_states: Annotated[
        tuple[Literal["NEW", "RUNNING", "COMPLETED", "ABORTED", "FAILED"], ...],
        Meta(description="Only jobs whose newest run is in one of these states."),
    ] = field(default=(), name="lastRunStates")


@describe(
    "Jobs, those first of which something was heard last.",
    answer=JobPage,
    query=JobsQuery,
    errors=(404,),
    example={"jobs": [JOB], "totalCount": 1},
)
async def list_jobs(request: Request) -> Response:
    """All jobs, or those of a namespace; an unknown one has none."""
    view, namespace = view_of(context_of(request)), request.path_params.get("namespace")
    states = query_of(request, JobsQuery).last_run_states
    return render(await ask(job_page, view, namespace, states=states, **page_of(request)))


@describe("One job.", answer=JobRecord, example=JOB)
async def get_job(request: Request) -> Response:
    return render(await ask(_one, view_of(context_of(request)), **request.path_params))


@describe(
    "Describe a job by hand.",
    answer=JobRecord,
    body=JobBody,
    errors=(413, 422),
    example=JOB,
    body_example=JOB_BODY,
)
async def put_job(request: Request) -> Response:
    """Describe a job by hand: its namespace and datasets must be there."""
    context, asked = context_of(request), request.path_params
    require(context.identity, Role.WRITER)
    body = await members_of(request, JobBody)
    event = await ask(_described, view_of(context), asked["namespace"], asked["job"], body)
    await record_all(context, event)
    return render(await ask(_one, view_of(context), **asked))


@describe("Hide a job until it is heard of again.", answer=JobRecord, example=JOB)
async def delete_job(request: Request) -> Response:
    """Hide it until the next event about it."""
    context, asked = context_of(request), request.path_params
    require(context.identity, Role.EDITOR)
    view = view_of(context)
    job = await ask(known_job, view, asked["namespace"], asked["job"])
    found = (await ask(render_jobs, view, [job.id], with_runs=False))[0]
    own = (await ask(view.names, [job.id]))[job.id]
    await record_notes(context, [hide("JOB", own.namespace, own.name)])
    return render(found)


@describe(
    "Versions of a job, newest first.",
    answer=JobVersionPage,
    query=PageQuery,
    example={"versions": [JOB_VERSION]},
)
async def list_versions(request: Request) -> Response:
    return render(await ask(_versions, view_of(context_of(request)), **request.path_params, **page_of(request)))


@describe("One version of a job.", answer=JobVersionRecord, example=JOB_VERSION)
async def get_version(request: Request) -> Response:
    return render(await ask(_version, view_of(context_of(request)), **request.path_params))


def known_job(view: View, namespace: str, job: str) -> JobName:
    if not namespace_exists(view, namespace):
        raise NodeNotFound(f"Namespace '{namespace}' not found.")
    return find_visible_job(view, namespace, job)


def _one(view: View, *, namespace: str, job: str) -> dict[str, Any]:
    return render_jobs(view, [known_job(view, namespace, job).id])[0]


def _versions(view: View, *, namespace: str, job: str, limit: int, offset: int) -> dict[str, Any]:
    return job_version_page(view, known_job(view, namespace, job), limit=limit, offset=offset)


def _version(view: View, *, namespace: str, job: str, version: str) -> dict[str, Any]:
    return one_job_version(view, known_job(view, namespace, job), known_id(version))


def _described(view: View, namespace: str, name: str, body: JobBody) -> bytes:
    if not namespace_exists(view, namespace):
        raise NodeNotFound(f"Namespace '{namespace}' not found.")
    if body.run_id is not None and not view.facts(Run, run=run_uuid(body.run_id).bytes):
        raise NodeNotFound(f"Run '{body.run_id}' not found.")
    for dataset in (*(body.inputs or ()), *(body.outputs or ())):
        find_dataset(view, dataset.namespace, dataset.name)
    return job_event(
        time.time_ns() // 1000,
        namespace,
        name,
        kind=body.type.upper(),
        inputs=[{"namespace": item.namespace, "name": item.name} for item in body.inputs or ()],
        outputs=[{"namespace": item.namespace, "name": item.name} for item in body.outputs or ()],
        location=body.location,
        description=body.description,
    )


_JOBS = "/api/v1/namespaces/{namespace}/jobs"
ROUTES = [
    MarquezRoute("/api/v1/jobs", list_jobs, ["GET"]),
    MarquezRoute(_JOBS, list_jobs, ["GET"]),
    MarquezRoute(f"{_JOBS}/{{job}}", get_job, ["GET"]),
    MarquezRoute(f"{_JOBS}/{{job}}", put_job, ["PUT"]),
    MarquezRoute(f"{_JOBS}/{{job}}", delete_job, ["DELETE"]),
    MarquezRoute(f"{_JOBS}/{{job}}/versions", list_versions, ["GET"]),
    MarquezRoute(f"{_JOBS}/{{job}}/versions/{{version}}", get_version, ["GET"]),
]
