"""One event from bytes to durable: decode, interpret, queue for the next commit."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable

from headwater.errors import HeadwaterError
from headwater.ingest.metrics import INTERPRET_FAILURES, REFUSED, WARNINGS
from headwater.ingest.writer import GroupCommit
from headwater.interpret.describe import Description
from headwater.interpret.interpret import Interpretation, interpret
from headwater.interpret.memo import Memo
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.event import Event, EventWarning
from headwater.store.log import Entry, Tenant

__all__ = ["Admission"]

_log = logging.getLogger(__name__)
_LARGE = 256 << 10
"""An event beyond this is decoded on a thread of its own, so that the others need not wait for it."""


class Admission:
    """Takes events for tenants. Called from the event loop."""

    def __init__(self, writer: GroupCommit, memo_bytes: int = 48 << 20) -> None:
        self._writer = writer
        self._memo: Memo[Description] = Memo(memo_bytes)

    async def take(self, tenant: Tenant, body: bytes) -> asyncio.Future[None]:
        """Admit one event. Raises what is wrong with it; the future is done when it is durable."""
        try:
            if len(body) > _LARGE:
                entry = await asyncio.to_thread(self._read, tenant, body)
            else:
                entry = self._read(tenant, body)
        except RefusedEvent as refusal:
            _refused(refusal, tenant)
            raise
        return self._writer.submit(entry)

    async def count_refusals(self, reading: Awaitable[bytes], tenant: Tenant) -> bytes:
        """The body of a request; one that cannot even be unpacked is a refused event too."""
        try:
            return await reading
        except HeadwaterError as refusal:
            _refused(refusal, tenant)
            raise

    def _read(self, tenant: Tenant, body: bytes) -> Entry:
        event = decode_event(body)
        interpretation = self._interpret(event, tenant)
        if event.warnings:
            WARNINGS.inc(len(event.warnings))
        return Entry(tenant, event, interpretation, time.time_ns() // 1000)

    def _interpret(self, event: Event, tenant: Tenant) -> Interpretation | None:
        """An event is kept even if its meaning cannot be worked out: a later version may read it from the log."""
        try:
            return interpret(event, tenant.id, self._memo)
        except Exception:  # noqa: BLE001 - a defect here must not lose the event
            INTERPRET_FAILURES.inc()
            _log.exception("an event could not be interpreted", extra={"fingerprint": event.fingerprint.hex()})
            event.warnings.append(EventWarning("$", "kept, but not interpreted: a defect of Headwater"))
            return None


def _refused(refusal: HeadwaterError, tenant: Tenant) -> None:
    REFUSED.labels(refusal.code).inc()
    _log.info("event refused", extra={"tenant": tenant.code, "reason": refusal.code, "path": refusal.path})
