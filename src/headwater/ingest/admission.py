"""One event from bytes to durable: decode, settle its tenant, interpret, queue for the next commit."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable, Sequence

from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.ingest.aside import aside
from headwater.ingest.errors import Forbidden, RateLimited, TenantRefused
from headwater.ingest.gate import Gate
from headwater.ingest.identity import Identity, Role, TenantBook
from headwater.ingest.letter_box import LetterBox
from headwater.ingest.limits import RateLimits
from headwater.ingest.metrics import DEFERRED, INTERPRET_FAILURES, REFUSED, WARNINGS, tenant_label
from headwater.ingest.resolve import resolve_tenant
from headwater.ingest.writer import GroupCommit, Settle
from headwater.interpret.attempt import attempt
from headwater.interpret.describe import Description
from headwater.interpret.notes import NOTES, has_notes
from headwater.memo import Memo
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.event import Event
from headwater.store.log import Entry, Tenant
from headwater.store.sql import DEFAULT_TENANT

__all__ = ["Admission", "Taken"]

_log = logging.getLogger(__name__)
_LARGE = 256 << 10
"""An event beyond this is decoded on a thread of its own, so that the others need not wait for it."""
_TOGETHER = 256
"""Events of a batch that are worked on together at most: as many as a commit takes."""
_BETWEEN_OTHERS = 32
"""After so many of them other requests have their turn."""


class Taken(Struct, frozen=True, gc=False):
    """The first events of a batch, as many as may be worked on at once."""

    count: int
    refused: dict[int, HeadwaterError]
    """Why, by their places."""
    queued: list[int]
    """The places of the others."""
    written: asyncio.Future[dict[int, HeadwaterError]]
    """Done when these are durable; what failed, by its place among them."""


class Admission:
    """Takes events for tenants. Called from the event loop."""

    def __init__(
        self,
        writer: GroupCommit,
        tenants: Callable[[], TenantBook] = TenantBook,
        letters: LetterBox | None = None,
        *,
        gate: Gate | None = None,
        limits: RateLimits | None = None,
        memo_bytes: int = 48 << 20,
    ) -> None:
        self._writer = writer
        self._tenants = tenants
        self._letters = letters
        self.gate = gate or Gate()
        self._limits = limits or RateLimits()
        self._memo: Memo[Description] = Memo(memo_bytes)

    def take_at_once(self, sender: Identity, body: bytes, settle: Settle) -> bool:
        """Admit one event if nothing has to be waited for; `settle` is called when it is durable, or has failed.

        False when it must go the long way, be it only to be told what is wrong with it; nothing was done then.
        """
        lane, size = _lane_of(sender), len(body)
        if sender.tenant is None or self._limits.is_limited(sender.tenant) or not self.gate.enter_at_once(lane, size):
            return False
        try:
            entry = self._read(sender, body)
        except Exception:  # noqa: BLE001 - whatever it is, the long way finds it again, and says so
            self.gate.leave(lane, size)
            return False

        def settled(failure: HeadwaterError | None) -> None:
            self.gate.leave(lane, size)
            settle(failure)

        self._writer.put(entry, settled)
        return True

    async def take(self, sender: Identity, body: bytes) -> asyncio.Future[None]:
        """Admit one event. Raises what is wrong with it, and keeps it then as a dead letter."""
        try:
            return await self.admit(sender, body, is_limited=sender.tenant is None)
        except (RefusedEvent, TenantRefused) as refusal:
            self.refuse(sender, refusal, body)
            raise

    async def admit(self, sender: Identity, body: bytes, *, is_limited: bool = False) -> asyncio.Future[None]:
        """Admit one event. Raises what is wrong with it; the future is done when it is durable."""
        lane, size = _lane_of(sender), len(body)
        await self.gate.enter(lane, size)
        try:
            future = self._writer.submit(await self._entry(sender, body, is_limited=is_limited))
        except BaseException:
            self.gate.leave(lane, size)
            raise
        future.add_done_callback(lambda _: self.gate.leave(lane, size))
        return future

    async def take_some(self, sender: Identity, bodies: Sequence[bytes]) -> Taken:
        """Admit the first events of a batch together; refused ones are kept as dead letters.

        Raises when not even the first is let in.
        """
        lane = _lane_of(sender)
        await self.gate.enter(lane, len(bodies[0]))
        count = 1 + self.gate.follow(lane, map(len, bodies[1:_TOGETHER]))
        size = sum(map(len, bodies[:count]))
        entries: list[Entry] = []
        queued: list[int] = []
        refused: dict[int, HeadwaterError] = {}
        try:
            for place, body in enumerate(bodies[:count]):
                if place % _BETWEEN_OTHERS == _BETWEEN_OTHERS - 1:
                    await asyncio.sleep(0)
                try:
                    entries.append(await self._entry(sender, body, is_limited=sender.tenant is None))
                    queued.append(place)
                except HeadwaterError as refusal:
                    refused[place] = refusal
                    if isinstance(refusal, (RefusedEvent, TenantRefused)):
                        self.refuse(sender, refusal, body)
            written = self._writer.submit_all(entries)
        except BaseException:
            self.gate.leave(lane, size, count)
            raise
        written.add_done_callback(lambda _: self.gate.leave(lane, size, count))
        return Taken(count, refused, queued, written)

    def count(self, tenant: Tenant | None, events: int) -> None:
        """Count events towards the limit of a tenant, if it is known already; raises when they are too many."""
        if tenant is None:
            return
        try:
            self._limits.take(self._tenants().by_id.get(tenant.id, tenant), events)
        except RateLimited as refusal:
            self.defer(tenant, refusal, events)
            raise

    def defer(self, tenant: Tenant | None, refusal: HeadwaterError, events: int = 1) -> None:
        """Count what the sender is told to send again."""
        DEFERRED.labels(refusal.code, tenant_label(tenant.code) if tenant else "none").inc(events)

    def refuse(self, sender: Identity, refusal: HeadwaterError, body: bytes) -> None:
        """Count what was refused, and keep it; `letters_kept` waits for that."""
        code = sender.tenant.code if sender.tenant else None
        REFUSED.labels(refusal.code, tenant_label(code) if code else "none").inc()
        _log.info("event refused", extra={"tenant": code, "reason": refusal.code, "path": refusal.path})
        if self._letters is not None:
            self._letters.put(sender, refusal, body)

    async def letters_kept(self) -> None:
        """Wait until every refused event of before is kept."""
        if self._letters is not None:
            await self._letters.emptied()

    async def _entry(self, sender: Identity, body: bytes, *, is_limited: bool) -> Entry:
        entry = await aside(self._read, sender, body) if len(body) > _LARGE else self._read(sender, body)
        if is_limited:
            self.count(entry.tenant, 1)
        return entry

    def _read(self, sender: Identity, body: bytes) -> Entry:
        event = decode_event(body)
        if has_notes(event) and not sender.may(Role.ADMIN):
            raise Forbidden(
                "A change by hand does not come as an event: it would name its maker itself.",
                path=f"$.job.facets.{NOTES}",
                hint="Use the routes for changes, such as POST /api/v2/tag. Sending a log again needs the role admin.",
            )
        tenant = DEFAULT_TENANT if sender.is_single_user else resolve_tenant(event, sender, self._tenants())
        interpretation = attempt(event, tenant.id, self._memo, self._failed)
        if event.warnings:
            WARNINGS.inc(len(event.warnings))
        return Entry(tenant, event, interpretation, time.time_ns() // 1000)

    @staticmethod
    def _failed(event: Event, error: Exception) -> None:
        INTERPRET_FAILURES.inc()
        _log.error("an event could not be interpreted", exc_info=error, extra={"fingerprint": event.fingerprint.hex()})


def _lane_of(sender: Identity) -> Hashable:
    """Whom the gate takes for one sender."""
    return sender.tenant.id if sender.tenant is not None else sender.key_id
