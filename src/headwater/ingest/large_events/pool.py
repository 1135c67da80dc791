"""Pool for large events: one process, one event at a time, senders in turn.

The process is started with the first of them, and ends when none came for a while.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import NamedTuple

import sqlalchemy as sa

from headwater.access.identity import Identity, TenantIndex
from headwater.child import end_child, read_frame, start_child, write_frame
from headwater.errors import HeadwaterError
from headwater.ingest.errors import WriteFailed
from headwater.ingest.large_events.messages import LargeEvent, LargeEventOutcome, Settled
from headwater.ingest.metrics import (
    COMMIT_SECONDS,
    DUPLICATES,
    EVENTS,
    INTERPRET_FAILURES,
    WARNINGS,
    count_policy,
    tenant_label,
)
from headwater.ingest.write_failures import count_failure
from headwater.settings import Settings
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.log import Tenant

__all__ = ["LargeEventResult", "LargeEvents"]

_log = logging.getLogger(__name__)
_IDLE_SECONDS = 60.0
_LOOK_AGAIN = 5.0
"""Seconds after a failure until it is looked whether an event was left unfinished."""
_MODULE = "headwater.ingest.large_events.process"


class LargeEventResult(NamedTuple):
    """One event on its way."""

    settled: asyncio.Future[None]
    """Done when it is known whose the event is and that it may come in; or why not."""
    written: asyncio.Future[None]
    """Done when it is durable, or has failed; also when it was not let in."""


class _Connection(NamedTuple):
    process: subprocess.Popen[bytes]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class _PendingEvent(NamedTuple):
    event: LargeEvent
    admit: Callable[[Tenant], None]
    """Raises when this tenant may not send now."""
    result: LargeEventResult


def _tenants_for(sender: Identity, tenants: TenantIndex) -> tuple[Tenant, ...]:
    """Possible tenants of an event of this sender, unless the sender names one."""
    if sender.is_single_user:
        return tuple(tenant for tenant in tenants.by_id.values() if tenant.id == DEFAULT_TENANT.id)
    return tuple(tenants.by_id.values()) if sender.tenant is None else ()


class LargeEvents:
    """Used from the event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._has_unfinished: Callable[[], bool] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._look_timer: asyncio.TimerHandle | None = None
        self._waiting: OrderedDict[Hashable, deque[_PendingEvent]] = OrderedDict()
        self._working: asyncio.Task[None] | None = None
        self._connection: _Connection | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._written = 0

    @property
    def written(self) -> int:
        """Events written so far; while one is being written never the same, so that it does not look like idleness."""
        return self._written if self._working is None else -time.monotonic_ns()

    def start(self, has_unfinished: Callable[[], bool]) -> None:
        """Finish events that were left unfinished, now and after every failure. `has_unfinished` asks the database."""
        self._has_unfinished = has_unfinished
        self._look()

    def submit(
        self, sender_id: Hashable, sender: Identity, body: bytes, tenants: TenantIndex, admit: Callable[[Tenant], None]
    ) -> LargeEventResult:
        """Queue an event; the concurrency limit bounds how many wait."""
        loop = asyncio.get_running_loop()
        result = LargeEventResult(loop.create_future(), loop.create_future())
        event = LargeEvent(sender, body, _tenants_for(sender, tenants))
        self._waiting.setdefault(sender_id, deque()).append(_PendingEvent(event, admit, result))
        if self._working is None:
            self._working = asyncio.ensure_future(self._work())
        return result

    async def stop(self) -> None:
        """Finish waiting events, then end the process."""
        self._has_unfinished = None
        if self._look_timer is not None:
            self._look_timer.cancel()
        if self._looking is not None:
            await self._looking
        if self._working is not None:
            await self._working
        if self._idle is not None:
            self._idle.cancel()
        self._let_go()
        await asyncio.gather(*self._ending)

    async def _work(self, *, is_new: bool = False) -> None:
        if self._idle is not None:
            self._idle.cancel()
        if is_new:
            try:
                await self._start()
            except (OSError, EOFError) as error:
                _log.error("large events cannot be finished", extra={"reason": f"{type(error).__name__}: {error}"})
                self._let_go()
                self._look_later()
        while self._waiting:
            sender_id, queue = self._waiting.popitem(last=False)
            asked = queue.popleft()
            if queue:
                self._waiting[sender_id] = queue  # at the end of the line
            failure = await self._pass(asked)
            for future in asked.result:
                if not future.done():
                    if failure is None:
                        future.set_result(None)
                    else:
                        future.set_exception(failure)
                        future.exception()  # whoever waited may be gone
        self._working = None
        self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._let_go)

    def _look(self) -> None:
        self._look_timer = None
        if self._has_unfinished is not None:
            self._looking = asyncio.ensure_future(self._finish(self._has_unfinished))

    def _look_later(self) -> None:
        if self._look_timer is None:
            self._look_timer = asyncio.get_running_loop().call_later(_LOOK_AGAIN, self._look)

    async def _finish(self, has_unfinished: Callable[[], bool]) -> None:
        """Start a new process if something is unfinished: it begins with that."""
        try:
            if not await asyncio.to_thread(has_unfinished) or self._working is not None:
                return
        except sa.exc.SQLAlchemyError:  # the database is away, as others say too
            self._look_later()
            return
        self._let_go()
        self._working = asyncio.ensure_future(self._work(is_new=True))

    async def _pass(self, asked: _PendingEvent) -> HeadwaterError | None:
        """Have one event read and written; gives why not."""
        try:
            connection = self._connection or await self._start()
            return await self._exchange(connection, asked)
        except HeadwaterError as failure:
            return failure
        except Exception as error:  # noqa: BLE001 - whatever it is, the others that wait must not wait for ever
            _log.error("the process for large events ended", extra={"reason": f"{type(error).__name__}: {error}"})
            self._let_go()
            self._look_later()
            return WriteFailed(
                "The event could not be stored: the process that works on large events ended.",
                hint="Send it again. If that stays so, see the server's log: perhaps there is too little memory.",
            )

    async def _exchange(self, connection: _Connection, asked: _PendingEvent) -> HeadwaterError | None:
        reader, writer = connection.reader, connection.writer
        write_frame(writer, asked.event)
        settled: Settled = await read_frame(reader)
        if settled.tenant is None:
            return settled.refusal
        tenant = settled.tenant
        try:
            asked.admit(tenant)
        except HeadwaterError:
            write_frame(writer, False)
            raise
        write_frame(writer, True)
        if not asked.result.settled.done():
            asked.result.settled.set_result(None)
        outcome: LargeEventOutcome = await read_frame(reader)
        self._count(tenant, outcome)
        return outcome.failure

    def _count(self, tenant: Tenant, outcome: LargeEventOutcome) -> None:
        self._written += 1
        WARNINGS.inc(outcome.warnings)
        count_policy(tenant.code, outcome.policy_counts)
        if not outcome.is_interpreted:
            INTERPRET_FAILURES.inc()
        if outcome.failure is not None:
            count_failure(outcome.failure, tenant.code)
            self._look_later()
            return
        COMMIT_SECONDS.observe(outcome.seconds)
        EVENTS.labels(tenant_label(tenant.code)).inc()
        if not outcome.is_new:
            DUPLICATES.labels(tenant_label(tenant.code)).inc()

    async def _start(self) -> _Connection:
        ours, theirs = socket.socketpair()
        with theirs:
            process = start_child(_MODULE, self._settings, theirs)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        self._connection = _Connection(process, reader, writer)
        await read_frame(reader)  # it is ready
        return self._connection

    def _let_go(self) -> None:
        """Close the socket, so that the process ends; the next event starts another one."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        connection.writer.close()
        ending = asyncio.ensure_future(asyncio.to_thread(end_child, connection.process))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
