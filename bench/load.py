"""A load generator light enough to share two cores with the server it measures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator


class _Connection(asyncio.Protocol):
    """One keep-alive connection, one request at a time."""

    def __init__(self, key: str | None = None, *, batches: bool = False) -> None:
        self.transport: asyncio.Transport | None = None
        path, kind = (b"/api/v1/lineage/batch", b"x-ndjson") if batches else (b"/api/v1/lineage", b"json")
        credential = b"authorization: Bearer %s\r\n" % key.encode() if key else b""
        head = b"POST %s HTTP/1.1\r\nhost: localhost\r\n%scontent-type: application/%s\r\ncontent-length: "
        self._head = head % (path, credential, kind)
        self._question = b" HTTP/1.1\r\nhost: localhost\r\n%s\r\n" % credential
        self.waiting: asyncio.Future[int] | None = None
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 or self.waiting is None:
            return
        head = self._buffer[:end].lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        if len(self._buffer) < end + 4 + length:
            return
        is_partial = length and b'"partial_success"' in self._buffer
        self._buffer = self._buffer[end + 4 + length :]
        waiting, self.waiting = self.waiting, None
        if not waiting.done():
            waiting.set_result(207 if is_partial else int(head[9:12]))

    def connection_lost(self, error: Exception | None) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(error or ConnectionError("closed"))

    def post(self, body: bytes) -> asyncio.Future[int]:
        """Gives the status; 207 for a batch of which not all was taken."""
        assert self.transport is not None
        self.waiting = asyncio.get_running_loop().create_future()
        self.transport.writelines((self._head, b"%d\r\n\r\n" % len(body), body))
        return self.waiting

    def get(self, path: bytes) -> asyncio.Future[int]:
        """Gives the status of the answer to a question."""
        assert self.transport is not None
        self.waiting = asyncio.get_running_loop().create_future()
        self.transport.writelines((b"GET ", path, self._question))
        return self.waiting


class Result:
    """How long each request took, of so many events each."""

    def __init__(self, batch: int = 1) -> None:
        self.latencies: list[float] = []
        self._batch = batch
        self.statuses: dict[int, int] = {}
        self.seconds = 0.0

    def summary(self) -> dict:
        ordered = sorted(self.latencies)

        def at(share: float) -> float | None:
            place = min(len(ordered) - 1, int(len(ordered) * share))
            return round(ordered[place] * 1000, 2) if ordered else None

        return {
            "events": len(ordered) * self._batch,
            "seconds": round(self.seconds, 2),
            "events_per_second": round(len(ordered) * self._batch / self.seconds) if self.seconds else 0,
            "p50_ms": at(0.5),
            "p99_ms": at(0.99),
            "max_ms": at(1.0),
            "statuses": self.statuses,
        }


async def drive(
    host: str,
    port: int,
    bodies: Iterator[bytes],
    *,
    seconds: float,
    connections: int = 32,
    rate: float | None = None,
    key: str | None = None,
    batch: int = 1,
    asks: bool = False,
) -> Result:
    """Send events for so long: as fast as they are taken, or at a fixed rate whether or not they are (open loop).

    With a `batch` above one, each body is NDJSON of so many events. One who `asks` gives paths instead of bodies.
    """
    loop = asyncio.get_running_loop()

    def connection() -> _Connection:
        return _Connection(key, batches=batch > 1)

    made = [(await loop.create_connection(connection, host, port))[1] for _ in range(connections)]
    result = Result(batch)
    began = time.perf_counter()
    deadline = began + seconds
    slots: Iterator[float] | None = None
    if rate is not None:
        slots = (began + number / rate for number in range(int(rate * seconds)))

    async def worker(connection: _Connection) -> None:
        while time.perf_counter() < deadline:
            due = next(slots, None) if slots is not None else time.perf_counter()
            if due is None:
                return
            wait = due - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            body = next(bodies, None)
            if body is None:
                return
            sent = due if rate is not None else time.perf_counter()
            status = await (connection.get(body) if asks else connection.post(body))
            result.latencies.append(time.perf_counter() - sent)
            result.statuses[status] = result.statuses.get(status, 0) + 1

    await asyncio.gather(*(worker(connection) for connection in made))
    result.seconds = time.perf_counter() - began
    for connection in made:
        if connection.transport is not None:
            connection.transport.close()
    return result
