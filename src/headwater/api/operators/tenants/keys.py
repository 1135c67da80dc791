"""API keys: made, listed, revoked and rotated by administrators, each of their own tenant."""

from __future__ import annotations

import time
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.access.api_key import new_key
from headwater.access.errors import OtherTenant
from headwater.access.identity import ANY, SOURCES, Role
from headwater.access.networks import network_text
from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.records import KeyAnswer, KeyList, NewKeyAnswer
from headwater.api.operators.request_body import body_as, moment
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.store.access.keys import ApiKey

__all__ = ["ROUTES"]

_SECOND = 1_000_000
_MOST_NETWORKS = 50
_LONGEST = 10 * 366 * 86_400


class NewKey(Struct, forbid_unknown_fields=True):
    tenant: str | None = None
    source: str = ANY
    roles: tuple[str, ...] = (Role.WRITER.value,)
    name: str = ""
    expires_in: int | None = None
    """Seconds."""
    networks: tuple[str, ...] = ()
    """Networks from which it may be used, such as 10.0.0.0/8; none for any."""


class Rotation(Struct, forbid_unknown_fields=True):
    grace: int = 0
    """Seconds during which the old key still works."""


@declare(
    "Create a key; this is the only time that it is shown.",
    answer=NewKeyAnswer,
    body=NewKey,
    body_required=False,
    status=201,
    body_example={"tenant": "sales", "source": "SPARK", "roles": ["writer"], "name": "nightly"},
)
async def create_key(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    new = await body_as(request, NewKey)
    source, roles = new.source.upper(), tuple(sorted({role.lower() for role in new.roles}))
    if source not in SOURCES:
        raise BadQuestion(f"{new.source!r} is no source.", path="$.source", hint=f"It is one of {', '.join(SOURCES)}.")
    if not roles or not set(roles) <= {role.value for role in Role}:
        raise BadQuestion("These are no roles.", path="$.roles", hint=f"Choose from {', '.join(Role)}.")
    if len(new.name) > 128:
        raise BadQuestion("The name is longer than 128 characters.", path="$.name")
    now = time.time_ns() // 1000
    expires_at = None if new.expires_in is None else now + _seconds(new.expires_in, "$.expires_in", 1) * _SECOND
    key_id, text, digest = new_key()
    key = ApiKey(
        id=key_id,
        tenant_id=await _tenant_of(context, new.tenant),
        source=source,
        roles=roles,
        hash=digest,
        name=new.name,
        created_at=now,
        expires_at=expires_at,
        networks=_networks(new.networks),
    )
    return await _hand_out(context, key, text)


@declare("Keys, without their secrets.", answer=KeyList)
async def list_keys(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    found = await ask(context.services.keys.list, context.scope)
    codes = await _codes(context)
    return render({"keys": [_show(key, codes) for key in found]})


@declare("End a key.", answer=KeyAnswer)
async def revoke_key(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    key = await _found(context, request)
    await ask(context.services.keys.revoke, context.scope, key.id, time.time_ns() // 1000)
    context.services.directory.forget()
    return render(_show(await _found(context, request), await _codes(context)))


@declare(
    "Replace a key; the old one still works for a while.",
    answer=NewKeyAnswer,
    body=Rotation,
    body_required=False,
    status=201,
    body_example={"grace": 3600},
)
async def rotate_key(request: Request) -> Response:
    """A new key like the old one, which still works for a while."""
    read_query(request, NoQuery)
    context = context_of(request)
    grace = _seconds((await body_as(request, Rotation)).grace, "$.grace", 0)
    old, now = await _found(context, request), time.time_ns() // 1000
    if old.revoked_at is not None or (old.expires_at is not None and old.expires_at <= now):
        raise BadQuestion(f"The key {old.id} works no more.", hint="Create a new one instead.")
    key_id, text, digest = new_key()
    key = msgspec.structs.replace(old, id=key_id, hash=digest, created_at=now, last_used_at=None)
    answer = await _hand_out(context, key, text)
    await ask(context.services.keys.end, context.scope, old.id, now + grace * _SECOND)
    context.services.directory.forget()
    return answer


async def _hand_out(context: Context, key: ApiKey, text: str) -> Response:
    """The only time that the secret is shown."""
    await ask(context.services.keys.add, key)
    context.services.directory.forget()
    return render({**_show(key, await _codes(context)), "key": text}, 201)


async def _tenant_of(context: Context, code: str | None) -> int | None:
    identity = context.identity
    if not identity.is_operator and identity.tenant is not None:
        if code is not None and code != identity.tenant.code:
            raise OtherTenant(f"The credential is for the tenant {identity.tenant.code}, not {code}.", path="$.tenant")
        return identity.tenant.id
    if code is None:
        return None
    tenant = await ask(context.services.tenants.get, context.scope, code)
    if tenant is None:
        raise BadQuestion(f"There is no tenant {code!r}.", path="$.tenant", hint="Create it first.")
    return tenant.id


async def _found(context: Context, request: Request) -> ApiKey:
    key = await ask(context.services.keys.get, context.scope, request.path_params["id"])
    if key is None:
        raise NodeNotFound(
            f"There is no key {request.path_params['id']!r}.", hint="The id is the part between hw_ and the next _."
        )
    return key


async def _codes(context: Context) -> dict[int, str]:
    return {tenant.id: tenant.code for tenant in await ask(context.services.tenants.list, context.scope)}


def _show(key: ApiKey, codes: dict[int, str]) -> dict[str, Any]:
    now = time.time_ns() // 1000
    expired = key.expires_at is not None and key.expires_at <= now
    return {
        "id": key.id,
        "tenant": codes.get(key.tenant_id) if key.tenant_id is not None else None,
        "source": key.source,
        "roles": key.roles,
        "name": key.name,
        "state": "REVOKED" if key.revoked_at is not None else "EXPIRED" if expired else "ACTIVE",
        "created_at": moment(key.created_at),
        "expires_at": moment(key.expires_at),
        "revoked_at": moment(key.revoked_at),
        "last_used_at": moment(key.last_used_at),
        "networks": key.networks,
    }


def _networks(texts: tuple[str, ...]) -> tuple[str, ...]:
    if len(texts) > _MOST_NETWORKS:
        raise BadQuestion(f"A key has at most {_MOST_NETWORKS} networks.", path="$.networks")
    found = []
    for index, text in enumerate(texts):
        try:
            found.append(network_text(text))
        except ValueError:
            raise BadQuestion(
                f"{text!r} is no network.", path=f"$.networks[{index}]", hint="Write 10.0.0.0/8, 2001:db8::/32 or ::1."
            ) from None
    return tuple(sorted(set(found)))


def _seconds(value: int, path: str, low: int) -> int:
    if not low <= value <= _LONGEST:
        raise BadQuestion(f"It must be from {low} to {_LONGEST} seconds.", path=path)
    return value


ROUTES = [
    Route("/api/v2/keys", create_key, methods=["POST"]),
    Route("/api/v2/keys", list_keys, methods=["GET"]),
    Route("/api/v2/keys/{id}/revoke", revoke_key, methods=["POST"]),
    Route("/api/v2/keys/{id}/rotate", rotate_key, methods=["POST"]),
]
