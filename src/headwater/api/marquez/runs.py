"""Runs: of a job, one by one, and made, started and ended by hand."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal
from uuid import uuid4

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.access.identity import Role
from headwater.api.authentication.authorize import require
from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.body import members_of
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import RUN, RUN_BODY
from headwater.api.marquez.http.query import Moment, PageQuery, moment, page_of, query_of
from headwater.api.marquez.http.records import RunFacets, RunPage, RunRecord
from headwater.api.marquez.http.refuse import Refused, known_id
from headwater.api.marquez.http.route import MarquezRoute, record_all, view_of
from headwater.api.marquez.jobs import known_job
from headwater.graph.facts import Run
from headwater.lineage.answer.text_types import JsonObject
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.edits import run_event
from headwater.lineage.marquez.graph.run_flows import Flows, job_states
from headwater.lineage.marquez.runs import load_runs, render_runs, run_facets, runs_page
from headwater.lineage.marquez.view import View
from headwater.openlineage.identity import run_uuid

__all__ = ["ROUTES"]

_TYPES = {"start": "START", "complete": "COMPLETE", "fail": "FAIL", "abort": "ABORT"}


class RunBody(Struct, rename="camel"):
    id: str | None = None
    nominal_start_time: str | None = None
    nominal_end_time: str | None = None
    args: JsonObject | None = None


class FacetsQuery(Struct, frozen=True):
    type: Annotated[Literal["RUN", "JOB", "DATASET"], Meta(description="Whose facets; of datasets it has none.")]


class ChangeQuery(Struct, frozen=True):
    at: Moment | None = None


@describe("Runs of a job, newest first.", answer=RunPage, query=PageQuery, example={"runs": [RUN], "totalCount": 1})
async def list_runs(request: Request) -> Response:
    return render(await ask(_page, view_of(context_of(request)), **request.path_params, **page_of(request)))


@describe("One run.", answer=RunRecord, example=RUN)
async def get_run(request: Request) -> Response:
    return render(await ask(_one, view_of(context_of(request)), request.path_params["run"]))


@describe(
    "The facets of a run, or of its job; nothing where there are none.",
    answer=RunFacets,
    query=FacetsQuery,
    example={"runId": RUN["id"], "facets": {}},
)
async def get_facets(request: Request) -> Response:
    """The facets of a run or of its job; where there are none, nothing, as Marquez answers."""
    run, view = known_id(request.path_params["run"]), view_of(context_of(request))
    kind = query_of(request, FacetsQuery).type
    found = await ask(run_facets, view, run, kind.lower())
    return Response(status_code=200) if found is None else render(found)


@describe(
    "Make a run.",
    answer=RunRecord,
    body=RunBody,
    body_required=False,
    status=201,
    errors=(413, 422),
    example=RUN,
    body_example=RUN_BODY,
)
async def create_run(request: Request) -> Response:
    context, asked = context_of(request), request.path_params
    require(context.identity, Role.WRITER)
    body = await members_of(request, RunBody)
    run = str(run_uuid(body.id)) if body.id else str(uuid4())
    event = await ask(_made, view_of(context), asked["namespace"], asked["job"], run, body)
    await record_all(context, event)
    answer = render(await ask(_one, view_of(context), run), 201)
    answer.headers["location"] = f"/api/v1/jobs/runs/{run}"
    return answer


@describe("Start or end a run, now or at another time.", answer=RunRecord, query=ChangeQuery, example=RUN)
async def change_run(request: Request) -> Response:
    """Start or end a run, now or `at` another time."""
    context, run = context_of(request), known_id(request.path_params["run"])
    require(context.identity, Role.WRITER)
    at = moment("at", query_of(request, ChangeQuery).at, time.time_ns() // 1000)
    event = await ask(_changed, view_of(context), run, _TYPES[request.url.path.rstrip("/").rpartition("/")[2]], at)
    await record_all(context, event)
    return render(await ask(_one, view_of(context), run))


def _page(view: View, *, namespace: str, job: str, limit: int, offset: int) -> dict[str, Any]:
    return runs_page(view, known_job(view, namespace, job), limit=limit, offset=offset)


def _one(view: View, text: str) -> dict[str, Any]:
    run = run_uuid(known_id(text)).bytes
    found = load_runs(view, [run])
    if run not in found:
        raise NodeNotFound(f"Run '{text}' not found.")
    return render_runs(view, found)[run]


def _made(view: View, namespace: str, job: str, run: str, body: RunBody) -> bytes:
    found = known_job(view, namespace, job)
    if view.facts(Run, run=run_uuid(run).bytes):
        message = f"Run '{run}' already exists for '{job}' under namespace '{namespace}'."
        raise Refused(400, {"code": 400, "message": message})
    made = {
        "args": body.args or {},
        "nominalStartTime": body.nominal_start_time,
        "nominalEndTime": body.nominal_end_time,
    }
    flows = job_states(view, [found.id])[found.id].flows
    return _event(view, run, found.id, None, time.time_ns() // 1000, flows.inputs, frozenset(), made)


def _changed(view: View, run: str, kind: str, at: int) -> bytes:
    """A run that ends well has written the outputs of its job."""
    found = load_runs(view, [run_uuid(run).bytes]).get(run_uuid(run).bytes)
    if found is None or found.run.job is None:
        raise NodeNotFound(f"Run '{run}' not found.")
    states = job_states(view, [found.run.job])
    flows = states[found.run.job].flows if kind == "COMPLETE" and found.flows.outputs == frozenset() else Flows()
    return _event(view, run, found.run.job, kind, at, frozenset(), flows.outputs, None)


def _event(
    view: View,
    run: str,
    job: bytes,
    kind: str | None,
    at: int,
    inputs: frozenset[bytes],
    outputs: frozenset[bytes],
    made: dict[str, Any] | None,
) -> bytes:
    names = view.names({job} | inputs | outputs)
    stated = {node: {"namespace": name.namespace, "name": name.name} for node, name in names.items()}
    return run_event(
        at,
        run,
        stated[job],
        kind=kind,
        inputs=[stated[node] for node in sorted(inputs) if node in stated],
        outputs=[stated[node] for node in sorted(outputs) if node in stated],
        made=made,
    )


_RUN = "/api/v1/jobs/runs/{run}"
ROUTES = [
    MarquezRoute("/api/v1/namespaces/{namespace}/jobs/{job}/runs", list_runs, ["GET"]),
    MarquezRoute("/api/v1/namespaces/{namespace}/jobs/{job}/runs", create_run, ["POST"]),
    MarquezRoute(_RUN, get_run, ["GET"]),
    MarquezRoute(f"{_RUN}/facets", get_facets, ["GET"]),
    *(MarquezRoute(f"{_RUN}/{word}", change_run, ["POST"]) for word in _TYPES),
]
