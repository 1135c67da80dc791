"""Locations: listed, one by one; merged, split and described by an editor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.api.v2.edits import Made, record_change
from headwater.api.v2.query.list_page import heading, shown
from headwater.api.v2.query.list_parameters import PageQuery, Text
from headwater.api.v2.query.named_route import NamedRoute
from headwater.api.v2.records.examples import LOCATION_ITEM, page_of_one
from headwater.lineage.answer.entity_records import LocationEntity
from headwater.lineage.answer.records import LocationItem, Page
from headwater.lineage.entities.locations import (
    address_remarks,
    entity_of,
    external_id_remarks,
    list_locations,
    location_entity,
    merge_remarks,
    split_remarks,
)

__all__ = ["ROUTES"]

_MERGE = {"namespaces": ["postgres://db:5432", "postgres://10.0.0.7:5432"]}


class LocationQuery(PageQuery, frozen=True, kw_only=True):
    name: Annotated[Text, Meta(description="Text in one of its namespaces, in any case.")] | None = None
    type: Annotated[Text, Meta(description="The kind of place.", examples=["kafka"])] | None = None
    order: Annotated[Literal["id", "-id"], Meta(description="By its id, or the other way round.")] = "id"


_Namespace = Annotated[str, Meta(min_length=1, max_length=4096)]


class Namespaces(Made, frozen=True, kw_only=True):
    namespaces: Annotated[list[_Namespace], Meta(min_length=1, max_length=100)]


class Addresses(Made, frozen=True, kw_only=True):
    location: _Namespace
    addresses: Annotated[list[_Namespace], Meta(min_length=1, max_length=100)]


class ExternalId(Made, frozen=True, kw_only=True):
    location: _Namespace
    external_id: Annotated[str, Meta(max_length=500)]


@declare(
    "Locations.",
    answer=Page[LocationItem],
    query=LocationQuery,
    example=page_of_one(LOCATION_ITEM),
    tables=heading(LocationItem),
)
async def get_locations(request: Request) -> Response:
    query, context = read_query(request, LocationQuery), context_of(request)
    wanted = (query.name, query.type, query.order, query.cursor, query.limit)
    page = await ask(list_locations, context.reader, context.tenant.id, *wanted)
    return shown(request, query, page, LocationItem)


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
    context, body = await _read(request, Namespaces)
    return await _change(context, body, merge_remarks, body.namespaces)


@declare(
    "Declare that namespaces are a location of their own, though they share an address. Role editor.",
    answer=LocationEntity,
    body=Namespaces,
    errors=(404,),
    body_example=_MERGE,
)
async def split(request: Request) -> Response:
    context, body = await _read(request, Namespaces)
    return await _change(context, body, split_remarks, body.namespaces)


@declare(
    "Give a location further addresses, also such as no event has used yet. Role editor.",
    answer=LocationEntity,
    body=Addresses,
    errors=(404,),
    body_example={"location": "postgres://db:5432", "addresses": ["postgres://10.0.0.7:5432"]},
)
async def add_addresses(request: Request) -> Response:
    context, body = await _read(request, Addresses)
    return await _change(context, body, address_remarks, body.location, body.addresses)


@declare(
    "Note by which id another system knows a location; the empty one takes that back. Role editor.",
    answer=LocationEntity,
    body=ExternalId,
    errors=(404,),
    body_example={"location": "postgres://db:5432", "external_id": "core_postgres"},
)
async def set_external_id(request: Request) -> Response:
    context, body = await _read(request, ExternalId)
    return await _change(context, body, external_id_remarks, body.location, body.external_id)


async def _read(request: Request, kind: type[Any]) -> tuple[Context, Any]:
    read_query(request, NoQuery)
    return context_of(request), await body_as(request, kind)


async def _change(context: Context, body: Made, remarks_of: Callable[..., Any], *asked: Any) -> Response:
    reader, tenant = context.reader, context.tenant.id
    target, remarks = await ask(remarks_of, reader, tenant, *asked)
    await record_change(context, remarks, body)
    return render(await ask(entity_of, reader, tenant, target))


ROUTES = [
    Route("/api/v2/locations", get_locations, methods=["GET"]),
    Route("/api/v2/locations/merge", merge, methods=["POST"]),
    Route("/api/v2/locations/split", split, methods=["POST"]),
    Route("/api/v2/locations/addresses", add_addresses, methods=["POST"]),
    Route("/api/v2/locations/external-id", set_external_id, methods=["POST"]),
    NamedRoute("/api/v2/locations/{id:path}", get_location, methods=["GET"]),
]
