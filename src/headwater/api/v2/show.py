"""Headwater's own API: details of a thing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.http.streamed_answers import Streamed
from headwater.api.openapi.declare import OneOf, declare
from headwater.api.openapi.query import read_query
from headwater.lineage.answer.entity_records import (
    DatasetEntity,
    JobEntity,
    LocationEntity,
    RunEntity,
    SqlEntity,
    UserEntity,
)
from headwater.lineage.entities.entity import show
from headwater.store.models.dump import dump_results
from headwater.store.read.dump import dump_facts
from headwater.store.read.reader import Reader

__all__ = ["ROUTES"]

_PAGE = 128 << 10
"""Characters that are sent together."""


class ShowQuery(Struct, frozen=True):
    name: Annotated[str, Meta(description="A name or id of anything.", examples=["dataset:s3://lake:sales/daily"])]


@declare(
    "What is known of a dataset, job, run, operation, location, user or statement; `kind` says which.",
    answer=OneOf("kind", (DatasetEntity, JobEntity, RunEntity, LocationEntity, UserEntity, SqlEntity)),
    query=ShowQuery,
    errors=(404,),
)
async def get_entity(request: Request) -> Response:
    context, query = context_of(request), read_query(request, ShowQuery)
    return render(await ask(show, context.reader, context.tenant.id, query.name))


class DumpQuery(Struct, frozen=True):
    derived: Annotated[bool, Meta(description="Also what the pipeline worked out.")] = False


@declare("The whole graph as NDJSON.", answer=str, query=DumpQuery, media="application/x-ndjson")
async def get_dump(request: Request) -> Response:
    """The whole graph as NDJSON, sent while it is read."""
    query, context = read_query(request, DumpQuery), context_of(request)
    reader, tenant = context.reader, context.tenant.id
    pages = partial(_pages, reader, tenant, derived=query.derived)
    return Streamed(pages, context.services.streams, tenant, media_type="application/x-ndjson")


def _pages(reader: Reader, tenant: int, *, derived: bool) -> Iterator[bytes]:
    with reader.snapshot(tenant) as read:
        page, size = [], 0
        results = dump_results(reader.engine, tenant) if derived else ()
        for line in chain(dump_facts(read, derived=derived), results):
            page.append(line)
            size += len(line)
            if size > _PAGE:
                yield ("\n".join(page) + "\n").encode()
                page, size = [], 0
        if page:
            yield ("\n".join(page) + "\n").encode()


ROUTES = [
    Route("/api/v2/show", get_entity),
    Route("/api/v2/dump", get_dump),
]
