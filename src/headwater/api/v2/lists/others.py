"""Users, statements and tags: listed, and one by one."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import Time, read_query, time_in
from headwater.api.v2.query.list_page import heading, shown
from headwater.api.v2.query.list_parameters import PageQuery, Text
from headwater.api.v2.query.named_route import NamedRoute
from headwater.graph.facts import NodeKind
from headwater.lineage.answer.entity_records import SqlEntity, UserEntity
from headwater.lineage.answer.records import Page, SqlItem, SqlPage, TagItem, UserItem
from headwater.lineage.entities.statement import statement_entity
from headwater.lineage.entities.user import user_entity
from headwater.lineage.lists.listing import list_statements, list_tags, list_users
from headwater.lineage.lists.series import days_between
from headwater.lineage.names.filters import node_ids
from headwater.store.read.lists.catalog import SqlFilter

__all__ = ["ROUTES"]


class UserQuery(PageQuery, frozen=True, kw_only=True):
    name: Annotated[Text, Meta(description="Text in the name, in any case.")] | None = None
    order: Annotated[Literal["name", "-name"], Meta(description="By name, or the other way round.")] = "name"


class TagQuery(PageQuery, frozen=True, kw_only=True):
    name: Annotated[Text, Meta(description="Text in the tag, in any case.", examples=["pii"])] | None = None
    order: Annotated[Literal["tag", "-tag"], Meta(description="By tag, or the other way round.")] = "tag"


class SqlQuery(PageQuery, frozen=True, kw_only=True):
    text: Annotated[Text, Meta(description="Text in the statement, in any case.")] | None = None
    dialect: Annotated[Text, Meta(description="The dialect, as the producer states it.")] | None = None
    job: Annotated[Text, Meta(description="Name of a job that executes it.")] | None = None
    since: Annotated[Time, Meta(description="Only what ran on the day of this time or later.")] | None = None
    until: Annotated[Time, Meta(description="Only what ran on the day of this time or earlier.")] | None = None
    order: Annotated[
        Literal["id", "-id", "runs", "-runs", "last_run", "-last_run"],
        Meta(description="By its id, the number of runs that executed it or the last of them; `-` turns it round."),
    ] = "id"


@declare(
    "Everybody who started a run, or who owns a dataset or job.",
    answer=Page[UserItem],
    query=UserQuery,
    tables=heading(UserItem),
)
async def get_users(request: Request) -> Response:
    query, context = read_query(request, UserQuery), context_of(request)
    wanted = (query.name, query.order, query.cursor, query.limit)
    return shown(request, query, await ask(list_users, context.reader, context.tenant.id, *wanted), UserItem)


@declare("One user, with the newest runs and the things owned.", answer=UserEntity)
async def get_user(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    return render(await ask(user_entity, context.reader, context.tenant.id, request.path_params["id"]))


@declare(
    "Every tag that a dataset, a column or a job carries.",
    answer=Page[TagItem],
    query=TagQuery,
    tables=heading(TagItem),
)
async def get_tags(request: Request) -> Response:
    query, context = read_query(request, TagQuery), context_of(request)
    return shown(request, query, await ask(_tags, context, query), TagItem)


@declare("SQL statements.", answer=SqlPage, query=SqlQuery, tables=heading(SqlItem), errors=(404,))
async def get_statements(request: Request) -> Response:
    query, context = read_query(request, SqlQuery), context_of(request)
    return shown(request, query, await ask(_statements, context, query), SqlItem)


@declare("One SQL statement: `sql:` and 32 hexadecimal digits.", answer=SqlEntity)
async def get_statement(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    return render(await ask(statement_entity, context.reader, context.tenant.id, request.path_params["id"]))


def _tags(context: Context, query: TagQuery) -> Page[TagItem]:
    return list_tags(context.reader, context.tenant.id, query.name, query.order, query.cursor, query.limit)


def _statements(context: Context, query: SqlQuery) -> SqlPage:
    reader, tenant = context.reader, context.tenant.id
    jobs = node_ids(reader, tenant, query.job, NodeKind.JOB)
    since, until = time_in(query.since, "since"), time_in(query.until, "until", "last")
    wanted = SqlFilter(text=query.text, dialect=query.dialect, jobs=jobs, days=days_between(since, until))
    return list_statements(reader, tenant, wanted, query.order, query.cursor, query.limit)


ROUTES = [
    Route("/api/v2/users", get_users),
    NamedRoute("/api/v2/users/{id:path}", get_user),
    Route("/api/v2/tags", get_tags),
    Route("/api/v2/sql", get_statements),
    NamedRoute("/api/v2/sql/{id:path}", get_statement),
]
