"""Datasets and jobs: listed, and one by one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query, time_in
from headwater.api.v2.query.list_page import heading, shown
from headwater.api.v2.query.list_parameters import DatasetOrder, JobOrder, NodeQuery, Text, roles_of
from headwater.api.v2.query.named_route import NamedRoute
from headwater.api.v2.records.examples import DATASET_ITEM, JOB_ITEM, page_of_one
from headwater.graph.facts import NodeKind, Seen
from headwater.lineage.answer.entity_records import DatasetEntity, JobEntity
from headwater.lineage.answer.records import DatasetItem, JobItem, Page
from headwater.lineage.entities.annotations import chosen_by_owner, chosen_by_tag
from headwater.lineage.entities.dataset import dataset_entity
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.entities.job import job_entity
from headwater.lineage.lists.counts import node_counts, with_counts
from headwater.lineage.lists.listing import list_datasets, list_jobs, tag_of
from headwater.lineage.names.filters import node_ids, place_ids
from headwater.lineage.names.find import find_node
from headwater.lineage.names.other_names import other_names
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.catalog import NodeFilter
from headwater.store.read.lookup import Lookup

__all__ = ["ROUTES"]

_COUNTS = Meta(description="With the number of items by each value of these, whatever the page.")
_Role = Literal["input", "output", "reference"]


class DatasetQuery(NodeQuery, frozen=True, kw_only=True):
    seen: (
        Annotated[
            Literal["REFERENCE", "INPUT", "OUTPUT", "SUBJECT", "SYMLINK"],
            Meta(description="Met as an input, an output, the subject of an event, a symlink, a mere reference."),
        ]
        | None
    ) = None
    job: Annotated[Text, Meta(description="Name of a job that uses it.", examples=["job:shop:load"])] | None = None
    role: Annotated[_Role, Meta(description="With `job`: how the job uses it.")] | None = None
    counts: Annotated[tuple[Literal["namespace", "location_type", "tag"], ...], _COUNTS] = ()
    order: DatasetOrder = "name"


class JobQuery(NodeQuery, frozen=True, kw_only=True):
    type: Annotated[Text, Meta(description="The type, exactly.", examples=["SPARK_APPLICATION"])] | None = None
    parent: Annotated[Text, Meta(description="Name of the parent job.")] | None = None
    dataset: Annotated[Text, Meta(description="Name of a dataset that it uses.")] | None = None
    role: Annotated[_Role, Meta(description="With `dataset`: how the job uses it.")] | None = None
    counts: Annotated[tuple[Literal["namespace", "type", "status", "tag"], ...], _COUNTS] = ()
    order: JobOrder = "name"


@declare(
    "Datasets.",
    answer=Page[DatasetItem],
    query=DatasetQuery,
    tables=heading(DatasetItem),
    errors=(404,),
    example=page_of_one(DATASET_ITEM),
)
async def get_datasets(request: Request) -> Response:
    query = read_query(request, DatasetQuery)
    seen = Seen[query.seen] if query.seen else None
    return shown(request, query, await ask(_datasets, context_of(request), query, seen), DatasetItem)


@declare(
    "Jobs.", answer=Page[JobItem], query=JobQuery, tables=heading(JobItem), errors=(404,), example=page_of_one(JOB_ITEM)
)
async def get_jobs(request: Request) -> Response:
    query = read_query(request, JobQuery)
    return shown(request, query, await ask(_jobs, context_of(request), query), JobItem)


@declare("One dataset, by any of its names: `dataset:NAMESPACE:NAME`, or a name or part of one.", answer=DatasetEntity)
async def get_dataset(request: Request) -> Response:
    read_query(request, NoQuery)
    return render(await ask(_dataset, context_of(request), request.path_params["id"]))


@declare("One job: `job:NAMESPACE:NAME`, or a name or part of one.", answer=JobEntity)
async def get_job(request: Request) -> Response:
    read_query(request, NoQuery)
    return render(await ask(_job, context_of(request), request.path_params["id"]))


def _datasets(context: Context, query: DatasetQuery, seen: Seen | None) -> Page[DatasetItem]:
    reader, tenant = context.reader, context.tenant.id
    others = node_ids(reader, tenant, query.job, NodeKind.JOB)
    wanted = _filter(context, query, seen=seen, others=others, roles=roles_of(query.role))
    page = list_datasets(reader, tenant, wanted, query.order, query.cursor, query.limit)
    return with_counts(page, node_counts(reader, tenant, NodeKind.DATASET, wanted, query.counts))


def _jobs(context: Context, query: JobQuery) -> Page[JobItem]:
    reader, tenant = context.reader, context.tenant.id
    others = node_ids(reader, tenant, query.dataset, NodeKind.DATASET)
    parents = node_ids(reader, tenant, query.parent, NodeKind.JOB)
    wanted = _filter(context, query, job_type=query.type, parents=parents, others=others, roles=roles_of(query.role))
    page = list_jobs(reader, tenant, wanted, query.order, query.cursor, query.limit)
    return with_counts(page, node_counts(reader, tenant, NodeKind.JOB, wanted, query.counts))


def _filter(context: Context, query: NodeQuery, **more: Any) -> NodeFilter:
    reader, tenant = context.reader, context.tenant.id
    aliases, lookup = Aliases(reader, tenant), Lookup(reader.engine)
    chosen = [chosen_by_tag(tenant, lookup, aliases, tag_of(reader, tenant, tag)) for tag in query.tag]
    chosen += [chosen_by_owner(tenant, lookup, aliases, owner) for owner in query.owner]
    without = frozenset() if query.hidden else hidden_nodes(reader, tenant, lookup, aliases=aliases)
    if not query.aliases:
        without |= other_names(reader, tenant, lookup, aliases)
    return NodeFilter(
        namespaces=place_ids(reader, tenant, query.namespace, query.location),
        location_type=query.location_type,
        name=query.name,
        chosen=tuple(chosen),
        without=without,
        first_seen_from=time_in(query.since, "since"),
        first_seen_before=time_in(query.until, "until", "after"),
        **more,
    )


def _dataset(context: Context, text: str) -> DatasetEntity:
    name = find_node(context.reader, context.tenant.id, text, NodeKind.DATASET)
    return dataset_entity(context.reader, context.tenant.id, name)


def _job(context: Context, text: str) -> JobEntity:
    name = find_node(context.reader, context.tenant.id, text, NodeKind.JOB)
    return job_entity(context.reader, context.tenant.id, name)


ROUTES = [
    Route("/api/v2/datasets", get_datasets),
    NamedRoute("/api/v2/datasets/{id:path}", get_dataset),
    Route("/api/v2/jobs", get_jobs),
    NamedRoute("/api/v2/jobs/{id:path}", get_job),
]
