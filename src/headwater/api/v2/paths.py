"""The ways from one thing to another."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import read_query
from headwater.api.v2.query.moment_parameters import Name, WindowQuery, window_of
from headwater.api.v2.records.walk import PathsAnswer
from headwater.lineage.walk.paths import MOST_PATHS, paths

__all__ = ["ROUTES"]


class PathsQuery(WindowQuery, frozen=True, kw_only=True):
    source: Name = field(name="from")
    target: Name = field(name="to")
    limit: Annotated[int, Meta(ge=1, le=MOST_PATHS, description="How many ways are listed.")] = 20
    depth: Annotated[int, Meta(ge=1, le=50, description="How many steps to go.")] = 50


@declare(
    "The shortest ways between two things.", answer=PathsAnswer, query=PathsQuery, errors=(404,), group="Questions"
)
async def get_paths(request: Request) -> Response:
    context, query = context_of(request), read_query(request, PathsQuery)
    answer = await ask(
        paths,
        context.reader,
        context.tenant.id,
        query.source,
        query.target,
        window=window_of(query),
        limit=query.limit,
        depth=query.depth,
    )
    return render(answer)


ROUTES = [Route("/api/v2/paths", get_paths)]
