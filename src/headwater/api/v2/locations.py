"""Locations: listed, one by one, and merged or split by an editor."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.answers import body_as
from headwater.api.context import Context, ask, context_of, render
from headwater.api.declare import NoQuery, declare
from headwater.api.query import read_query
from headwater.api.v2.examples import LOCATION_ITEM, page_of_one
from headwater.api.v2.named_route import NamedRoute
from headwater.api.v2.parameters import PageQuery, Text
from headwater.lineage.answers import LocationEntity, LocationItem, Page
from headwater.lineage.locations import list_locations, location_entity, merge_locations, split_location

__all__ = ["ROUTES"]

_MERGE = {"namespaces": ["postgres://db:5432", "postgres://10.0.0.7:5432"]}


class LocationQuery(PageQuery, frozen=True, kw_only=True):
    name: Annotated[Text, Meta(description="Text in one of its namespaces, in any case.")] | None = None
    type: Annotated[Text, Meta(description="The kind of place.", examples=["kafka"])] | None = None
    order: Annotated[Literal["id", "-id"], Meta(description="By its id, or the other way round.")] = "id"


class Namespaces(Struct, frozen=True, forbid_unknown_fields=True):
    namespaces: Annotated[list[str], Meta(min_length=1, max_length=100)]


@declare("Locations.", answer=Page[LocationItem], query=LocationQuery, example=page_of_one(LOCATION_ITEM))
async def get_locations(request: Request) -> Response:
    query, context = read_query(request, LocationQuery), context_of(request)
    wanted = (query.name, query.type, query.order, query.cursor, query.limit)
    return render(await ask(list_locations, context.reader, context.tenant.id, *wanted))


@declare("One location, by any of its namespaces.", answer=LocationEntity)
async def get_location(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    return render(await ask(location_entity, context.reader, context.tenant.id, request.path_params["id"]))


@declare(
    "Declare that namespaces are one location, whatever their addresses say. Role editor.",
    answer=LocationEntity,
    body=Namespaces,
    errors=(404,),
    body_example=_MERGE,
)
async def merge(request: Request) -> Response:
    context, namespaces = await _decision(request)
    who, now = _who(context), time.time_ns() // 1000
    return render(await ask(merge_locations, context.reader, context.tenant.id, namespaces, who, now))


@declare(
    "Declare that namespaces are a location of their own, though they share an address. Role editor.",
    answer=LocationEntity,
    body=Namespaces,
    errors=(404,),
    body_example=_MERGE,
)
async def split(request: Request) -> Response:
    context, namespaces = await _decision(request)
    who, now = _who(context), time.time_ns() // 1000
    return render(await ask(split_location, context.reader, context.tenant.id, namespaces, who, now))


async def _decision(request: Request) -> tuple[Context, list[str]]:
    read_query(request, NoQuery)
    context = context_of(request)
    return context, (await body_as(request, Namespaces)).namespaces


def _who(context: Context) -> str:
    return context.identity.key_id or "single user"


ROUTES = [
    Route("/api/v2/locations", get_locations, methods=["GET"]),
    Route("/api/v2/locations/merge", merge, methods=["POST"]),
    Route("/api/v2/locations/split", split, methods=["POST"]),
    NamedRoute("/api/v2/locations/{id:path}", get_location, methods=["GET"]),
]
