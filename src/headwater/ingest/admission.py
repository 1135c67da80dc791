"""Admission of events: decode, find the tenant, interpret, queue for the next commit."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import takewhile

from msgspec import Struct

from headwater.access.announced_tenant import Announcer, announced_by_event
from headwater.access.errors import TenantRefused
from headwater.access.identity import Identity, TenantIndex
from headwater.bounded_cache import BoundedCache
from headwater.errors import HeadwaterError
from headwater.ingest.concurrency_limit import ConcurrencyLimit
from headwater.ingest.dead_letter_writer import DeadLetterWriter
from headwater.ingest.errors import Overloaded, RateLimited
from headwater.ingest.group_commit import GroupCommit, Settle
from headwater.ingest.large_events.pool import LargeEvents
from headwater.ingest.large_events.threads import in_large_event_thread
from headwater.ingest.metrics import DEFERRED, REFUSED, WARNINGS, count_policy, tenant_label
from headwater.ingest.rate_limits import RateLimits
from headwater.ingest.read_event import cost_of, is_large, note_failure, read_event
from headwater.ingest.refused_form import refused_form
from headwater.interpret.attempt import attempt
from headwater.interpret.describe import Description
from headwater.openlineage.errors import RefusedEvent
from headwater.store.write.log import Entry, Tenant

__all__ = ["Admission", "Admitted"]

_log = logging.getLogger(__name__)
_TOGETHER = 256
"""Events of a batch that are worked on together at most: as many as a commit takes."""
_BETWEEN_OTHERS = 32
"""Events of a batch between two turns of other requests."""


class Admitted(Struct, frozen=True, gc=False):
    """The first events of a batch, as many as may be worked on at once."""

    count: int
    refused: dict[int, HeadwaterError]
    """Why, by their places."""
    queued: list[int]
    """The places of the others."""
    written: asyncio.Future[dict[int, HeadwaterError]]
    """Done when these are durable; failures by position."""


class Admission:
    """Takes events for tenants. Called from the event loop."""

    def __init__(
        self,
        writer: GroupCommit,
        tenants: Callable[[], TenantIndex] = TenantIndex,
        dead_letters: DeadLetterWriter | None = None,
        *,
        concurrency: ConcurrencyLimit | None = None,
        limits: RateLimits | None = None,
        large: LargeEvents | None = None,
        cache_bytes: int = 48 << 20,
        announcer: Announcer | None = None,
    ) -> None:
        self._announcer = announcer
        self._writer = writer
        self._tenants = tenants
        self._dead_letters = dead_letters
        self.concurrency = concurrency or ConcurrencyLimit()
        self._limits = limits or RateLimits()
        self._large = large
        self._descriptions: BoundedCache[Description] = BoundedCache(cache_bytes)

    def try_admit(self, sender: Identity, body: bytes, settle: Settle) -> bool:
        """Fast entry: admit one event if nothing has to be waited for; `settle` is called when it is durable or failed.

        False if `admit` must handle it, for example because it is wrong; nothing was done then.
        """
        sender_id, size = _sender_id(sender), len(body)
        if (
            sender.tenant is None
            or self._limits.is_limited(sender.tenant)
            or not self.concurrency.enter_at_once(sender_id, size)
        ):
            return False
        try:
            entry = self._read(sender, body)
        except Exception:  # noqa: BLE001 - whatever it is, `admit` raises it again
            self.concurrency.leave(sender_id, size)
            return False

        def settled(failure: HeadwaterError | None) -> None:
            self.concurrency.leave(sender_id, size)
            settle(failure)

        self._writer.put(entry, settled)
        return True

    async def admit(self, sender: Identity, body: bytes, *, is_retry: bool = False) -> asyncio.Future[None]:
        """Admit one event; the future is done when it is durable.

        Raises the error of the event and keeps it as a dead letter, unless it is one already (`is_retry`).
        """
        try:
            if self._large is not None and is_large(body):
                await self._announce(sender, body)
            return await self._admit(sender, body, is_limited=sender.tenant is None and not is_retry)
        except (RefusedEvent, TenantRefused) as refusal:
            if not is_retry:
                self.refuse(sender, refusal, body)
            raise

    async def _announce(self, sender: Identity, body: bytes) -> None:
        """Have the tenant that the event names created, or given its new name, where that is wanted."""
        if self._announcer is not None and sender.tenant is None:
            announced = announced_by_event(sender, body)
            if announced is not None:
                await self._announcer.take(announced)

    async def _admit(self, sender: Identity, body: bytes, *, is_limited: bool) -> asyncio.Future[None]:
        sender_id, size = _sender_id(sender), len(body)
        await self.concurrency.enter(sender_id, size)
        if self._large is not None and is_large(body):
            return await self._pass_on(self._large, sender_id, sender, body, is_limited=is_limited)
        try:
            future = self._writer.submit(await self._entry(sender, body, is_limited=is_limited))
        except BaseException:
            self.concurrency.leave(sender_id, size)
            raise
        future.add_done_callback(lambda _: self.concurrency.leave(sender_id, size))
        return future

    async def _pass_on(
        self, large: LargeEvents, sender_id: Hashable, sender: Identity, body: bytes, *, is_limited: bool
    ) -> asyncio.Future[None]:
        """Have a large event that was let in worked on by the process for these."""
        tenants: list[int] = []

        def admit(tenant: Tenant) -> None:
            tenants.append(tenant.id)
            if is_limited:
                self._count_one(tenant, body)

        result = large.submit(sender_id, sender, body, self._tenants(), admit)
        result.written.add_done_callback(lambda _: self.concurrency.leave(sender_id, len(body)))
        await result.settled
        return (
            asyncio.ensure_future(self._followed(result.written, tenants)) if self._writer.follows else result.written
        )

    async def _followed(self, written: asyncio.Future[None], tenants: list[int]) -> None:
        """Wait until an event is written and delivered to the graph server."""
        await written
        failure = await asyncio.to_thread(self._writer.follow, tenants)
        if failure is not None:
            raise failure

    async def _admit_large(self, sender: Identity, body: bytes) -> Admitted:
        """A large event of a batch, by itself."""
        try:
            one = await self.admit(sender, body)
        except Overloaded:
            raise
        except HeadwaterError as refusal:
            return Admitted(1, {0: refusal}, [], asyncio.ensure_future(_failures()))
        return Admitted(1, {}, [0], asyncio.ensure_future(_failures(one)))

    async def admit_batch(self, sender: Identity, bodies: Sequence[bytes]) -> Admitted:
        """Admit the first events of a batch together; refused ones are kept as dead letters.

        Raises when not even the first is let in.
        """
        if self._large is not None and is_large(bodies[0]):
            return await self._admit_large(sender, bodies[0])
        sender_id = _sender_id(sender)
        await self.concurrency.enter(sender_id, len(bodies[0]))
        following: Iterable[bytes] = bodies[1:_TOGETHER]
        if self._large is not None:
            following = takewhile(lambda body: not is_large(body), following)
        count = 1 + self.concurrency.follow(sender_id, map(len, following))
        size = sum(map(len, bodies[:count]))
        entries: list[Entry] = []
        queued: list[int] = []
        refused: dict[int, HeadwaterError] = {}
        try:
            for index, body in enumerate(bodies[:count]):
                if index % _BETWEEN_OTHERS == _BETWEEN_OTHERS - 1:
                    await asyncio.sleep(0)
                try:
                    entries.append(await self._entry(sender, body, is_limited=sender.tenant is None))
                    queued.append(index)
                except HeadwaterError as refusal:
                    refused[index] = refusal
                    if isinstance(refusal, (RefusedEvent, TenantRefused)):
                        self.refuse(sender, refusal, body)
            written = self._writer.submit_all(entries)
        except BaseException:
            self.concurrency.leave(sender_id, size, count)
            raise
        written.add_done_callback(lambda _: self.concurrency.leave(sender_id, size, count))
        return Admitted(count, refused, queued, written)

    def count(self, tenant: Tenant | None, events: int) -> None:
        """Count events towards the limit of a tenant, if it is known already; raises when they are too many."""
        if tenant is None:
            return
        try:
            self._limits.take(self._tenants().by_id.get(tenant.id, tenant), events)
        except RateLimited as refusal:
            self.defer(tenant, refusal, events)
            raise

    def charge(self, tenant: Tenant | None, body: bytes) -> None:
        """Charge a large event at its full cost; it was counted as one."""
        cost = cost_of(body)
        if tenant is not None and cost > 1:
            self._limits.charge(self._tenants().by_id.get(tenant.id, tenant), cost - 1)

    def defer(self, tenant: Tenant | None, refusal: HeadwaterError, events: int = 1) -> None:
        """Count an event that the sender is to repeat."""
        DEFERRED.labels(refusal.code, tenant_label(tenant.code) if tenant else "none").inc(events)

    def refuse(self, sender: Identity, refusal: HeadwaterError, body: bytes) -> None:
        """Count and keep a refused event; `letters_kept` waits for that."""
        code = sender.tenant.code if sender.tenant else None
        REFUSED.labels(refusal.code, tenant_label(code) if code else "none").inc()
        _log.info("event refused", extra={"tenant": code, "reason": refusal.code, "path": refusal.path})
        if self._dead_letters is not None:
            self._dead_letters.put(sender, *refused_form(sender, refusal, body, self._tenants()))

    async def dead_letters_kept(self) -> None:
        """Wait until every refused event of before is kept."""
        if self._dead_letters is not None:
            await self._dead_letters.emptied()

    async def _entry(self, sender: Identity, body: bytes, *, is_limited: bool) -> Entry:
        await self._announce(sender, body)
        entry = await in_large_event_thread(self._read, sender, body) if is_large(body) else self._read(sender, body)
        if is_limited:
            self._count_one(entry.tenant, body)
        return entry

    def _count_one(self, tenant: Tenant, body: bytes) -> None:
        self.count(tenant, 1)
        self.charge(tenant, body)

    def _read(self, sender: Identity, body: bytes) -> Entry:
        event, tenant = read_event(sender, body, self._tenants())
        interpretation = attempt(event, tenant.id, self._descriptions, note_failure)
        if event.warnings:
            WARNINGS.inc(len(event.warnings))
            count_policy(tenant.code, event.policy_counts)
        return Entry(tenant, event, interpretation, time.time_ns() // 1000)


async def _failures(written: asyncio.Future[None] | None = None) -> dict[int, HeadwaterError]:
    """How a batch of this one event went."""
    try:
        if written is not None:
            await written
    except HeadwaterError as failure:
        return {0: failure}
    return {}


def _sender_id(sender: Identity) -> Hashable:
    """Id of a sender for the concurrency limit."""
    return sender.tenant.id if sender.tenant is not None else sender.key_id
