"""Dispatch of questions to query processes."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from headwater.access.identity import Role
from headwater.api.authentication.authorize import needed_role
from headwater.api.errors import error_body
from headwater.api.http.compressed_answers import AnswerEncoder
from headwater.api.http.streamed_answers import STREAMED
from headwater.api.query_process.messages import BODY, tenant_of
from headwater.api.query_process.pool import QueryPool, QuestionLost, Reply
from headwater.api.query_process.queue import QuestionQueue
from headwater.deadline import Deadline, NobodyWaits, within
from headwater.errors import HeadwaterError
from headwater.ingest.errors import RateLimited
from headwater.ingest.rate_limits import BURST_SECONDS
from headwater.token_buckets import TokenBuckets

__all__ = ["Questions", "is_question"]

_AT_ONCE = 4
"""Questions in one process: more only wait for one another."""
_UNREAD = 256 << 20
"""Bytes of answers that the clients of one tenant have asked for and not taken yet."""
_ASKED = ("/api/v1/", "/api/v2/", "/api/v2beta/", "/openlineage/", "/aspects/")
_STOP_SECONDS = 2.0
_log = logging.getLogger(__name__)


def is_question(scope: Any) -> bool:
    """Whether a request only reads, and all of its answer is made before any of it is sent."""
    path = scope["path"]
    if BODY in scope:
        return True
    if scope["method"] not in ("GET", "HEAD") or not path.startswith(_ASKED) or path in STREAMED:
        return False
    return needed_role(path) is Role.READER


class Questions:
    """Of one server process. Used from the event loop."""

    def __init__(
        self,
        query_processes: QueryPool | None,
        answer_here: Callable[[Any], Awaitable[Reply]],
        seconds: float,
        rate: int = 0,
    ) -> None:
        """`rate`: questions a second that are answered of each tenant; 0 for any number."""
        self._query_processes, self._answer_here, self._seconds = query_processes, answer_here, seconds
        self._rate, self._buckets = rate, TokenBuckets()
        self._queue = QuestionQueue(_AT_ONCE * max(1, query_processes.count if query_processes is not None else 0))
        self._encoder = AnswerEncoder()
        self._unread: Counter[int] = Counter()
        self._under_way: dict[asyncio.Future[Reply], Deadline] = {}

    @property
    def waiting(self) -> int:
        return self._queue.waiting

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one question. Nothing is sent if the client leaves first."""
        deadline, tenant = Deadline(self._seconds), tenant_of(scope)
        work = asyncio.ensure_future(self._work(scope, tenant, deadline))
        self._under_way[work] = deadline
        work.add_done_callback(self._ended)
        leaving = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait({work, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not work.done():  # it ends by itself, and until then keeps its place: who leaves gets no other for it
                deadline.stop()
        if work.done():
            await self._send(scope, work.result(), tenant, send)

    async def stop(self) -> None:
        """Cancel the questions in progress."""
        for deadline in self._under_way.values():
            deadline.stop()
        if self._under_way:
            await asyncio.wait(list(self._under_way), timeout=_STOP_SECONDS)

    def _ended(self, work: asyncio.Future[Reply]) -> None:
        del self._under_way[work]
        if not work.cancelled():
            work.exception()  # or asyncio would complain where nobody waits for it any more

    async def _work(self, scope: Any, tenant: int, deadline: Deadline) -> Reply:
        try:
            self._count(tenant)
            if self._unread[tenant] > _UNREAD:
                raise RateLimited(
                    f"{self._unread[tenant] >> 20} MiB of answers of this tenant were not read yet.",
                    hint="Read them, or ask for less at once: a smaller limit, fewer steps.",
                )
            async with self._queue.turn(tenant, deadline):
                deadline.check()
                reply = await self._query_processes.ask(scope, deadline) if self._query_processes is not None else None
                if reply is not None:
                    return reply
                with within(deadline):
                    return await self._answer_here(scope)
        except HeadwaterError as error:
            if isinstance(error, QuestionLost):
                _log.error("a question ended its process", extra={"route": scope["path"], "reason": error.message})
            elif isinstance(error, NobodyWaits):
                return 503, [], b""
            status, body, headers = error_body(error)
            return status, [*headers, (b"content-length", b"%d" % len(body))], body

    def _count(self, tenant: int) -> None:
        wait = self._buckets.take(tenant, self._rate, self._rate * BURST_SECONDS) if self._rate else 0
        if wait:
            raise RateLimited(
                f"This tenant asks more than {self._rate} questions a second.",
                hint="Ask again after the time in Retry-After; an operator can raise question_rate.",
                retry_after=max(1, math.ceil(wait)),
            )

    async def _send(self, scope: Any, reply: Reply, tenant: int, send: Any) -> None:
        """Send an answer, which counts as unread from when it was made until the client has all of it."""
        size = len(reply[2])
        self._unread[tenant] += size
        try:
            status, headers, body = await self._encoder.encode(scope, reply)
            self._unread[tenant] += len(body) - size
            size = len(body)
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b""})  # returns once all was taken
        finally:
            self._unread[tenant] -= size
            if not self._unread[tenant]:
                del self._unread[tenant]


async def _until_gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
