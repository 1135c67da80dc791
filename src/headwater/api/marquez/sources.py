"""Sources of data."""

from __future__ import annotations

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.access.identity import Role
from headwater.api.authentication.authorize import require
from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.body import members_of
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import SOURCE, SOURCE_BODY
from headwater.api.marquez.http.query import PageQuery, page_of
from headwater.api.marquez.http.records import SourcePage, SourceRecord
from headwater.api.marquez.http.route import MarquezRoute, record_notes, view_of
from headwater.lineage.edits.event import Remark
from headwater.lineage.marquez.sources import one_source, source_page

__all__ = ["ROUTES"]


class SourceBody(Struct, rename="camel"):
    type: str
    connection_url: str
    description: str | None = None


@describe(
    "Sources of data by name.",
    answer=SourcePage,
    query=PageQuery,
    errors=(404,),
    example={"sources": [SOURCE]},
)
async def list_sources(request: Request) -> Response:
    return render(await ask(source_page, view_of(context_of(request)), **page_of(request)))


@describe("One source.", answer=SourceRecord, example=SOURCE)
async def get_source(request: Request) -> Response:
    return render(await ask(one_source, view_of(context_of(request)), request.path_params["source"]))


@describe(
    "Make a source, or change it.",
    answer=SourceRecord,
    body=SourceBody,
    errors=(413, 422),
    example=SOURCE,
    body_example=SOURCE_BODY,
)
async def put_source(request: Request) -> Response:
    context, name = context_of(request), request.path_params["source"]
    require(context.identity, Role.WRITER)
    body = await members_of(request, SourceBody)
    remark = Remark("SOURCES", "source", msgspec.json.encode(body).decode(), name=name)
    await record_notes(context, [remark])
    return render(await ask(one_source, view_of(context), name))


ROUTES = [
    MarquezRoute("/api/v1/sources", list_sources, ["GET"]),
    MarquezRoute("/api/v1/sources/{source}", get_source, ["GET"]),
    MarquezRoute("/api/v1/sources/{source}", put_source, ["PUT"]),
]
