"""The event log: every event as it came, compressed, once per tenant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from headwater.interpret.interpret import Interpretation
from headwater.openlineage.event import Event, EventKind
from headwater.openlineage.naming import clean
from headwater.store.compression import compress_all

__all__ = ["Entry", "Tenant", "log_rows"]


_KINDS = {kind: kind.value for kind in EventKind}
"""Looked up in half of the time that asking takes."""


class Tenant(Struct, frozen=True, gc=False):
    id: int
    code: str
    name: str
    state: str = "ACTIVE"
    rate: int | None = None
    """Events per second; 0 for no limit, None for that of the settings."""
    burst: int | None = None
    """Events that are taken at once."""
    facet_policy: str | None = None
    """Its facet policy as JSON; None for none of its own."""


class Entry(Struct, frozen=True, gc=False):
    """One event on its way into the store."""

    tenant: Tenant
    event: Event
    interpretation: Interpretation | None
    """None when the event is only kept, because nothing could be made of it."""
    received_at: int


def log_rows(entries: Sequence[Entry]) -> list[tuple[Any, ...]]:
    """The rows of `lineage_events`, without their ids, in the order in which every writer inserts them."""
    return sorted(map(_log_row, entries, compress_all([entry.event.body for entry in entries])), key=_order)


def _order(row: tuple[Any, ...]) -> tuple[int, int, bytes]:
    """By tenant, time and fingerprint: the order of the unique index, which two writers must not enter crosswise."""
    return row[0], row[3], row[4]


def _log_row(entry: Entry, compressed: bytes) -> tuple[Any, ...]:
    event, tenant, job = entry.event, entry.tenant, entry.event.job
    return (
        tenant.id,
        tenant.code,
        tenant.name,
        event.time,
        event.fingerprint,
        _KINDS[event.kind],
        clean(event.event_type)[:32] if event.event_type else None,
        event.run_id,
        clean(job.namespace) if job else None,
        clean(job.name) if job else None,
        clean(event.producer) if event.producer else None,
        compressed,
        msgspec.json.encode(event.warnings).decode() if event.warnings else None,
        entry.received_at,
    )
