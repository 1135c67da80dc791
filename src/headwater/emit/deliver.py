"""Sends events of the outbox to sinks, those of a version in their order, and notes how it went."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex

import msgspec
from msgspec import Struct

from headwater.emit.back_off import back_off
from headwater.emit.configuration import Sink
from headwater.emit.errors import WrongEmitConfiguration
from headwater.emit.metrics import REORG_FLAGS, RETRIED, SENT, end_to_end
from headwater.emit.overlay_client import Access, seconds_of
from headwater.emit.secrets import access_of
from headwater.ingest.metrics import tenant_label
from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.send import Outgoing
from headwater.store.emit.outbox import EmitOutbox, OutboxEvent
from headwater.store.emit.peers import ACTIVE, EmitPeers, SinkRow
from headwater.store.write.log import Tenant
from headwater.token_buckets import TokenBuckets

__all__ = ["Delivery", "DeliveryOutcome", "Own"]

_AT_ONCE = 64
_LEASE = 180_000_000
_MOST_ATTEMPTS = 10
_ANSWER_BYTES = 1 << 20
_DEFAULT_WAIT = 5
_SECOND = 1_000_000
_HOPELESS = ("url", "address", "redirect")
"""Failures that only another configuration mends."""


class DeliveryOutcome(Struct, frozen=True):
    """Result for one event: the status of the answer, 0 for none."""

    status: int
    message: str = ""
    retry_after: int = 0
    is_hopeless: bool = False


Own = Callable[[Tenant, Sequence[bytes]], Sequence[DeliveryOutcome]]
"""Takes events into Headwater itself."""


class Delivery:
    """Safe to use from many threads and processes: leases see to it that each event is sent by one at a time."""

    def __init__(
        self, peers: EmitPeers, outbox: EmitOutbox, outgoing: Outgoing, secrets: str, own: Own, threads: int = 8
    ) -> None:
        self._peers, self._outbox, self._outgoing = peers, outbox, outgoing
        self._secrets, self._own = secrets, own
        self._pool = ThreadPoolExecutor(threads, "headwater-sink")
        self._rates = TokenBuckets()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def send_due(self, tenant: Tenant, row: SinkRow) -> int:
        """Send some of the events that are due; gives how many the sink took or were settled otherwise."""
        if row.state != ACTIVE or row.due_at > time.time_ns() // 1_000 or not self._outbox.is_due(tenant.id, row.name):
            return 0
        sink = msgspec.json.decode(row.configuration, type=Sink)
        token, key = token_hex(16), (tenant.id, sink.name)
        # After failures one event finds out whether the sink takes events again.
        at_once = 1 if row.failures else _AT_ONCE
        if sink.rate:
            at_once = min(at_once, int(self._rates.left(key, sink.rate, sink.rate)))
        claimed = self._outbox.claim(tenant.id, sink.name, token, at_once, _LEASE) if at_once > 0 else []
        if not claimed:
            return 0
        if sink.rate:
            self._rates.charge(key, sink.rate, sink.rate, len(claimed))
        try:
            outcomes = self._send(tenant, sink, [body for _, body in claimed])
        except WrongEmitConfiguration as error:
            outcomes = [DeliveryOutcome(0, error.message, is_hopeless=True)] * len(claimed)
        return self._note(tenant, row, token, [event for event, _ in claimed], outcomes)

    def _send(self, tenant: Tenant, sink: Sink, bodies: Sequence[bytes]) -> Sequence[DeliveryOutcome]:
        if sink.kind == "headwater":
            return self._own(tenant, bodies)
        access = access_of(sink, tenant.code, self._secrets)
        return list(self._pool.map(lambda body: self._post(sink, access, body), bodies))

    def _post(self, sink: Sink, access: Access, body: bytes) -> DeliveryOutcome:
        headers = {"content-type": "application/json", "accept": "application/json", **access.headers()}
        try:
            answer = self._outgoing.send(
                "POST",
                sink.endpoint,
                headers=headers,
                body=body,
                seconds=sink.seconds,
                max_bytes=_ANSWER_BYTES,
                tls=access.tls,
            )
        except OutgoingFailed as error:
            return DeliveryOutcome(0, error.message, is_hopeless=error.reason in _HOPELESS)
        after = seconds_of(answer.headers.get("retry-after"))
        return DeliveryOutcome(answer.status, f"It answered {answer.status}.", after)

    def _note(
        self,
        tenant: Tenant,
        row: SinkRow,
        token: str,
        events: Sequence[OutboxEvent],
        outcomes: Sequence[DeliveryOutcome],
    ) -> int:
        labels = (tenant_label(tenant.code), row.name)
        now, sent, back, held = time.time_ns() // 1_000, [], [], 0
        for event, outcome in zip(events, outcomes, strict=True):
            if 200 <= outcome.status < 300:
                sent.append(event)
                SENT.labels(*labels).inc()
                end_to_end.observe(labels, max(0, now - event.requested_at) / 1_000)
                if event.step.startswith(("unstable", "stable")):
                    REORG_FLAGS.labels(*labels).inc()
            elif outcome.status in (401, 403) or outcome.is_hopeless:
                self._peers.pause(tenant.id, row.name, outcome.message)
                back.append(event)
            elif outcome.status == 429:
                held = max(held, outcome.retry_after * _SECOND or back_off(row.failures + 1, first=_DEFAULT_WAIT))
                back.append(event)
            elif 400 <= outcome.status < 500:
                self._outbox.failed(tenant.id, row.name, token, event, str(outcome.status), outcome.message, None)
            else:
                held = max(held, back_off(row.failures + 1, at_least=outcome.retry_after))
                self._again(tenant, row, token, event, outcome, labels)
        if sent:
            self._outbox.sent(tenant.id, row.name, token, sent)
        if back:
            self._outbox.give_back(tenant.id, row.name, token, back)
        if held:
            self._peers.hold(tenant.id, row.name, held, next(one.message for one in outcomes if one.status // 100 != 2))
        elif row.failures:
            self._peers.succeeded(tenant.id, row.name)
        return len(events) - len(back)

    def _again(
        self,
        tenant: Tenant,
        row: SinkRow,
        token: str,
        event: OutboxEvent,
        outcome: DeliveryOutcome,
        labels: tuple[str, str],
    ) -> None:
        reason = str(outcome.status) if outcome.status else "network"
        is_last = event.attempts + 1 >= _MOST_ATTEMPTS
        retry_in = None if is_last else back_off(event.attempts + 1)
        if not is_last:
            RETRIED.labels(*labels).inc()
        self._outbox.failed(tenant.id, row.name, token, event, reason, outcome.message, retry_in)
