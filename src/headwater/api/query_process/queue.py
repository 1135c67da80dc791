"""Fair queue in front of the processes that answer questions: tenants take turns, and none takes all places."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from headwater.deadline import Deadline
from headwater.ingest.errors import Overloaded, RateLimited

__all__ = ["QuestionQueue"]

_OF_ONE_TENANT, _OF_ALL = 100, 1000
"""Questions that may wait."""
_HINT = "Ask again after the time in Retry-After, with fewer questions at once."


class QuestionQueue:
    """Lets so many questions run at once, of one tenant half as many. Used from the event loop."""

    def __init__(self, places: int) -> None:
        self._places, self._of_one = places, max(1, places // 2)
        self._running: Counter[int] = Counter()
        self._waiting: OrderedDict[int, deque[asyncio.Future[None]]] = OrderedDict()
        """The tenant whose turn is next comes first."""

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, tenant: int, deadline: Deadline) -> AsyncIterator[None]:
        """Wait for a place, at most until the deadline, and keep it until the end."""
        await self._wait(tenant, deadline)
        try:
            yield
        finally:
            self._leave(tenant)

    async def _wait(self, tenant: int, deadline: Deadline) -> None:
        if tenant not in self._waiting and self._has_place(tenant):
            self._running[tenant] += 1
            return
        sender_id = self._waiting.setdefault(tenant, deque())
        if len(sender_id) >= _OF_ONE_TENANT:
            raise RateLimited(f"{len(sender_id)} questions of this tenant wait to be answered.", hint=_HINT)
        if self.waiting >= _OF_ALL:
            raise Overloaded(f"{self.waiting} questions wait to be answered.", hint=_HINT)
        ticket = asyncio.get_running_loop().create_future()
        sender_id.append(ticket)
        deadline.when_stopped(ticket.cancel)
        try:
            await asyncio.wait_for(asyncio.shield(ticket), deadline.left)
        except BaseException as error:
            is_gone = ticket.cancelled()
            if ticket.done() and not is_gone:  # it was given just now
                self._leave(tenant)
            else:
                ticket.cancel()
                self._forget(tenant, ticket)
            if is_gone:
                deadline.check()
            if isinstance(error, TimeoutError):
                raise Overloaded(
                    f"{self.waiting} other questions were still before this one after {deadline.seconds:g} seconds.",
                    hint=_HINT,
                ) from None
            raise
        finally:
            deadline.when_stopped(None)

    def _has_place(self, tenant: int) -> bool:
        return self._running.total() < self._places and self._running[tenant] < self._of_one

    def _leave(self, tenant: int) -> None:
        self._running[tenant] -= 1
        if not self._running[tenant]:
            del self._running[tenant]
        for other in list(self._waiting):
            if self._has_place(other):
                ticket = self._waiting[other].popleft()
                self._waiting.move_to_end(other)
                self._forget(other)
                self._running[other] += 1
                ticket.set_result(None)
                return

    def _forget(self, tenant: int, ticket: asyncio.Future[None] | None = None) -> None:
        sender_id = self._waiting.get(tenant)
        if sender_id is not None and ticket is not None and ticket in sender_id:
            sender_id.remove(ticket)
        if not sender_id:
            self._waiting.pop(tenant, None)
