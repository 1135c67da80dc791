"""Writes events that Headwater makes itself, for changes by hand and for requests of Marquez' clients."""

from __future__ import annotations

import time

from headwater.ingest.group_commit import GroupCommit
from headwater.interpret.facets.notes import has_notes
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.policy.apply import under_policy
from headwater.store.write.log import Entry, Tenant

__all__ = ["record"]


async def record(writer: GroupCommit, tenant: Tenant, body: bytes, *, filters: bool = False) -> None:
    """Append an event to a tenant's log, and wait until it is durable. The caller has checked the role.

    `filters`: without notes it counts as a producer's, so the tenant's facet policy applies.
    """
    event = decode_event(body)
    if filters and not has_notes(event):
        event = under_policy(event, tenant.facet_policy)
    await writer.submit(Entry(tenant, event, interpret(event, tenant.id), time.time_ns() // 1000))
