"""Fair queue in front of the processes that answer questions: tenants take turns, and none takes all places.

A question that takes long leaves its place to a new one and goes on in one of as many places of another kind: so new
ones need not wait for its end. In its process it gives way to those of other tenants, see `give_way`.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from headwater.api.query_process.give_way import LONG_SECONDS
from headwater.deadline import Deadline
from headwater.ingest.errors import Overloaded, RateLimited

__all__ = ["QuestionQueue"]

_OF_ONE_TENANT, _OF_ALL = 100, 1000
"""Questions that may wait."""
_HINT = "Ask again after the time in Retry-After, with fewer questions at once."


class _QueuedQuestion:
    """Of a question that runs."""

    __slots__ = ("is_new", "tenant", "timer")

    def __init__(self, tenant: int) -> None:
        self.tenant, self.is_new = tenant, True
        self.timer: asyncio.TimerHandle | None = None


class QuestionQueue:
    """Runs a limited number of new questions at once, and as many long ones. Used from the event loop.

    Of one tenant half as many run in all, and another one only while more places are free than it has.
    """

    def __init__(self, places: int) -> None:
        self._places, self._of_one = places, max(1, places // 2)
        self._running: Counter[int] = Counter()
        self._new = 0
        """Of those that run, how many have not taken long."""
        self._waiting: OrderedDict[int, deque[asyncio.Future[_QueuedQuestion]]] = OrderedDict()
        """The tenant whose turn is next comes first."""

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, tenant: int, deadline: Deadline) -> AsyncIterator[None]:
        """Wait for a place, at most until the deadline, and keep it until the end."""
        place = await self._wait(tenant, deadline)
        try:
            yield
        finally:
            self._leave(place)

    async def _wait(self, tenant: int, deadline: Deadline) -> _QueuedQuestion:
        if tenant not in self._waiting and self._has_place(tenant):
            return self._take(tenant)
        lane = self._waiting.setdefault(tenant, deque())
        if len(lane) >= _OF_ONE_TENANT:
            raise RateLimited(f"{len(lane)} questions of this tenant wait to be answered.", hint=_HINT)
        if self.waiting >= _OF_ALL:
            raise Overloaded(f"{self.waiting} questions wait to be answered.", hint=_HINT)
        ticket: asyncio.Future[_QueuedQuestion] = asyncio.get_running_loop().create_future()
        lane.append(ticket)
        deadline.when_stopped(ticket.cancel)
        try:
            return await asyncio.wait_for(asyncio.shield(ticket), deadline.left)
        except BaseException as error:
            is_gone = ticket.cancelled()
            if ticket.done() and not is_gone:  # it was given just now
                self._leave(ticket.result())
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
        own, free = self._running[tenant], 2 * self._places - self._running.total()
        return self._new < self._places and own < self._of_one and own < free

    def _take(self, tenant: int) -> _QueuedQuestion:
        place = _QueuedQuestion(tenant)
        self._running[tenant] += 1
        self._new += 1
        place.timer = asyncio.get_running_loop().call_later(LONG_SECONDS, self._grow_old, place)
        return place

    def _grow_old(self, place: _QueuedQuestion) -> None:
        place.is_new = False
        self._new -= 1
        self._let_in()

    def _leave(self, place: _QueuedQuestion) -> None:
        if place.timer is not None:
            place.timer.cancel()
        self._new -= place.is_new
        self._running[place.tenant] -= 1
        if not self._running[place.tenant]:
            del self._running[place.tenant]
        self._let_in()

    def _let_in(self) -> None:
        """Give places that became free to those that wait, tenant by tenant."""
        for tenant in list(self._waiting):
            lane = self._waiting[tenant]
            while lane and lane[0].cancelled():  # who asked has left, and its task has not run since
                lane.popleft()
            if lane and self._has_place(tenant):
                self._waiting.move_to_end(tenant)
                lane.popleft().set_result(self._take(tenant))
            self._forget(tenant)

    def _forget(self, tenant: int, ticket: asyncio.Future[_QueuedQuestion] | None = None) -> None:
        lane = self._waiting.get(tenant)
        if lane is not None and ticket is not None and ticket in lane:
            lane.remove(ticket)
        if not lane:
            self._waiting.pop(tenant, None)
