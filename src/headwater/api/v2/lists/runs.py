"""Runs and operations: listed, and one by one. Both have ids of one kind, `run:UUID`."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query, time_in
from headwater.api.v2.query.list_page import heading, shown
from headwater.api.v2.query.list_parameters import RunQuery, Text, roles_of
from headwater.api.v2.query.named_route import NamedRoute
from headwater.api.v2.records.examples import RUN_ITEM, page_of_one
from headwater.graph.facts import Activity, NodeKind
from headwater.lineage.answer.entity_records import RunEntity
from headwater.lineage.answer.records import Page, RunItem
from headwater.lineage.entities.entity import find_run
from headwater.lineage.entities.run import run_entity
from headwater.lineage.entities.statement import parse_sql_id
from headwater.lineage.entities.user import user_name
from headwater.lineage.errors import BadQuestion
from headwater.lineage.lists.counts import run_counts, with_counts
from headwater.lineage.lists.listing import list_runs
from headwater.lineage.names.filters import node_ids, place_ids, statuses_of
from headwater.store.read.lists.runs import RunFilter

__all__ = ["ROUTES"]

_KINDS = {"run": Activity.RUN, "operation": Activity.OPERATION, "any": None}


class RunsQuery(RunQuery, frozen=True, kw_only=True):
    kind: Annotated[
        Literal["run", "operation", "any"],
        Meta(description="Runs, operations, or either. What is both, such as an Airflow task, is found as each."),
    ] = "any"
    parent: Annotated[Text, Meta(description="Id of the run that they are children of.")] | None = None


class OperationsQuery(RunQuery, frozen=True, kw_only=True):
    run: Annotated[Text, Meta(description="Id of the run that they belong to.")] | None = None


@declare(
    "Runs and operations.",
    answer=Page[RunItem],
    query=RunsQuery,
    tables=heading(RunItem),
    errors=(404,),
    example=page_of_one(RUN_ITEM),
)
async def get_runs(request: Request) -> Response:
    query = read_query(request, RunsQuery)
    return shown(
        request, query, await ask(_runs, context_of(request), query, query.parent, _KINDS[query.kind]), RunItem
    )


@declare(
    "Operations: the parts of runs that read and write.",
    answer=Page[RunItem],
    query=OperationsQuery,
    tables=heading(RunItem),
    errors=(404,),
    example=page_of_one({**RUN_ITEM, "kind": "operation", "activity": ["OPERATION"]}),
)
async def get_operations(request: Request) -> Response:
    query = read_query(request, OperationsQuery)
    return shown(request, query, await ask(_runs, context_of(request), query, query.run, Activity.OPERATION), RunItem)


@declare("One run or operation, by its UUID or by the id that was sent.", answer=RunEntity)
async def get_run(request: Request) -> Response:
    read_query(request, NoQuery)
    return render(await ask(_run, context_of(request), request.path_params["id"]))


@declare("The same as `/api/v2/runs/{id}`: what is a run and what an operation has one id.", answer=RunEntity)
async def get_operation(request: Request) -> Response:
    read_query(request, NoQuery)
    return render(await ask(_run, context_of(request), request.path_params["id"]))


def _runs(context: Context, query: RunQuery, parent: str | None, activity: Activity | None) -> Page[RunItem]:
    reader, tenant = context.reader, context.tenant.id
    sql = parse_sql_id(query.sql) if query.sql is not None else None
    if query.sql is not None and sql is None:
        raise BadQuestion(f"{query.sql!r} is no id of a statement.", path="?sql", hint="GET /api/v2/sql lists them.")
    wanted = RunFilter(
        activity=activity,
        jobs=node_ids(reader, tenant, query.job, NodeKind.JOB),
        namespaces=place_ids(reader, tenant, query.namespace, query.location),
        parents=frozenset((find_run(parent),)) if parent is not None else None,
        statuses=statuses_of(query.status),
        user=user_name(reader, tenant, query.user) if query.user is not None else None,
        name=query.name,
        datasets=node_ids(reader, tenant, query.dataset, NodeKind.DATASET),
        roles=roles_of(query.role),
        sql=sql,
        seen_from=time_in(query.since, "since"),
        seen_before=time_in(query.until, "until", "after"),
    )
    page = list_runs(reader, tenant, wanted, query.order, query.cursor, query.limit)
    return with_counts(page, run_counts(reader, tenant, wanted, query.counts))


def _run(context: Context, text: str) -> RunEntity:
    return run_entity(context.reader, context.tenant.id, find_run(text), text)


ROUTES = [
    Route("/api/v2/runs", get_runs),
    NamedRoute("/api/v2/runs/{id:path}", get_run),
    Route("/api/v2/operations", get_operations),
    NamedRoute("/api/v2/operations/{id:path}", get_operation),
]
