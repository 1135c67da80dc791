"""The overlay adapter of a server: configuration, requests of versions, and rounds of its work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import msgspec

from headwater.emit.check import CheckPage, check_page
from headwater.emit.configuration import Overlay, Sink, check_overlay, check_sink, check_version_id
from headwater.emit.deliver import Delivery, Own
from headwater.emit.errors import TooManyRequests, WrongEmitConfiguration
from headwater.emit.metrics import DLQ_SIZE, PENDING
from headwater.emit.overlay_client import OverlayClient
from headwater.emit.read_versions import VersionReader
from headwater.emit.secrets import access_of
from headwater.ingest.metrics import tenant_label
from headwater.outgoing.send import Outgoing
from headwater.store.emit import outbox as outbox_states
from headwater.store.emit.outbox import EmitOutbox
from headwater.store.emit.peers import EmitPeers
from headwater.store.emit.versions import REQUESTED, EmitVersions
from headwater.store.write.log import Tenant

__all__ = ["Emitter"]

_MOST_OVERLAYS = 16
_MOST_SINKS = 16
_MOST_REQUESTED = 100_000
_COUNT_SECONDS = 1.0
_MOST_PAGES = 10_000
_SECOND = 1_000_000


class Emitter:
    """Used by routes and by the worker. Safe to use from many threads."""

    def __init__(
        self,
        peers: EmitPeers,
        versions: EmitVersions,
        outbox: EmitOutbox,
        outgoing: Outgoing,
        own: Own,
        secrets: str = "",
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self.peers, self.versions, self.outbox = peers, versions, outbox
        self._outgoing, self._secrets, self._wake = outgoing, secrets, wake
        self._reader = VersionReader(versions, outbox, outgoing, secrets)
        self._delivery = Delivery(peers, outbox, outgoing, secrets, own)
        self._counted: dict[int, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        self._reader.close()
        self._delivery.close()

    # --- configuration -----------------------------------------------------------------------------------------------

    def overlays(self, tenant: int) -> dict[str, Overlay]:
        rows = self.peers.overlays(tenant)
        return {row.name: msgspec.json.decode(row.configuration, type=Overlay) for row in rows}

    def sinks(self, tenant: int) -> dict[str, Sink]:
        return {row.name: msgspec.json.decode(row.configuration, type=Sink) for row in self.peers.sinks(tenant)}

    def overlay(self, tenant: int, name: str | None) -> Overlay:
        """The overlay of this name, or the only one."""
        known = self.overlays(tenant)
        if name is not None and name in known:
            return known[name]
        if name is None and len(known) == 1:
            return next(iter(known.values()))
        names = ", ".join(sorted(known)) or "none"
        raise WrongEmitConfiguration(
            f"There is no overlay {name[:100]!r}." if name is not None else "It is not clear which overlay is meant.",
            path="$.overlay",
            hint=f"Configured are: {names}. `headwater emit overlay add` configures one.",
        )

    def of_namespace(self, tenant: int, namespace: str) -> Overlay | None:
        """The overlay whose datasets are in this namespace."""
        return self.overlays(tenant).get(namespace.removeprefix("overlay:")) if namespace[:8] == "overlay:" else None

    def client(self, tenant: Tenant, overlay: Overlay) -> OverlayClient:
        return OverlayClient(overlay, self._outgoing, access_of(overlay, tenant.code, self._secrets))

    def put_overlay(self, tenant: Tenant, overlay: Overlay) -> None:
        check_overlay(overlay)
        self._outgoing.check(overlay.url)
        access_of(overlay, tenant.code, self._secrets)
        _check_count(overlay.name, self.overlays(tenant.id), _MOST_OVERLAYS, "overlays")
        due = time.time_ns() // 1_000 + overlay.check_seconds * _SECOND if overlay.check_seconds else None
        self.peers.put_overlay(tenant.id, overlay.name, msgspec.json.encode(overlay).decode(), due)
        self._wake()

    def put_sink(self, tenant: Tenant, sink: Sink) -> None:
        check_sink(sink)
        if sink.kind != "headwater":
            self._outgoing.check(sink.endpoint)
        access_of(sink, tenant.code, self._secrets)
        _check_count(sink.name, self.sinks(tenant.id), _MOST_SINKS, "sinks")
        self.peers.put_sink(tenant.id, sink.name, msgspec.json.encode(sink).decode())
        self._wake()

    def resume(self, tenant: int, sink: str) -> bool:
        """Let a paused sink have its events again."""
        resumed = self.peers.resume(tenant, sink)
        self._wake()
        return resumed

    def retry(self, tenant: int, sink: str | None = None, version: bytes | None = None, step: str | None = None) -> int:
        """Have dead letters sent again; gives how many."""
        retried = self.outbox.retry(tenant, sink, version, step)
        self._wake()
        return retried

    # --- requests ----------------------------------------------------------------------------------------------------

    def request(
        self, tenant: int, overlay: str | None, version_ids: Sequence[str], *, is_recall: bool = False
    ) -> Overlay:
        """Have versions read and emitted; durable when this returns."""
        found = self.overlay(tenant, overlay)
        for version_id in version_ids:
            check_version_id(version_id)
        if self._requested(tenant) + len(version_ids) > _MOST_REQUESTED:
            raise TooManyRequests(
                f"{_MOST_REQUESTED:,} versions of this tenant wait to be read.",
                hint="Send it again later. Does the overlay answer? See GET /api/v2/emit/versions.",
            )
        self.versions.request(tenant, found.name, version_ids, is_recall=is_recall)
        self._wake()
        return found

    def _requested(self, tenant: int) -> int:
        with self._lock:
            at, count = self._counted.get(tenant, (float("-inf"), 0))
        now = time.monotonic()
        if now - at > _COUNT_SECONDS:
            count = self.versions.count(tenant, REQUESTED)
            with self._lock:
                self._counted[tenant] = (now, count)
        return count

    # --- work --------------------------------------------------------------------------------------------------------

    def read_round(self, tenant: Tenant) -> int:
        """Read some of the versions that are due."""
        return self._reader.read_due(tenant, self.overlays(tenant.id), list(self.sinks(tenant.id)))

    def send_round(self, tenant: Tenant) -> int:
        """Send some of the events that are due, to each sink."""
        return sum(self._delivery.send_due(tenant, row) for row in self.peers.sinks(tenant.id))

    def check(self, tenant: Tenant, name: str | None, after: str | None, *, repair: bool) -> CheckPage:
        """Compare one page of an overlay's listings with the emitted events."""
        overlay = self.overlay(tenant.id, name)
        sinks, client = list(self.sinks(tenant.id)), self.client(tenant, overlay)
        page = check_page(tenant.id, overlay, client, self.versions, self.outbox, sinks, after, repair=repair)
        if repair and page.missing:
            self._wake()
        return page

    def check_due(self, tenant: Tenant, is_over: Callable[[], bool]) -> int:
        """Compare and repair all overlays that are due; gives the number of missing versions."""
        missing = 0
        for overlay in self.overlays(tenant.id).values():
            if not overlay.check_seconds or not self.peers.take_check(
                tenant.id, overlay.name, overlay.check_seconds * _SECOND
            ):
                continue
            found, after = CheckPage(0, 0, 0, 0, 0, 0, 0, [], None), None
            for _ in range(_MOST_PAGES):
                page = self.check(tenant, overlay.name, after, repair=True)
                found, after = _added(found, page), page.next
                if after is None or is_over():
                    break
            self.peers.checked(tenant.id, overlay.name, msgspec.json.encode(found).decode())
            missing += found.missing
        return missing

    def measure(self, tenant: Tenant) -> None:
        """Set the gauges of waiting events and dead letters."""
        counts, label = self.outbox.count_unsettled(tenant.id), tenant_label(tenant.code)
        for sink in self.sinks(tenant.id):
            DLQ_SIZE.labels(label, sink).set(counts.get((sink, outbox_states.DEAD), 0))
            PENDING.labels(label, sink).set(counts.get((sink, outbox_states.PENDING), 0))


def _added(one: CheckPage, other: CheckPage) -> CheckPage:
    numbers = ("versions", "missing", "failed", "requested", "waiting", "unsent", "dead")
    sums = {name: getattr(one, name) + getattr(other, name) for name in numbers}
    return CheckPage(**sums, examples=(one.examples + other.examples)[:20], next=other.next)


def _check_count(name: str, known: dict[str, Overlay] | dict[str, Sink], most: int, what: str) -> None:
    if name not in known and len(known) >= most:
        raise WrongEmitConfiguration(f"A tenant has at most {most} {what}.", path="$.name", hint="Remove one first.")
