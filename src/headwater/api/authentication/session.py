"""Sessions of the web page: it signs in with a key and gets a cookie that no script can read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater import __version__
from headwater.access.authenticate import Authenticated, Credentials
from headwater.access.errors import SessionEnded, Unauthenticated
from headwater.access.gateway_assertion import SignedRequest
from headwater.access.identity import Identity, Role
from headwater.access.networks import check_network
from headwater.api.authentication.authorize import authenticate, tenant_asked_for
from headwater.api.authentication.session_cookie import (
    clear_cookies,
    client_address,
    is_encrypted,
    set_cookie,
    token_in,
)
from headwater.api.authentication.sign_in import SignIn
from headwater.api.context import context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.errors import HeadwaterError
from headwater.store.access.tenants import ACTIVE
from headwater.store.write.log import Tenant

__all__ = ["ROUTES", "SessionAnswer"]

RoleName = Literal["writer", "reader", "editor", "monitor", "admin"]
_EXAMPLE = {
    "mode": "key",
    "user": "night shift",
    "roles": ["editor", "reader"],
    "tenant": {"code": "sales", "name": "Sales"},
    "tenants": [{"code": "sales", "name": "Sales"}],
    "features": ["pipeline"],
    "version": "0.1.0",
}


class NewSession(Struct, forbid_unknown_fields=True):
    key: Annotated[str, Meta(max_length=200, description="An API key: hw_....")]


class TenantShown(Struct):
    code: str
    name: str


class SessionAnswer(Struct):
    mode: Annotated[
        Literal["single_user", "key", "gateway", "anonymous"],
        Meta(description="Nobody needs a key; by a key or its session; by a gateway's word; not signed in."),
    ]
    user: Annotated[str | None, Meta(description="What the key is called.")]
    roles: Annotated[list[RoleName], Meta(description="All that the caller may do, implied roles included.")]
    tenant: Annotated[TenantShown | None, Meta(description="Whom questions are about, if nothing else is named.")]
    tenants: Annotated[list[TenantShown], Meta(description="Those that the caller may name.")]
    features: Annotated[list[str], Meta(description="Parts of this server that are switched on.")]
    version: str


@declare(
    "Sign in with a key: the answer sets a cookie.",
    answer=None,
    body=NewSession,
    status=204,
    errors=(401, 403, 429),
    body_example={"key": "hw_1a2b3c4d5e6f_..."},
)
async def open_session(request: Request) -> Response:
    read_query(request, NoQuery)
    sign_in, headers = _sign_in(request), dict(request.scope["headers"])
    sign_in.sites.check_sign_in(headers)
    new = await body_as(request, NewSession)
    await sign_in.authenticator.directory.refresh()
    if sign_in.authenticator.is_open:
        return Response(status_code=204)
    address = client_address(request.scope, headers, sign_in.limits)
    sign_in.wrong_keys.begin(address)
    try:
        who = await sign_in.authenticator.identify(Credentials(key=new.key), _NO_ASSERTION)
    except HeadwaterError as refusal:
        if not isinstance(refusal, Unauthenticated):  # the database is away: nothing was learnt of the key
            sign_in.wrong_keys.was_right(address)
        raise
    sign_in.wrong_keys.was_right(address)
    if who.identity.networks:
        check_network(who.identity.networks, address, who.identity.key_id)
    sessions = sign_in.authenticator.sessions
    token = await sessions.open(str(who.identity.key_id))
    encrypted = is_encrypted(request.scope, headers, sign_in.limits)
    return Response(
        status_code=204, headers={"set-cookie": set_cookie(token, sessions.life_seconds, encrypted=encrypted)}
    )


@declare("Who is signed in, and what that allows.", answer=SessionAnswer, errors=(401, 403), example=_EXAMPLE)
async def get_session(request: Request) -> Response:
    read_query(request, NoQuery)
    sign_in, headers = _sign_in(request), dict(request.scope["headers"])
    try:
        who = await authenticate(sign_in.authenticator, request.scope, headers, sign_in.limits, sign_in.sites)
    except SessionEnded:
        return _without_cookies(render(_show(sign_in, None, None)))
    except Unauthenticated as refusal:
        if type(refusal) is not Unauthenticated:  # a credential that is wrong, rather than none
            raise
        return render(_show(sign_in, None, None))
    if who.refusal is not None:
        raise who.refusal
    if who.assertion is not None:
        await sign_in.authenticator.confirm(who.assertion, await request.body())
    tenant_index = sign_in.authenticator.directory.tenant_index
    return render(_show(sign_in, who, tenant_asked_for(who.identity, request.scope, headers, tenant_index)))


@declare("Sign out: the session ends, also where its cookie was copied to.", answer=None, status=204, errors=(403,))
async def end_session(request: Request) -> Response:
    read_query(request, NoQuery)
    sign_in, headers = _sign_in(request), dict(request.scope["headers"])
    token = token_in(headers)
    if token is not None:
        sign_in.sites.check_cookie("DELETE", headers)
        await sign_in.authenticator.sessions.end(token)
    return _without_cookies(Response(status_code=204))


_NO_ASSERTION = SignedRequest("POST", "", "")


def _sign_in(request: Request) -> SignIn:
    return context_of(request).services.sign_in


def _show(sign_in: SignIn, who: Authenticated | None, tenant: Tenant | None) -> dict[str, Any]:
    identity = who.identity if who is not None else None
    return {
        "mode": _mode(who),
        "user": identity.name if identity is not None else None,
        "roles": sorted(role.value for role in Role if identity is not None and identity.may(role)),
        "tenant": _tenant(tenant),
        "tenants": [_tenant(it) for it in _tenants_of(sign_in, identity)],
        "features": sign_in.features,
        "version": __version__,
    }


def _mode(who: Authenticated | None) -> str:
    if who is None:
        return "anonymous"
    if who.identity.is_single_user:
        return "single_user"
    return "gateway" if who.assertion is not None else "key"


def _tenants_of(sign_in: SignIn, identity: Identity | None) -> list[Tenant]:
    if identity is None:
        return []
    known = sign_in.authenticator.directory.tenant_index.by_id.values()
    own = known if identity.is_operator else [identity.tenant] if identity.tenant is not None else []
    return sorted((tenant for tenant in own if tenant.state == ACTIVE), key=lambda tenant: tenant.code)


def _tenant(tenant: Tenant | None) -> dict[str, str] | None:
    return None if tenant is None else {"code": tenant.code, "name": tenant.name}


def _without_cookies(response: Response) -> Response:
    for cookie in clear_cookies():
        response.headers.append("set-cookie", cookie)
    return response


ROUTES = [
    Route("/api/v2/session", open_session, methods=["POST"]),
    Route("/api/v2/session", get_session, methods=["GET"]),
    Route("/api/v2/session", end_session, methods=["DELETE"]),
]
