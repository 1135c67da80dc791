"""Authorization: the credential of a request, and the role that a route needs."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any
from urllib.parse import parse_qs

from headwater.access.authenticate import NOTHING, Authenticated, Authenticator, Credentials
from headwater.access.errors import Forbidden, OtherTenant, TenantDisabled, UnknownTenant
from headwater.access.gateway_assertion import SignedRequest
from headwater.access.identity import SINGLE_USER, Identity, Role, TenantIndex
from headwater.access.networks import check_network
from headwater.api.authentication.allowed_sites import Sites
from headwater.api.authentication.session_cookie import client_address, token_in
from headwater.api.context import Caller
from headwater.api.http.body import EVERYBODY, Headers
from headwater.api.http.connections import ConnectionLimits
from headwater.store.access.tenants import ACTIVE
from headwater.store.scope import EVERY_TENANT
from headwater.store.write.log import Tenant

__all__ = [
    "admit_caller",
    "authenticate",
    "credentials_of",
    "needed_role",
    "require",
    "role_for",
    "sender_of",
    "tenant_asked_for",
]

_OPEN = ("/health/", "/openapi.json", "/docs")
_OPEN_PLACES = ("/api/v2/session",)
_OF_ALL = "/metrics"
"""Routes with answers about all tenants."""
_NEEDED = (
    (_OF_ALL, Role.MONITOR),
    ("/api/v2/tenants", Role.ADMIN),
    ("/api/v2/keys", Role.ADMIN),
    ("/api/v2/models", Role.ADMIN),
    ("/api/v2/demo", Role.ADMIN),
    ("/api/v2/policy/set", Role.ADMIN),
    ("/api/v2/policy/clear", Role.ADMIN),
    ("/api/v2/dead-letters", Role.EDITOR),
    ("/api/v2/tasks", Role.EDITOR),
    ("/adapter", Role.WRITER),
    ("/api/v2/emit/publish", Role.WRITER),
    ("/api/v2/emit/recall", Role.WRITER),
    ("/api/v2/emit/overlays", Role.ADMIN),
    ("/api/v2/emit/sinks", Role.ADMIN),
    ("/api/v2/emit/work", Role.ADMIN),
    ("/api/v2/emit/check", Role.EDITOR),
    ("/api/v2/emit/dlq", Role.EDITOR),
    ("/api/v2/locations/merge", Role.EDITOR),
    ("/api/v2/locations/split", Role.EDITOR),
    ("/api/v2/locations/addresses", Role.EDITOR),
    ("/api/v2/locations/external-id", Role.EDITOR),
    ("/api/v2/tag", Role.EDITOR),
    ("/api/v2/describe", Role.EDITOR),
    ("/api/v2/own", Role.EDITOR),
    ("/api/v2/hide", Role.EDITOR),
    ("/api/v2/edits/undo", Role.EDITOR),
    ("/api/v2/edits/lineage", Role.EDITOR),
    ("/api/v2/edits/create", Role.EDITOR),
)

_TAGGING = re.compile(rb"/api/v1/(tags/[^/]+|namespaces/[^/]+/(jobs|datasets)/[^/]+/(fields/[^/]+/)?tags/[^/]+)$")
"""Of Marquez' routes that take PUT and POST, those for editors; as sent, where a name has its slashes escaped."""


def needed_role(path: str) -> Role | None:
    """Role for reading a route, or None if it is open to everybody; routes that are not listed need reader."""
    if path.startswith(_OPEN) or path in _OPEN_PLACES:
        return None
    return next((role for start, role in _NEEDED if path == start or path.startswith(start + "/")), Role.READER)


def role_for(scope: Any) -> Role | None:
    """Role for a request, or None if it is open to everybody. Changes through Marquez' API need writer."""
    if scope["method"] == "POST" and scope["path"] == "/aspects":
        return Role.EDITOR
    if scope["method"] in ("GET", "HEAD") or not scope["path"].startswith("/api/v1/"):
        return needed_role(scope["path"])
    raw = scope.get("raw_path") or scope["path"].encode()
    if scope["method"] == "DELETE" or _TAGGING.match(raw.partition(b"?")[0].rstrip(b"/")):
        return Role.EDITOR
    return Role.WRITER


def require(identity: Identity, role: Role) -> None:
    if not identity.may(role):
        raise Forbidden(
            f"This needs the role {role}; the credential has {', '.join(sorted(identity.roles)) or 'none'}.",
            hint="Use a key with that role, or ask an administrator for one.",
        )


async def authenticate(
    authenticator: Authenticator,
    scope: Any,
    headers: Headers,
    limits: ConnectionLimits,
    sites: Sites | None = None,
) -> Authenticated:
    """Authenticate the sender by the head of a request: nothing is kept of a body whose sender is not known.

    A key that is for certain networks is refused from elsewhere; `limits` knows the proxies in front.

    Where sites are given, a session's cookie counts if there is no other credential and a page of ours sends it.
    """
    if authenticator.is_single_user:
        return Authenticated(SINGLE_USER)
    raw_path = scope.get("raw_path") or scope["path"].encode()
    path = raw_path.partition(b"?")[0].decode("latin-1")
    request = SignedRequest(scope["method"], path, scope["query_string"].decode("latin-1"))
    credentials = credentials_of(scope["query_string"], headers)
    if sites is not None and credentials == NOTHING and (token := token_in(headers)) is not None:
        sites.check_cookie(scope["method"], headers)
        credentials = Credentials(session=token)
    who = await authenticator.identify(credentials, request)
    if who.identity.networks:
        check_network(who.identity.networks, client_address(scope, headers, limits), who.identity.key_id)
    return who


def sender_of(identity: Identity) -> Hashable:
    """Key of the callers that share one part of the memory for requests."""
    if identity.is_single_user:
        return EVERYBODY
    return identity.tenant.id if identity.tenant is not None else identity.key_id


def credentials_of(query: bytes, headers: Headers) -> Credentials:
    """In the order in which they count: the gateway's word, Bearer, X-API-Key, and last the query."""
    assertion = headers.get(b"x-gateway-assertion")
    scheme, _, token = headers.get(b"authorization", b"").strip().partition(b" ")
    key = token.strip() if scheme.lower() == b"bearer" else b""
    key = key or headers.get(b"x-api-key", b"").strip()
    if not key and b"api_key=" in query:
        key = parse_qs(query).get(b"api_key", [b""])[0]
    return Credentials(key.decode("latin-1") or None, assertion.decode("latin-1").strip() if assertion else None)


def admit_caller(identity: Identity, role: Role, scope: Any, headers: Headers, known: TenantIndex) -> Caller:
    """The caller of a route that needs a role, and the tenant it is about."""
    require(identity, role)
    if scope["path"] == _OF_ALL and not identity.is_operator:
        raise Forbidden(
            "Metrics are of all tenants, and the credential is for one.",
            hint="Use a key without a tenant: headwater key create --role monitor. Or set `metrics_port`.",
        )
    tenant = tenant_asked_for(identity, scope, headers, known)
    if identity.is_operator:
        is_named = tenant_named(scope, headers) is not None
        return Caller(identity, tenant, tenant.id if tenant is not None and is_named else EVERY_TENANT)
    return Caller(identity, tenant, identity.scope)


def tenant_named(scope: Any, headers: Headers) -> str | None:
    """The code of the tenant that a request names."""
    named = headers.get(b"x-headwater-tenant", b"").decode("utf-8", "replace").strip() or None
    if named is None and b"tenant=" in scope["query_string"]:
        named = parse_qs(scope["query_string"].decode("latin-1")).get("tenant", [None])[0]
    return named


def tenant_asked_for(identity: Identity, scope: Any, headers: Headers, known: TenantIndex) -> Tenant | None:
    """The tenant that a question is about: the credential's, or, for a credential without one, the one named."""
    own, named = identity.tenant, tenant_named(scope, headers)
    if not identity.is_operator and own is not None:
        if named is not None and named != own.code:
            raise OtherTenant(
                f"The credential is for the tenant {own.code}, not {named}.",
                hint="Leave the tenant out, or use a credential of that tenant.",
            )
        if own.state != ACTIVE:
            raise TenantDisabled(f"The tenant {own.code} is disabled.", hint="An operator can enable it.")
        return own
    if named is None:
        return known.by_id.get(own.id, own) if own is not None else None
    tenant = known.by_code.get(named)
    if tenant is None:
        raise UnknownTenant(f"There is no tenant {named!r}.", hint="`headwater tenant list` lists them.")
    return tenant
