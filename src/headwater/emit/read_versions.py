"""Reads versions that are due from their overlays, and puts their events into the outbox."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex

import msgspec

from headwater.emit.answers import VersionState
from headwater.emit.back_off import back_off
from headwater.emit.configuration import Overlay
from headwater.emit.errors import UnknownVersion, WrongEmitConfiguration
from headwater.emit.events import event_body, hash_of
from headwater.emit.metrics import bundle_fetch
from headwater.emit.overlay_client import OverlayBusy, OverlayClient
from headwater.emit.secrets import access_of
from headwater.emit.steps import Course, course_of
from headwater.errors import HeadwaterError
from headwater.ingest.metrics import tenant_label
from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.send import Outgoing
from headwater.store.emit.outbox import EmitOutbox, EmitProgress, NewEvent
from headwater.store.emit.versions import DONE, FAILED, WAITING, WATCHED, EmitVersions, VersionRow
from headwater.store.write.log import Tenant

__all__ = ["VersionReader"]

_log = logging.getLogger(__name__)
_AT_ONCE = 32
_LEASE = 120_000_000
_MOST_ATTEMPTS = 10
_LONGEST_PAUSE = 3_600
_SECOND = 1_000_000
_AGEING = 20
"""A version that has been watched for long is looked at every twentieth of that time."""


class VersionReader:
    """Safe to use from many threads and processes: leases see to it that each version is read by one."""

    def __init__(
        self, versions: EmitVersions, outbox: EmitOutbox, outgoing: Outgoing, secrets: str, threads: int = 8
    ) -> None:
        self._versions, self._outbox, self._outgoing, self._secrets = versions, outbox, outgoing, secrets
        self._pool = ThreadPoolExecutor(threads, "headwater-overlay")

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def read_due(self, tenant: Tenant, overlays: Mapping[str, Overlay], sinks: Collection[str]) -> int:
        """Read some of the versions that are due; gives how many."""
        if not self._versions.is_due(tenant.id):
            return 0
        token = token_hex(16)
        rows = self._versions.claim(tenant.id, token, _AT_ONCE, _LEASE)
        list(self._pool.map(lambda row: self._read(tenant, overlays.get(row.overlay), sinks, row, token), rows))
        return len(rows)

    def _read(
        self, tenant: Tenant, overlay: Overlay | None, sinks: Collection[str], row: VersionRow, token: str
    ) -> None:
        events: list[NewEvent] = []
        try:
            course, events = self._course(tenant, overlay, row)
            then = _progress(overlay.poll_seconds if overlay else 0, row, course)
        except HeadwaterError as error:
            then = _after_failure(row, error)
        except Exception:  # noqa: BLE001 - a defect; the version must not be tried for ever
            _log.exception("a version could not be read", extra={"overlay": row.overlay})
            then = _after_failure(row, HeadwaterError("A defect; the server's log has the details."))
        self._outbox.finish(tenant.id, row, token, events, sinks, then)

    def _course(self, tenant: Tenant, overlay: Overlay | None, row: VersionRow) -> tuple[Course, list[NewEvent]]:
        if overlay is None:
            raise WrongEmitConfiguration(f"There is no overlay {row.overlay!r} any more.")
        client = OverlayClient(overlay, self._outgoing, access_of(overlay, tenant.code, self._secrets))
        began = time.monotonic()
        bundle, members = client.bundle(row.version_id)
        bundle_fetch.observe((tenant_label(tenant.code), overlay.name), (time.monotonic() - began) * 1_000)
        ready = client.ready(row.version_id) if overlay.ready else None
        course = course_of(overlay, bundle, ready, _known(row), row.confs, time.time_ns() // 1_000)
        content = hash_of(overlay, members)
        return course, [
            NewEvent(step.key, step.time, event_body(overlay, bundle, content, step)) for step in course.steps
        ]


def _known(row: VersionRow) -> Sequence[VersionState]:
    return msgspec.json.decode(row.states, type=tuple[VersionState, ...]) if row.states else ()


def _progress(poll_seconds: int, row: VersionRow, course: Course) -> EmitProgress:
    state = WAITING if course.is_waiting else DONE if course.is_settled else WATCHED
    states = msgspec.json.encode(course.states).decode()
    is_shown = any(step.kind == "recall" for step in course.steps)
    if row.recall_wanted and not is_shown and not course.is_waiting:
        error = HeadwaterError("The overlay told of a recall that its bundle does not show.")
        failed = _after_failure(row, error)
        if failed.state != FAILED:
            return EmitProgress(state, failed.due_in, course.confs, states, error.message, failed.attempts, True)
        return EmitProgress(state, _pause(poll_seconds, row, state), course.confs, states, error.message)
    return EmitProgress(
        state, _pause(poll_seconds, row, state), course.confs, states, None, 0, bool(row.recall_wanted and not is_shown)
    )


def _pause(poll_seconds: int, row: VersionRow, state: str) -> int | None:
    """Until the next look; longer, the longer a version is being watched."""
    if state == DONE:
        return None
    age = max(0, time.time_ns() // 1_000 - row.requested_at) // _SECOND
    return min(max(poll_seconds, age // _AGEING), max(_LONGEST_PAUSE, poll_seconds)) * _SECOND


def _after_failure(row: VersionRow, error: HeadwaterError) -> EmitProgress:
    """An overlay that does not answer is retried for ever; an invalid answer, ten times."""
    attempts = row.attempts + 1
    is_away = isinstance(error, (OutgoingFailed, OverlayBusy))
    at_least = error.retry_after if isinstance(error, OverlayBusy) else 0
    has_failed = attempts >= _MOST_ATTEMPTS and not is_away
    if isinstance(error, UnknownVersion | WrongEmitConfiguration):
        _log.info("a version could not be read", extra={"overlay": row.overlay, "reason": error.message})
    return EmitProgress(
        FAILED if has_failed else row.state,
        None if has_failed else back_off(attempts, at_least=at_least),
        row.confs,
        row.states,
        error.message,
        attempts,
        bool(row.recall_wanted) and not has_failed,
    )
