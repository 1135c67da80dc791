"""Taking events. The hot path of the server, so it speaks ASGI itself."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import lru_cache
from typing import Any

import msgspec

from headwater.access.authenticate import Authenticator
from headwater.access.errors import Forbidden, TenantRefused, Unauthenticated
from headwater.access.identity import Identity, Role
from headwater.api.authentication.allowed_sites import Sites
from headwater.api.authentication.authorize import authenticate, credentials_of, require, sender_of
from headwater.api.errors import error_body, status_of
from headwater.api.http.body import BodyMemory, ClientGone, Headers, Sent, decode_body, is_packed, is_tiny
from headwater.api.http.connections import ConnectionLimits
from headwater.api.http.split_batch import split_batch
from headwater.errors import HeadwaterError
from headwater.ingest.admission import Admission
from headwater.ingest.errors import Overloaded
from headwater.ingest.group_commit import Settle
from headwater.ingest.large_events.threads import in_large_event_thread
from headwater.ingest.metrics import REFUSED, REQUEST_SECONDS
from headwater.ingest.read_event import cost_of
from headwater.ingest.request_times import RequestTimes

__all__ = ["IngestRoute", "is_ingest_path", "is_plain_event"]

_log = logging.getLogger(__name__)
_SINGLE = ("/api/v1/lineage", "/api/openlineage")
_BATCH = ("/api/v1/lineage/batch", "/api/openlineage/batch")
_AT_ONCE = 512
"""How many events of one batch wait to be written together."""
_LARGE = 64 << 10
"""A body beyond this does not take the short way."""
_RETRIABLE = {"overloaded", "rate_limited", "store_unavailable", "write_failed"}

_CREATED: dict[str, Any] = {"type": "http.response.start", "status": 201, "headers": [(b"content-length", b"0")]}
_EMPTY: dict[str, Any] = {"type": "http.response.body", "body": b""}


def is_ingest_path(path: str) -> bool:
    """Whatever a proxy put in front, and with or without a slash at the end: clients drop events on a redirect."""
    trimmed = path.rstrip("/")
    return trimmed == "" or trimmed.endswith(_SINGLE) or trimmed.endswith(_BATCH)


def is_plain_event(url: bytes, headers: Headers) -> bool:
    """Whether a POST there with these headers is one event, small and neither packed nor in another charset."""
    length = headers.get(b"content-length", b"")
    if not length.isdigit() or int(length) > _LARGE or is_packed(headers):
        return False
    return _is_one_event(url, headers.get(b"content-type", b""))


@lru_cache(maxsize=64)
def _is_one_event(url: bytes, content_type: bytes) -> bool:
    is_single = b"?" not in url and url.decode("latin-1").rstrip("/").endswith(_SINGLE)
    return is_single and not _is_ndjson({b"content-type": content_type})


class IngestRoute:
    """POST of one event, of an array, or of NDJSON."""

    def __init__(
        self,
        admission: Admission,
        authenticator: Authenticator,
        sites: Sites,
        limit: int,
        memory: BodyMemory,
        times: RequestTimes,
        limits: ConnectionLimits,
    ) -> None:
        self._admission = admission
        self._sites = sites
        self._authenticator = authenticator
        self._limit = limit
        self._memory = memory
        self._times = times
        self._limits = limits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        began = time.perf_counter()
        headers: Headers = dict(scope["headers"])
        sent = Sent(receive, headers, self._limit, self._memory)
        try:
            is_batch = scope["path"].rstrip("/").endswith(_BATCH) or _is_ndjson(headers)
            sender = await self._identify(scope, headers, sent, is_batch=is_batch)
            if is_batch:
                bodies = await self._events_of(sender, await self._body(sender, sent, headers), headers)
                self._admission.count(sender.tenant, sum(cost_of(body) for body in bodies if body is not None))
                await self._batch(sender, bodies, send)
            else:
                self._admission.count(sender.tenant, 1)
                body = await self._body(sender, sent, headers)
                self._admission.charge(sender.tenant, body)
                await self._single(sender, body)
                await send(_CREATED)
                await send(_EMPTY)
        except ClientGone:
            return
        except HeadwaterError as error:
            await self._admission.dead_letters_kept()
            await _answer(send, *error_body(error))
        except Exception:  # noqa: BLE001 - whatever it is, the client gets an answer and the log the details
            _log.exception("a request failed")
            failure = HeadwaterError("The server failed to handle this request.", hint="Its log has the details.")
            await _answer(send, *error_body(failure))
        finally:
            sent.release()
        self._took(began)

    def _took(self, began: float) -> None:
        seconds = time.perf_counter() - began
        REQUEST_SECONDS.observe(seconds)
        self._times.add(seconds)

    def try_small_event(self, headers: Headers, body: bytes, settle: Settle) -> bool:
        """Fast entry for one small event of a known sender; `settle` is called when it is durable.

        False if `__call__` must handle it; nothing was done then.
        """
        began, size, memory = time.perf_counter(), len(body), self._memory
        sender = self._authenticator.known(credentials_of(b"", headers))
        if sender is None or not sender.may(Role.WRITER) or memory.used + size > memory.most:
            return False
        if sender.networks:  # the address of the sender is looked at on the long way
            return False
        if sender.is_single_user and not self._sites.is_trusted("POST", headers):
            return False

        def settled(failure: HeadwaterError | None) -> None:
            memory.used -= size
            settle(failure)
            self._took(began)

        if not self._admission.try_admit(sender, body, settled):
            return False
        memory.used += size
        return True

    async def _identify(self, scope: Any, headers: Headers, sent: Sent, *, is_batch: bool) -> Identity:
        """Authenticates the sender by the head; then reads the body, which a gateway must have signed for."""
        try:
            who = await authenticate(self._authenticator, scope, headers, self._limits)
            if who.refusal is not None and not who.identity.may(Role.WRITER):
                raise who.refusal
            require(who.identity, Role.WRITER)
        except (Unauthenticated, Forbidden, TenantRefused) as error:
            REFUSED.labels(error.code, "none").inc()  # of nobody, or nobody who may send: not kept
            raise
        sender = who.identity
        sent.sender = sender_of(sender)
        if who.assertion is not None:
            body = await self._raw(sender, sent)
            try:
                await self._authenticator.confirm(who.assertion, body)
            except Unauthenticated as error:
                REFUSED.labels(error.code, "none").inc()
                raise
        if who.refusal is not None:
            await self._keep(sender, who.refusal, sent, headers, is_batch=is_batch)
            raise who.refusal
        return sender

    async def _keep(
        self, sender: Identity, refusal: TenantRefused, sent: Sent, headers: Headers, *, is_batch: bool
    ) -> None:
        """Keep a gateway's events for a tenant that cannot be determined, each as a dead letter."""
        body = await self._body(sender, sent, headers)
        for event in await self._events_of(sender, body, headers) if is_batch else [body]:
            if event is not None:
                self._admission.refuse(sender, refusal, event)

    async def _raw(self, sender: Identity, sent: Sent) -> bytes:
        """The body as sent."""
        try:
            return await sent.read()
        except Overloaded as refusal:
            self._admission.defer(sender.tenant, refusal)
            raise

    async def _body(self, sender: Identity, sent: Sent, headers: Headers) -> bytes:
        """The body of a request; one that cannot even be unpacked is a refused event too."""
        raw = b""
        try:
            raw = await sent.read()
            if is_packed(headers) and not is_tiny(raw, headers):  # so that others need not wait while it is unpacked
                body = await in_large_event_thread(decode_body, raw, headers, self._limit)
            else:
                body = decode_body(raw, headers, self._limit)
            if body is not raw:
                sent.hold(len(body))
        except Overloaded as refusal:
            self._admission.defer(sender.tenant, refusal)
            raise
        except HeadwaterError as refusal:
            self._admission.refuse(sender, refusal, raw)
            raise
        return body

    async def _events_of(self, sender: Identity, body: bytes, headers: Headers) -> list[bytes | None]:
        ndjson = _is_ndjson(headers)
        try:
            if len(body) > _LARGE:  # so that others need not wait meanwhile
                return await in_large_event_thread(split_batch, body, ndjson=ndjson)
            return split_batch(body, ndjson=ndjson)
        except HeadwaterError as refusal:
            self._admission.refuse(sender, refusal, body)
            raise

    async def _single(self, sender: Identity, body: bytes) -> None:
        try:
            written = await self._admission.admit(sender, body)
        except Overloaded as refusal:
            self._admission.defer(sender.tenant, refusal)
            raise
        await written

    async def _batch(self, sender: Identity, bodies: list[bytes | None], send: Any) -> None:
        """Every event for itself: one that is refused does not hold up the others."""
        events = [(index, body) for index, body in enumerate(bodies) if body is not None]
        failed: list[dict[str, Any]] = []
        waiting: list[tuple[list[int], asyncio.Future[dict[int, HeadwaterError]]]] = []
        done = 0
        while done < len(events):
            indexes, some = zip(*events[done : done + _AT_ONCE], strict=True)
            try:
                taken = await self._admission.admit_batch(sender, some)
            except Overloaded as refusal:
                if not waiting:
                    self._admission.defer(sender.tenant, refusal)
                    failed.append(_failure(indexes[0], refusal))
                    done += 1
                await _settle(waiting, failed)  # the queue may be full of the very batch that this is part of
                continue
            done += taken.count
            failed += [_failure(indexes[position], refusal) for position, refusal in taken.refused.items()]
            if taken.refused:  # now and not at the end: what is refused is held until it is kept
                await self._admission.dead_letters_kept()
            waiting.append(([indexes[position] for position in taken.queued], taken.written))
            if sum(len(places) for places, _ in waiting) >= _AT_ONCE:
                await _settle(waiting, failed)
        await _settle(waiting, failed)
        failed.sort(key=lambda item: int(item["index"]))
        received = len(events)
        status = "success" if not failed else "partial_success" if len(failed) < received else "failure"
        summary = {"received": received, "successful": received - len(failed), "failed": len(failed)}
        answer = {"status": status, "summary": summary, "failed_events": failed}
        await _answer(send, 200, msgspec.json.encode(answer), [(b"content-type", b"application/json")])


async def _settle(
    waiting: list[tuple[list[int], asyncio.Future[dict[int, HeadwaterError]]]], failed: list[dict[str, Any]]
) -> None:
    """Wait until these events are durable, or have failed."""
    for indexes, written in waiting:
        for position, error in (await written).items():
            failed.append(_failure(indexes[position], error))
    waiting.clear()


def _failure(index: int, error: HeadwaterError) -> dict[str, Any]:
    failure: dict[str, Any] = {"index": index, "reason": error.message, "retriable": error.code in _RETRIABLE}
    failure |= {"code": status_of(error), "error": error.code}
    if error.path:
        failure["path"] = error.path
    if error.hint:
        failure["hint"] = error.hint
    return failure


def _is_ndjson(headers: Headers) -> bool:
    content_type = headers.get(b"content-type", b"").lower()
    return b"ndjson" in content_type or b"jsonl" in content_type or b"json-seq" in content_type


async def _answer(send: Any, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
