"""Headwater's own API: what is this, and all of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.lineage.entities import show
from headwater.lineage.errors import BadQuestion
from headwater.store.dump import dump_facts
from headwater.store.read import Reader

__all__ = ["ROUTES"]


async def get_entity(request: Request) -> Response:
    context = context_of(request)
    return render(await ask(show, context.reader, context.tenant.id, _name(request)))


async def get_dump(request: Request) -> Response:
    """The whole graph as NDJSON, sent while it is read."""
    context = context_of(request)
    return StreamingResponse(_pages(context.reader, context.tenant.id), media_type="application/x-ndjson")


def _pages(reader: Reader, tenant: int) -> Iterator[str]:
    with reader.snapshot(tenant) as read:
        lines = dump_facts(read)
        while page := list(islice(lines, 500)):
            yield "\n".join(page) + "\n"


def _name(request: Request) -> str:
    name = request.query_params.get("name")
    if not name:
        raise BadQuestion(
            "The parameter `name` is missing.", path="?name", hint="For example ?name=shop.public.orders."
        )
    return name


ROUTES = [
    Route("/api/v2/show", get_entity),
    Route("/api/v2/dump", get_dump),
]
