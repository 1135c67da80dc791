"""Group commit: events that arrive while a transaction runs share the next one.

One thread writes. The event loop hands it entries and gets a future for each, or one for several; it is done when they
are durable, or failed each by itself. One entry that the store refuses does not spoil the others of its batch.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Protocol

from headwater.errors import HeadwaterError
from headwater.ingest.fair_queue import FairQueue, Item
from headwater.ingest.metrics import (
    BATCH_EVENTS,
    COMMIT_SECONDS,
    DUPLICATES,
    EVENTS,
    GRAPH_FAILURES,
    GRAPH_SECONDS,
    tenant_label,
)
from headwater.ingest.write_failures import count_failure, explain, not_followed, unavailable
from headwater.store.dialects.failures import is_outage, reason_of
from headwater.store.write.log import Entry

__all__ = ["GroupCommit", "Settle"]

_GATHER_SECONDS = 0.005
"""How long a batch waits for company when the one before it had some."""
Settle = Callable[[HeadwaterError | None], None]
"""Called with the failure, or None."""
Follow = Callable[[Collection[int]], None]
"""Brings the graph server up to date with commits of these tenants."""
_Waiting = tuple[Entry, Settle]


class BatchSink(Protocol):
    """Store as the writer needs it."""

    def write(self, entries: Sequence[Entry]) -> int: ...

    def probe(self) -> None:
        """Raise when writing would fail."""


class GroupCommit:
    """Owns the writer thread. `submit` is called from the event loop only."""

    def __init__(
        self, store: BatchSink, *, batch_events: int = 256, batch_bytes: int = 8 << 20, follow: Follow | None = None
    ) -> None:
        self._store, self._follow = store, follow
        self._batch_events, self._batch_bytes = batch_events, batch_bytes
        self._queue: FairQueue[_Waiting] = FairQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="headwater-writer", daemon=True)
        self.last_error: str | None = None
        """Why the store did not take the newest batch; None once it took one."""
        self.batches = 0
        """Batches written so far; while it does not change, there is time for background work."""

    def start(self) -> None:
        self._thread.start()

    async def stop(self) -> None:
        """Write waiting entries, then end the thread."""
        self._queue.close()
        await asyncio.to_thread(self._thread.join)

    def probe(self) -> None:
        """Ask a store that failed whether it takes writes again; raises if not. Blocks."""
        self._store.probe()
        self.last_error = None

    @property
    def follows(self) -> bool:
        """Whether there is a graph server to bring up to date."""
        return self._follow is not None

    def follow(self, tenants: Collection[int]) -> HeadwaterError | None:
        """Bring the graph server up to date, if there is one; gives its error. The commit stays."""
        if self._follow is None:
            return None
        began = time.perf_counter()
        try:
            self._follow(tenants)
        except Exception as error:  # noqa: BLE001 - the events are in the log, and their senders are to try again
            GRAPH_FAILURES.inc()
            return not_followed(error)
        GRAPH_SECONDS.observe(time.perf_counter() - began)
        return None

    def submit(self, entry: Entry) -> asyncio.Future[None]:
        """Queue an entry; the future is done when it is durable. The concurrency limit bounds how many wait."""
        future: asyncio.Future[None] = self._loop.create_future()
        self.put(entry, partial(_settle, future))
        return future

    def put(self, entry: Entry, settle: Settle) -> None:
        """Queue an entry; `settle` is called in the event loop when it is durable, or has failed."""
        self._queue.put(entry.tenant.id, len(entry.event.body), (entry, settle))

    def submit_all(self, entries: Sequence[Entry]) -> asyncio.Future[dict[int, HeadwaterError]]:
        """Queue entries together; the future is done when all are settled, with failures by position."""
        group = _Group(self._loop.create_future(), len(entries))
        self._queue.put_all(
            [
                Item(entry.tenant.id, len(entry.event.body), (entry, partial(group.settle, position)))
                for position, entry in enumerate(entries)
            ]
        )
        return group.future

    def _run(self) -> None:
        patience = 0.0
        while batch := self._queue.take(self._batch_events, self._batch_bytes, patience):
            results = self._write(batch)
            try:
                self._loop.call_soon_threadsafe(self._finish, batch, results)
            except RuntimeError:  # the loop is gone, and with it everybody who waited
                return
            # Under load: threads that take turns waste less than threads that compete.
            patience = _GATHER_SECONDS if len(batch) > 1 else 0.0

    def _write(self, batch: list[_Waiting]) -> list[HeadwaterError | None]:
        entries = [entry for entry, _ in batch]
        began = time.perf_counter()
        self.batches += 1
        try:
            new = self._store.write(entries)
        except Exception as error:  # noqa: BLE001 - the thread must outlive every failure
            if is_outage(error):
                self.last_error = reason_of(error)
                return [unavailable(error)] * len(batch)
            if len(batch) == 1:
                return [explain(entries[0], error)]
            return [self._write([waiting])[0] for waiting in batch]
        self.last_error = None
        COMMIT_SECONDS.observe(time.perf_counter() - began)
        failure = self.follow({entry.tenant.id for entry in entries})
        if failure is not None:
            return [failure] * len(batch)
        BATCH_EVENTS.observe(len(batch))
        if new < len(batch):
            DUPLICATES.labels(_label_of(entries)).inc(len(batch) - new)
        return [None] * len(batch)

    def _finish(self, batch: list[_Waiting], results: list[HeadwaterError | None]) -> None:
        stored: dict[str, int] = {}
        for (entry, settle), failure in zip(batch, results, strict=True):
            if failure is None:
                stored[entry.tenant.code] = stored.get(entry.tenant.code, 0) + 1
            else:
                count_failure(failure, entry.tenant.code)
            settle(failure)
        for code, count in stored.items():
            EVENTS.labels(tenant_label(code)).inc(count)


class _Group:
    """Entries that were submitted together."""

    __slots__ = ("_failures", "_left", "future")

    def __init__(self, future: asyncio.Future[dict[int, HeadwaterError]], count: int) -> None:
        self.future = future
        self._left = count
        self._failures: dict[int, HeadwaterError] = {}
        if not count:
            future.set_result(self._failures)

    def settle(self, position: int, failure: HeadwaterError | None) -> None:
        if failure is not None:
            self._failures[position] = failure
        self._left -= 1
        if not self._left and not self.future.cancelled():
            self.future.set_result(self._failures)


def _settle(future: asyncio.Future[None], failure: HeadwaterError | None) -> None:
    if future.cancelled():
        return
    if failure is None:
        future.set_result(None)
    else:
        future.set_exception(failure)


def _label_of(entries: Sequence[Entry]) -> str:
    """The tenant of a batch. The store counts new events of a whole batch, so a mixed one has no single tenant."""
    codes = {entry.tenant.code for entry in entries}
    return tenant_label(codes.pop()) if len(codes) == 1 else "several"
