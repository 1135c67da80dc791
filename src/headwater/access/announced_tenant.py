"""A tenant that a trusted source names with id, code and name: it is created, or takes over a new name.

Trusted are keys of the source GRAVITINO that are for no tenant in particular, and gateways. Done only where the setting
`create_tenants` is on; a source that names an id alone creates nothing, since the code could only be guessed.
"""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from headwater.access.directory import Directory, explained
from headwater.access.identity import Identity
from headwater.access.resolve_tenant import is_gravitino
from headwater.errors import HeadwaterError
from headwater.openlineage.decode import decode_event
from headwater.openlineage.event import Event
from headwater.openlineage.naming import clean
from headwater.store.access.tenants import Tenants

__all__ = ["Announced", "AnnouncedTenants", "Announcer", "announced_by_event", "announced_tenant"]

_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
_LONGEST_NAME = 128
_GREATEST_ID = (1 << 63) - 1


class Announced(Struct, frozen=True):
    """A tenant as named by a trusted source."""

    id: int
    code: str
    name: str
    at: int
    """Time of the announcement, in microseconds: an older one does not change a newer name."""


class Announcer(Protocol):
    """Creates tenants. Gives whether one was created or renamed."""

    async def take(self, announced: Announced) -> bool: ...


class AnnouncedTenants:
    """Creates and renames tenants in the store. Used from the event loop."""

    def __init__(self, directory: Directory, tenants: Tenants) -> None:
        self._directory, self._tenants = directory, tenants
        self._named_at: dict[int, int] = {}

    async def take(self, announced: Announced) -> bool:
        """Create the tenant, or give it its new name. Gives whether anything changed."""
        known = self._directory.tenant_index.by_id.get(announced.id)
        named_at = self._named_at.get(announced.id, 0)
        if known is not None:
            is_news = known.code == announced.code and known.name != announced.name and announced.at >= named_at
            if not is_news:
                return False
        elif announced.code in self._directory.tenant_index.by_code:
            return False  # the code of another tenant: the refusal says so
        self._named_at[announced.id] = max(named_at, announced.at)
        try:
            await asyncio.to_thread(self._store, announced)
        except sa.exc.SQLAlchemyError as error:
            raise explained(error) from error
        self._directory.forget()
        await self._directory.refresh()
        return True

    def _store(self, announced: Announced) -> None:
        try:
            self._tenants.create(announced.code, announced.name, announced.id)
        except HeadwaterError:  # there is one: made a moment ago, or it has got another name
            self._tenants.rename(announced.id, announced.code, announced.name)


def announced_tenant(tenant_id: object, code: object, name: object, at: int) -> Announced | None:
    """A tenant from the members of a message; None if they do not suffice to create it."""
    if isinstance(tenant_id, str) and tenant_id.isascii() and tenant_id.isdigit() and len(tenant_id) <= 18:
        tenant_id = int(tenant_id)
    if not isinstance(tenant_id, int) or isinstance(tenant_id, bool) or not 0 < tenant_id <= _GREATEST_ID:
        return None
    if not isinstance(code, str) or not _CODE.match(code):
        return None
    shown = clean(name).strip()[:_LONGEST_NAME] if isinstance(name, str) else ""
    return Announced(tenant_id, code, shown or code, at)


def announced_by_event(sender: Identity, body: bytes) -> Announced | None:
    """The tenant that an event names, if its sender may."""
    if sender.tenant is not None or sender.asserted is not None:
        return None
    try:
        event = decode_event(body)
    except HeadwaterError:
        return None
    return _announced_in(event) if is_gravitino(event, sender.source) else None


def _announced_in(event: Event) -> Announced | None:
    for dataset in (*event.outputs, *event.inputs):
        raw = dataset.facets.get("gravitino")
        if raw is None:
            continue
        try:
            facet = msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError):
            continue
        if isinstance(facet, dict):
            found = announced_tenant(
                facet.get("tenantId"), facet.get("tenantCode"), facet.get("tenantName"), event.time
            )
            if found is not None:
                return found
    return None
