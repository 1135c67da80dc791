"""Runs and shapes that events of the log speak of, read in this process."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import sqlalchemy as sa

from headwater.bounded_cache import BoundedCache
from headwater.interpret.attempt import attempt
from headwater.interpret.describe import Description
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.event import Event
from headwater.pipeline.rollup.changed_keys import ChangedKeys, changed_keys_of
from headwater.store.read.log_ranges import LogRange, read_range

__all__ = ["logged_changes"]

_log = logging.getLogger(__name__)
_CACHE_BYTES = 16 << 20
_END = 1 << 62


def logged_changes(
    engine: sa.Engine, after: Mapping[int, int], most: int | None = None
) -> tuple[dict[int, ChangedKeys], set[int]]:
    """Keys named by each tenant's events beyond an id; and the tenants with more than `most` runs, without keys."""
    found: dict[int, ChangedKeys] = {}
    too_many: set[int] = set()
    descriptions: BoundedCache[Description] = BoundedCache(_CACHE_BYTES)
    if not after:
        return found, too_many
    for logged in read_range(engine, LogRange(min(after.values()) + 1, _END, tuple(after))):
        if logged.id <= after[logged.tenant] or logged.tenant in too_many:
            continue
        try:
            interpretation = attempt(decode_event(logged.body), logged.tenant, descriptions, _failed)
        except RefusedEvent:  # taken by another version of Headwater
            continue
        # Not the description: it says what runs of the job have in common, and speaks of none.
        for tenant, changed in changed_keys_of(interpretation.own if interpretation is not None else ()).items():
            known = found.setdefault(tenant, ChangedKeys(set(), set()))
            known.runs |= changed.runs
            known.shapes |= changed.shapes
            if most is not None and len(known.runs) > most:
                too_many.add(tenant)
                found.pop(tenant)
    return found, too_many


def _failed(event: Event, error: Exception) -> None:
    _log.warning("an event could not be interpreted: %r (fingerprint %s)", error, event.fingerprint.hex())
