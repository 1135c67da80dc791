"""Where a tenant's metalakes are read from, and the beginning of a full reading."""

from __future__ import annotations

import os
import time

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.api.operators.tenants.sync_process import running
from headwater.api.operators.tenants.tenants import STATUS_EXAMPLE, found_tenant, only_operators, status_of
from headwater.interpret.interpret import interpret
from headwater.lineage.assets.sync_status import TenantStatus
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.openlineage.decode import decode_event
from headwater.openlineage.naming import clean
from headwater.openlineage.times import format_time
from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.send import Outgoing
from headwater.pipeline.gravitino.events import EventMaker
from headwater.pipeline.gravitino.sync import cutover_of
from headwater.store.assets.neo4j.server import WrongGraph, read_password
from headwater.store.pipeline.catalog_sources import CatalogSource, CatalogSources
from headwater.store.pipeline.jobs import read_jobs
from headwater.store.write.log import Entry, Tenant

__all__ = ["ROUTES"]

_LONGEST = 128
_LONGEST_URL = 1_000
_MOST_RATE = 10_000
_MOST_SOURCES = 100
_SOURCE = {"metalake": "lake", "url": "http://gravitino.example.com:8090", "token": "env:GRAVITINO_TOKEN"}


class NewSource(Struct, forbid_unknown_fields=True):
    metalake: str
    url: str
    token: str | None = None
    rate: int = 50
    hold: bool = True


class NamedSource(Struct, forbid_unknown_fields=True):
    metalake: str


class SyncOrder(Struct, forbid_unknown_fields=True):
    metalake: str | None = None


@declare(
    "Name the Gravitino server of a metalake; until that was read as a whole its events are held. Operators only.",
    answer=TenantStatus,
    example=STATUS_EXAMPLE,
    body=NewSource,
    body_example=_SOURCE,
)
async def set_source(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    only_operators(context)
    new = await body_as(request, NewSource)
    tenant = await found_tenant(context, request.path_params["code"])
    source = _checked(new)
    sources = CatalogSources(context.reader.engine)
    known = await ask(sources.list, tenant.id)
    if len(known) >= _MOST_SOURCES and all(item.metalake != source.metalake for item in known):
        raise BadQuestion(f"A tenant has {_MOST_SOURCES} sources at most.", path="$.metalake")
    await ask(sources.set, tenant.id, source)
    if new.hold:
        await _hold(context, tenant, source.metalake)
    return render(await status_of(context, tenant))


@declare(
    "Forget the Gravitino server of a metalake; what was read from it stays. Operators only.",
    answer=TenantStatus,
    example=STATUS_EXAMPLE,
    body=NamedSource,
    body_example={"metalake": "lake"},
    errors=(404,),
)
async def remove_source(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    only_operators(context)
    named = await body_as(request, NamedSource)
    tenant = await found_tenant(context, request.path_params["code"])
    if not await ask(CatalogSources(context.reader.engine).remove, tenant.id, named.metalake):
        raise _unknown(tenant.code, named.metalake)
    return render(await status_of(context, tenant))


@declare(
    "Begin a full reading of a metalake from its source, or go on with one that was cut off.",
    answer=TenantStatus,
    example=STATUS_EXAMPLE,
    status=202,
    body=SyncOrder,
    body_required=False,
    body_example={"metalake": "lake"},
    errors=(404, 409, 429),
)
async def start_sync(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    order = await body_as(request, SyncOrder)
    tenant = await found_tenant(context, request.path_params["code"])
    known = await ask(CatalogSources(context.reader.engine).list, tenant.id)
    chosen = [item for item in known if order.metalake in (None, item.metalake)]
    if not chosen:
        raise _unknown(tenant.code, order.metalake)
    if len(chosen) > 1:
        names = ", ".join(item.metalake for item in chosen[:10])
        raise BadQuestion(f"There are several metalakes: {names}.", path="$.metalake", hint="Name one of them.")
    _check_token(chosen[0].token)
    jobs = await ask(lambda: read_jobs(context.reader.engine, of_tenant=(tenant.id, "sync")))
    if any(job.is_alive for job in jobs):
        raise running(tenant.code)
    await ask(context.services.syncs.start, tenant.code, chosen[0].metalake)
    return render(await status_of(context, tenant), 202)


def _checked(new: NewSource) -> CatalogSource:
    metalake = clean(new.metalake).strip()
    if not metalake or len(metalake) > _LONGEST or "/" in metalake:
        raise BadQuestion(f"The metalake is a name of up to {_LONGEST} characters without /.", path="$.metalake")
    if not new.url.startswith(("http://", "https://")) or len(new.url) > _LONGEST_URL or "@" in new.url:
        raise BadQuestion(
            "The url begins with http:// or https:// and holds no credentials.",
            path="$.url",
            hint="A token is named by reference: env:NAME or file:PATH.",
        )
    try:
        Outgoing("0.0.0.0/0,::/0").check(new.url)
    except OutgoingFailed as error:
        raise BadQuestion(error.message, path="$.url") from None
    if not 0 <= new.rate <= _MOST_RATE:
        raise BadQuestion(f"The rate must be from 0 to {_MOST_RATE}.", path="$.rate")
    _check_token(new.token or "")
    return CatalogSource(metalake, new.url.rstrip("/"), new.token or "", new.rate)


def _check_token(reference: str) -> None:
    """Refuse a reference that leads to nothing, now rather than in the reading."""
    try:
        read_password(reference, os.environ)
    except WrongGraph:
        raise BadQuestion(
            "The token is no reference that this server can read.",
            path="$.token",
            hint="Write env:NAME or file:PATH, of the machine and user of the server; a token itself is not taken.",
        ) from None


async def _hold(context: Context, tenant: Tenant, metalake: str) -> None:
    """From now on events of the metalake change no assets until it was read; unless that was done or begun before."""
    if await ask(cutover_of, context.reader, tenant.id, metalake) != (None, None):
        return
    await ask(context.services.assets.follow, [tenant.id])
    now = time.time_ns() // 1_000_000 * 1000
    event = decode_event(EventMaker(tenant.id, tenant.code, metalake, format_time(now)).started())
    await context.writer.submit(Entry(tenant, event, interpret(event, tenant.id), time.time_ns() // 1000))


def _unknown(code: str, metalake: str | None) -> NodeNotFound:
    what = f"the metalake {metalake!r}" if metalake is not None else "any metalake"
    return NodeNotFound(
        f"The tenant {code} has no source of {what}.", hint=f"An operator sets one: headwater tenant source {code} ..."
    )


ROUTES = [
    Route("/api/v2/tenants/{code}/sources", set_source, methods=["POST"]),
    Route("/api/v2/tenants/{code}/sources/remove", remove_source, methods=["POST"]),
    Route("/api/v2/tenants/{code}/sync", start_sync, methods=["POST"]),
]
