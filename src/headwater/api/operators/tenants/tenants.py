"""Tenants: made, listed, limited, and switched off and on, by operators."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.access.errors import Forbidden
from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.records import TenantAnswer, TenantList
from headwater.api.operators.request_body import body_as
from headwater.lineage.assets.sync_status import TenantStatus, tenant_status
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.store.access.tenants import ACTIVE, DISABLED
from headwater.store.write.log import Tenant

__all__ = ["ROUTES", "STATUS_EXAMPLE", "found_tenant", "only_operators", "show_tenant", "status_of"]

_MOST_RATE = 1_000_000_000
STATUS_EXAMPLE = {
    "code": "sales",
    "state": "SYNCING",
    "catalogs": [
        {
            "metalake": "lake",
            "state": "SYNCING",
            "cutover_time": None,
            "sync_started": "2026-03-01T00:00:00.000Z",
        }
    ],
    "job": {"running": True, "step": "tables", "done": 120, "total": 200, "error": None},
    "sources": [{"metalake": "lake", "url": "http://gravitino.example.com:8090", "has_token": True, "rate": 50}],
    "assets_waiting": 130,
    "embedding_model": "openai/text-embedding-3-small",
}
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class NewTenant(Struct, forbid_unknown_fields=True):
    code: str
    name: str | None = None
    id: int | None = None


class NewLimit(Struct, forbid_unknown_fields=True):
    rate: int | None = None
    burst: int | None = None


@declare(
    "Create a tenant. Operators only.",
    answer=TenantAnswer,
    body=NewTenant,
    status=201,
    errors=(409,),
    body_example={"code": "sales", "name": "Sales"},
)
async def create_tenant(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    only_operators(context)
    new = await body_as(request, NewTenant)
    if not _CODE.fullmatch(new.code):
        raise BadQuestion(
            f"{new.code!r} is no code for a tenant.", path="$.code", hint="Up to 64 letters, digits, dots, _ and -."
        )
    name = new.name or new.code
    if len(name) > 128:
        raise BadQuestion("The name is longer than 128 characters.", path="$.name")
    if new.id is not None and not 0 < new.id < 1 << 62:
        raise BadQuestion("The id must be a whole number above 0.", path="$.id")
    made = await ask(context.services.tenants.create, new.code, name, new.id)
    context.services.directory.forget()
    return render(show_tenant(made), 201)


@declare("Tenants.", answer=TenantList)
async def list_tenants(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    found = await ask(context.services.tenants.list, context.scope)
    return render({"tenants": [show_tenant(tenant) for tenant in found]})


@declare("One tenant.", answer=TenantAnswer)
async def get_tenant(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    code = request.path_params["code"]
    return render(show_tenant(_found(await ask(context.services.tenants.get, context.scope, code), code)))


@declare(
    "Where a tenant's catalogs are between live events and a full reading.", answer=TenantStatus, example=STATUS_EXAMPLE
)
async def get_tenant_status(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    return render(await status_of(context, await found_tenant(context, request.path_params["code"])))


async def found_tenant(context: Context, code: str) -> Tenant:
    """The tenant of this code, if the caller may see it."""
    return _found(await ask(context.services.tenants.get, context.scope, code), code)


async def status_of(context: Context, tenant: Tenant) -> TenantStatus:
    reader = context.reader
    return await ask(tenant_status, reader, reader.engine, context.services.assets, tenant.id, tenant.code)


@declare("Take no more events for a tenant. Operators only.", answer=TenantAnswer)
async def disable_tenant(request: Request) -> Response:
    return await _switch(request, DISABLED)


@declare("Take events for a tenant again. Operators only.", answer=TenantAnswer)
async def enable_tenant(request: Request) -> Response:
    return await _switch(request, ACTIVE)


@declare(
    "Limit how many events a second a tenant may send. Operators only.",
    answer=TenantAnswer,
    body=NewLimit,
    body_required=False,
    body_example={"rate": 100, "burst": 500},
)
async def limit_tenant(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    only_operators(context)
    new, code = await body_as(request, NewLimit), request.path_params["code"]
    for name, low in (("rate", 0), ("burst", 1)):
        value = getattr(new, name)
        if value is not None and not low <= value <= _MOST_RATE:
            raise BadQuestion(f"The {name} must be from {low} to {_MOST_RATE}.", path=f"$.{name}")
    if new.burst is not None and not new.rate:
        raise BadQuestion("A burst without a rate limits nothing.", path="$.burst", hint="Send both, or neither.")
    changed = _found(await ask(context.services.tenants.set_limit, context.scope, code, new.rate, new.burst), code)
    context.services.directory.forget()
    return render(show_tenant(changed))


async def _switch(request: Request, state: str) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    only_operators(context)
    code = request.path_params["code"]
    changed = _found(await ask(context.services.tenants.set_state, context.scope, code, state), code)
    context.services.directory.forget()
    return render(show_tenant(changed))


def show_tenant(tenant: Tenant) -> dict[str, Any]:
    shown = {"id": tenant.id, "code": tenant.code, "name": tenant.name, "state": tenant.state}
    return {**shown, "rate": tenant.rate, "burst": tenant.burst}


def only_operators(context: Context) -> None:
    if not context.identity.is_operator:
        raise Forbidden(
            "Tenants are made, limited and switched by operators: administrators of no tenant in particular.",
            hint="Use an admin key that was created without a tenant.",
        )


def _found(tenant: Tenant | None, code: str) -> Tenant:
    if tenant is None:
        raise NodeNotFound(f"There is no tenant {code!r}.", hint="`headwater tenant list` lists them.")
    return tenant


ROUTES = [
    Route("/api/v2/tenants", create_tenant, methods=["POST"]),
    Route("/api/v2/tenants", list_tenants, methods=["GET"]),
    Route("/api/v2/tenants/{code}", get_tenant, methods=["GET"]),
    Route("/api/v2/tenants/{code}/status", get_tenant_status, methods=["GET"]),
    Route("/api/v2/tenants/{code}/disable", disable_tenant, methods=["POST"]),
    Route("/api/v2/tenants/{code}/limit", limit_tenant, methods=["POST"]),
    Route("/api/v2/tenants/{code}/enable", enable_tenant, methods=["POST"]),
]
