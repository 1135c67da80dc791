"""Authentication: a credential to an identity."""

from __future__ import annotations

import asyncio
import time

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from headwater.access.announced_tenant import AnnouncedTenants, announced_tenant
from headwater.access.api_key import check_key, check_not_ended, split_key
from headwater.access.asserted_tenant import AssertedTenant, find_asserted_tenant
from headwater.access.directory import Directory, explained
from headwater.access.errors import (
    InvalidAssertion,
    InvalidKey,
    ReplayedAssertion,
    SessionEnded,
    TenantRefused,
    Unauthenticated,
)
from headwater.access.gateway_assertion import Gateway, GatewayAssertion, SignedRequest
from headwater.access.identity import ANY, SINGLE_USER, SOURCES, Identity, Role
from headwater.access.sessions import OpenSessions
from headwater.store.access.assertions import Assertions
from headwater.store.access.keys import ApiKey
from headwater.store.write.log import Tenant

__all__ = ["NOTHING", "Authenticated", "Authenticator", "Credentials"]

_ROLES = frozenset(Role)
_DEFAULT_ROLES = frozenset({Role.WRITER, Role.READER})
"""Roles of a caller whose assertion has none."""


class Credentials(Struct, frozen=True):
    """Credentials of a request."""

    key: str | None = None
    assertion: str | None = None
    session: str | None = None
    """The token out of a browser's cookie; counts only where there is nothing else."""


NOTHING = Credentials()


class Authenticated(Struct, frozen=True):
    """The caller of a request, from its head alone."""

    identity: Identity
    refusal: TenantRefused | None = None
    """Why a gateway's word for the tenant leads nowhere."""
    assertion: GatewayAssertion | None = None
    """To be confirmed with the body before anything is done."""


class Authenticator:
    def __init__(
        self,
        directory: Directory,
        gateway: Gateway | None,
        assertions: Assertions,
        sessions: OpenSessions,
        announcer: AnnouncedTenants | None = None,
    ) -> None:
        self._announcer = announcer
        self.directory = directory
        self.sessions = sessions
        self._gateway, self._assertions = gateway, assertions

    @property
    def is_open(self) -> bool:
        """Whether no credential is needed, by the current knowledge of this process."""
        return self._gateway is None and not self.directory.has_keys

    @property
    def is_single_user(self) -> bool:
        """Whether it is known without asking that nobody has to authenticate."""
        return self.is_open and self.directory.is_fresh

    def known(self, credentials: Credentials) -> Identity | None:
        """The caller, if the database need not be asked; None also for a wrong credential."""
        if self.is_single_user:
            return SINGLE_USER
        if self._gateway is not None or credentials.key is None or not self.directory.is_fresh:
            return None
        try:
            key_id, secret = split_key(credentials.key)
            key = check_key(self.directory.known_key(key_id), secret, time.time_ns() // 1000)
        except InvalidKey:
            return None
        tenant = self.directory.tenant_index.by_id.get(key.tenant_id) if key.tenant_id is not None else None
        return _identity(key, tenant) if tenant is not None else None

    async def identify(self, credentials: Credentials, request: SignedRequest) -> Authenticated:
        """The caller, without reading the body; `confirm` an assertion of a gateway afterwards."""
        await self.directory.refresh()
        if self.is_open:
            return Authenticated(SINGLE_USER)
        if credentials.assertion is not None and self._gateway is not None:
            assertion = self._gateway.verify(credentials.assertion, request, time.time())
            await self._announce(assertion)
            return self._asserted(assertion)
        if credentials.key is not None:
            return Authenticated(await self._keyed(credentials.key))
        if credentials.session is not None:
            return Authenticated(await self._in_session(credentials.session))
        raise Unauthenticated(
            "This needs a credential.",
            hint="Send an API key: Authorization: Bearer hw_..., X-API-Key: hw_..., or ?api_key=hw_....",
        )

    async def _keyed(self, text: str) -> Identity:
        key_id, secret = split_key(text)
        return await self._of_key(check_key(await self.directory.key(key_id), secret, time.time_ns() // 1000))

    async def _in_session(self, token: str) -> Identity:
        """A session is worth as much as its key is at this moment."""
        now = time.time_ns() // 1000
        session = await self.sessions.find(token)
        key = await self.directory.key(session.key_id) if session is not None and session.expires_at > now else None
        if key is None:
            raise SessionEnded("The session is over, or not known.", hint="Sign in again.")
        try:
            return await self._of_key(check_not_ended(key, now))
        except InvalidKey as error:
            raise SessionEnded(f"The session ended with its key: {error.message}", hint=error.hint) from None

    async def _of_key(self, key: ApiKey) -> Identity:
        tenant = None
        if key.tenant_id is not None:
            tenant = self.directory.tenant_index.by_id.get(key.tenant_id)
            if tenant is None:  # made a moment ago by another process
                self.directory.forget()
                await self.directory.refresh()
                tenant = self.directory.tenant_index.by_id[key.tenant_id]
        return _identity(key, tenant)

    async def confirm(self, assertion: GatewayAssertion, body: bytes) -> None:
        """Raise unless this is the body that the gateway signed for, and the first request with this assertion."""
        assertion.check_body(body)
        claims, now = assertion.claims, int(time.time())
        try:
            is_first = await asyncio.to_thread(
                self._assertions.use, f"{claims.iss}\n{claims.jti}", int(claims.exp) + 1, now
            )
        except sa.exc.SQLAlchemyError as error:
            raise explained(error) from error
        if not is_first:
            raise ReplayedAssertion(
                "The gateway's assertion was used before.", hint="Each request needs one of its own, with a new jti."
            )

    async def _announce(self, assertion: GatewayAssertion) -> None:
        """A tenant that the gateway names is created, or gets its new name, where that is wanted."""
        claims = assertion.claims
        if self._announcer is not None:
            at = int(claims.iat * 1_000_000)
            announced = announced_tenant(claims.tenantId, claims.tenantCode, claims.tenantName, at)
            known = self.directory.tenant_index.by_id.get(claims.tenantId or 0)
            if announced is not None and (known is None or claims.tenantName):
                await self._announcer.take(announced)

    def _asserted(self, assertion: GatewayAssertion) -> Authenticated:
        claims = assertion.claims
        source = (claims.source or ANY).upper()
        if source not in SOURCES:
            raise InvalidAssertion(
                f"The source {claims.source!r} is not known.", hint=f"Known are {', '.join(SOURCES)}."
            )
        roles = _DEFAULT_ROLES
        if claims.roles is not None:
            named_roles = {role.lower().removeprefix("role_") for role in claims.roles}
            roles = frozenset(role for role in Role if role.value in named_roles)
        asserted, who = AssertedTenant(claims.tenantId, claims.tenantCode), f"gateway:{assertion.key_id}"[:64]
        try:
            tenant = find_asserted_tenant(self.directory.tenant_index, asserted)
        except TenantRefused as refusal:
            words = msgspec.json.encode(asserted).decode()
            sender = Identity(source=source, roles=roles, key_id=who, asserted=words)
            return Authenticated(sender, refusal, assertion)
        return Authenticated(Identity(source=source, roles=roles, tenant=tenant, key_id=who), None, assertion)


def _identity(key: ApiKey, tenant: Tenant | None) -> Identity:
    roles = frozenset(Role(role) for role in key.roles if role in _ROLES)
    return Identity(
        source=key.source,
        roles=roles,
        tenant=tenant,
        key_id=key.id,
        name=key.name or None,
        networks=key.networks,
    )
