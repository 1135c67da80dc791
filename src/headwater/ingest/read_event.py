"""Decode an event, find its tenant, and apply the tenant's facet policy."""

from __future__ import annotations

import logging

from headwater.access.errors import Forbidden
from headwater.access.identity import Identity, Role, TenantIndex
from headwater.access.resolve_tenant import resolve_tenant
from headwater.ingest.metrics import INTERPRET_FAILURES
from headwater.interpret.facets.notes import NOTES, has_notes
from headwater.interpret.gravitino.event import is_of_sync
from headwater.openlineage.decode import decode_event
from headwater.openlineage.event import Event
from headwater.openlineage.policy.apply import under_policy
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.log import Tenant

__all__ = ["cost_of", "is_large", "note_failure", "read_event"]

_log = logging.getLogger(__name__)
_LARGE_BYTES, _LARGE_OBJECTS = 256 << 10, 2_000
_SURELY_SMALL = 32 << 10
"""Fits no more objects than that."""
_BYTES_OF_ONE, _OBJECTS_OF_ONE = 64 << 10, 500
"""Bytes and objects up to which an event counts as one."""


def is_large(body: bytes) -> bool:
    """Whether working on an event takes long: it is long itself, or has very many objects (datasets, columns)."""
    size = len(body)
    return size > _SURELY_SMALL and (size > _LARGE_BYTES or body.count(b"{") > _LARGE_OBJECTS)


def cost_of(body: bytes) -> int:
    """Weight of this event in a tenant's rate limit, by the work it takes."""
    size = len(body)
    if size <= _SURELY_SMALL:
        return 1
    return max(1, -(-size // _BYTES_OF_ONE), -(-body.count(b"{") // _OBJECTS_OF_ONE))


def read_event(sender: Identity, body: bytes, tenants: TenantIndex) -> tuple[Event, Tenant]:
    """Decode an event, resolve its tenant and apply its facet policy; raises the error of the event."""
    event = decode_event(body)
    if has_notes(event) and not sender.may(Role.ADMIN):
        raise Forbidden(
            "A change by hand does not come as an event: it would name its maker itself.",
            path=f"$.job.facets.{NOTES}",
            hint="Use the routes for changes, such as POST /api/v2/tag. Sending a log again needs the role admin.",
        )
    if is_of_sync(event) and not sender.may(Role.ADMIN):
        raise Forbidden(
            "Since when the events of a metalake count is not for senders of events to say.",
            path="$.job.name",
            hint="headwater pipeline sync gravitino says it. Sending a log again needs the role admin.",
        )
    if sender.is_single_user:
        tenant = tenants.by_id.get(DEFAULT_TENANT.id, DEFAULT_TENANT)
    else:
        tenant = resolve_tenant(event, sender, tenants)
    return under_policy(event, tenant.facet_policy), tenant


def note_failure(event: Event, error: Exception) -> None:
    """An event is kept without facts because of a defect in Headwater."""
    INTERPRET_FAILURES.inc()
    _log.error("an event could not be interpreted", exc_info=error, extra={"fingerprint": event.fingerprint.hex()})
