"""Queue between threads: tenants in turn, by bytes.

Deficit round robin: in its turn a tenant gets a credit of bytes, takes events for it, and keeps the rest for its next
turn. Within a tenant the order is that of arrival.
"""

from __future__ import annotations

import time
from collections import deque
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, TypeVar

__all__ = ["FairQueue", "Item"]

_T = TypeVar("_T")
_CREDIT = 64 << 10
"""Bytes added to a tenant's credit in its turn."""
_SHARED_SECONDS = 1.0
"""So long after the last change from one tenant to another nobody is made to wait for company."""


class Item(NamedTuple, Generic[_T]):
    tenant: int
    size: int
    value: _T


class _TenantQueue(Generic[_T]):
    """Waiting entries of one tenant."""

    __slots__ = ("credit", "items")

    def __init__(self) -> None:
        self.items: deque[Item[_T]] = deque()
        self.credit = 0


class FairQueue(Generic[_T]):
    """Filled from any thread, emptied by one: only that one sorts, so putting needs no lock."""

    def __init__(self) -> None:
        self._arrived: SimpleQueue[list[Item[_T]] | None] = SimpleQueue()
        self._queues: dict[int, _TenantQueue[_T]] = {}
        self._is_closed = False
        self._last_tenant: int | None = None
        self._shared_until = 0.0

    def put(self, tenant: int, size: int, value: _T) -> None:
        self._arrived.put([Item(tenant, size, value)])

    def put_all(self, items: list[Item[_T]]) -> None:
        """Add several at once, so that one batch takes them together."""
        if items:  # nothing at all would look like the end
            self._arrived.put(items)

    def close(self) -> None:
        """Nothing will be put any more."""
        self._arrived.put(None)

    def take(self, most: int, most_bytes: int, patience: float = 0.0) -> list[_T]:
        """Wait for entries, then take a batch; empty at the end of the queue.

        With one event of one tenant, waits up to `company` seconds for more.
        """
        if not self._queues and not self._is_closed:
            first = self._arrived.get()
            self._sort(first)
            if patience and first is not None and len(first) == 1 and time.monotonic() > self._shared_until:
                time.sleep(patience)
        while not self._is_closed:
            try:
                self._sort(self._arrived.get_nowait())
            except Empty:
                break
        return self._batch(most, most_bytes)

    def _sort(self, items: list[Item[_T]] | None) -> None:
        if items is None:
            self._is_closed = True
            return
        for item in items:
            queue = self._queues.get(item.tenant)
            if queue is None:
                queue = self._queues[item.tenant] = _TenantQueue()
            queue.items.append(item)

    def _batch(self, most: int, most_bytes: int) -> list[_T]:
        batch: list[_T] = []
        size = 0
        while self._queues and len(batch) < most and size < most_bytes:
            tenant, queue = next(iter(self._queues.items()))
            if tenant != self._last_tenant:
                self._last_tenant, self._shared_until = tenant, time.monotonic() + _SHARED_SECONDS
            queue.credit += _CREDIT
            while queue.items and len(batch) < most and size < most_bytes and queue.items[0].size <= queue.credit:
                item = queue.items.popleft()
                queue.credit -= item.size
                size += item.size
                batch.append(item.value)
            del self._queues[tenant]
            if queue.items:  # to the end of the line
                self._queues[tenant] = queue
        return batch
