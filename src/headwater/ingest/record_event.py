"""Writes events that Headwater makes itself, for changes by hand."""

from __future__ import annotations

import time

from headwater.ingest.group_commit import GroupCommit
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.write.log import Entry, Tenant

__all__ = ["record"]


async def record(writer: GroupCommit, tenant: Tenant, body: bytes) -> None:
    """Append an event to a tenant's log, and wait until it is durable. The caller has settled who may do that."""
    event = decode_event(body)
    await writer.submit(Entry(tenant, event, interpret(event, tenant.id), time.time_ns() // 1000))
