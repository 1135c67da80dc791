"""Marks events of a metalake that are older than its cut-over time: they are kept in the log, and change no assets."""

from __future__ import annotations

import time
from collections.abc import Iterable

import sqlalchemy as sa

from headwater.graph.catalog.facts import CatalogSync
from headwater.graph.catalog.names import path_of_namespace
from headwater.interpret.gravitino.event import is_of_catalog
from headwater.openlineage.event import Event, EventWarning
from headwater.openlineage.naming import clean
from headwater.openlineage.times import format_time
from headwater.store.read.reader import Reader
from headwater.store.write.log import Entry

__all__ = ["LateEvents"]

_FRESH_SECONDS = 3.0
_MOST_TENANTS = 10_000


class LateEvents:
    """Cut-over times by tenant, looked up again after some seconds. Used by the writer alone."""

    def __init__(self, engine: sa.Engine) -> None:
        self._reader = Reader(engine)
        self._known: dict[int, tuple[float, dict[str, int]]] = {}

    def mark(self, entries: Iterable[Entry]) -> None:
        """Leave a warning on each event that came too late to count."""
        for entry in entries:
            event = entry.event
            if entry.interpretation is None or not is_of_catalog(event):
                continue
            ready = self._cutovers(entry.tenant.id).get(_metalake(event))
            if ready is not None and event.time < ready:
                text = f"older than the cut-over time {format_time(ready)} of its metalake: kept, and changes no assets"
                event.warnings.append(EventWarning("$.eventTime", text))

    def _cutovers(self, tenant: int) -> dict[str, int]:
        now = time.monotonic()
        known = self._known.get(tenant)
        if known is None or now - known[0] > _FRESH_SECONDS:
            syncs = self._reader.facts(tenant, CatalogSync)
            found = {sync.name: sync.ready for sync in syncs if sync.name and sync.ready is not None}
            if len(self._known) >= _MOST_TENANTS:
                self._known.clear()
            known = self._known[tenant] = (now, found)
        return known[1]


def _metalake(event: Event) -> str:
    dataset = next(iter((*event.outputs, *event.inputs)), None)
    path = path_of_namespace(clean(dataset.namespace).strip()) if dataset is not None else None
    return path[0] if path is not None else ""
