"""Streamed answers. Their resources are released at the end, whatever ends them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from headwater.deadline import Deadline, NobodyWaits, within
from headwater.ingest.errors import Overloaded, RateLimited

__all__ = ["STREAMED", "Streamed", "Streams"]

STREAMED = ("/api/v2/dump",)
"""The routes that give such answers."""

_OF_ONE_TENANT, _OF_ALL = 2, 8
"""Each holds a connection to the database, of which questions need some too."""
_LOOK_AGAIN = 0.01


class Streams:
    """How many answers are being streamed, of each tenant and of all. Used from the event loop."""

    def __init__(self) -> None:
        self._running: Counter[int] = Counter()

    def begin(self, tenant: int) -> None:
        if self._running[tenant] >= _OF_ONE_TENANT:
            raise RateLimited(
                f"{_OF_ONE_TENANT} long answers of this tenant are being sent, and no more at once.",
                hint="Wait until one of them ends.",
                retry_after=5,
            )
        if self._running.total() >= _OF_ALL:
            raise Overloaded(
                f"{_OF_ALL} long answers are being sent, and no more at once.",
                hint="Ask again after the time in Retry-After.",
            )
        self._running[tenant] += 1

    def end(self, tenant: int) -> None:
        self._running[tenant] -= 1
        if not self._running[tenant]:
            del self._running[tenant]


class Streamed(Response):
    """An answer in pages. `pages` is called in a thread, once one more such answer is allowed.

    Its generator is closed when the answer is complete, and when the client leaves, stops reading, or the server
    stops. The first page is made before anything is sent, so that a failure until then is a proper error.
    """

    def __init__(
        self,
        pages: Callable[[], Iterator[bytes]],
        streams: Streams,
        tenant: int,
        *,
        media_type: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._pages, self._streams, self._tenant = pages, streams, tenant
        self.status_code, self.media_type, self.background = 200, media_type, None
        self.body = b""
        self.init_headers(headers)
        if "content-length" in self.headers:
            del self.headers["content-length"]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] == "HEAD":
            await self._start(send)
            await send({"type": "http.response.body", "body": b""})
            return
        self._streams.begin(self._tenant)
        try:
            with within(Deadline()) as deadline:
                leaving = asyncio.ensure_future(_until_gone(receive, deadline))
                try:
                    await self._send(send, leaving, deadline)
                except NobodyWaits:  # the client left while a page was made
                    return
                finally:
                    leaving.cancel()
        finally:
            self._streams.end(self._tenant)

    async def _start(self, send: Any) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})

    async def _send(self, send: Any, leaving: asyncio.Future[None], deadline: Deadline) -> None:
        pages = self._pages()
        try:
            page = await run_in_threadpool(next, pages, None)
            await self._start(send)
            while page is not None and not leaving.done():
                await send({"type": "http.response.body", "body": page, "more_body": True})
                page = await run_in_threadpool(next, pages, None)
            if not leaving.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            deadline.stop()
            await asyncio.shield(asyncio.to_thread(_close, pages))


def _close(pages: Iterator[bytes]) -> None:
    """A server that stops does not wait for the page that is being made; this does."""
    while True:
        try:
            pages.close()  # type: ignore[attr-defined] # a generator
        except ValueError:  # it is running
            time.sleep(_LOOK_AGAIN)
        else:
            return


async def _until_gone(receive: Any, deadline: Deadline) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    deadline.stop()
