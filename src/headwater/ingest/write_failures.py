"""Errors of a write, for the sender and for the metrics."""

from __future__ import annotations

import logging

from prometheus_client import Counter

from headwater.errors import HeadwaterError
from headwater.ingest.errors import WriteFailed
from headwater.ingest.metrics import DEFERRED, REFUSED, tenant_label
from headwater.store.assets.neo4j.server import GraphUnavailable
from headwater.store.dialects.failures import StoreUnavailable, TooLargeForStore, reason_of
from headwater.store.write.log import Entry

__all__ = ["count_failure", "explain", "not_followed", "unavailable"]

_log = logging.getLogger(__name__)


def unavailable(error: Exception) -> StoreUnavailable:
    """Answer to a sender while the database does not accept writes."""
    _log.error("the store does not take writes", extra={"reason": reason_of(error)})
    return StoreUnavailable(
        "The event could not be stored: the database does not take writes now.",
        hint="Send it again after the time in Retry-After.",
    )


def not_followed(error: Exception) -> HeadwaterError:
    """Answer to a sender while the graph server lacks events that are in the log already."""
    if isinstance(error, GraphUnavailable):
        _log.error("the graph server does not follow", extra={"reason": error.message})
        return error
    _log.error("the asset graph could not be brought up to date", exc_info=error)
    return GraphUnavailable(
        "The event is in the log, but not in the asset graph yet.",
        hint="Send it again after the time in Retry-After; the log of Headwater says more.",
    )


def explain(entry: Entry, error: Exception) -> HeadwaterError:
    """Why the store did not take this one event."""
    fingerprint = entry.event.fingerprint.hex()
    if isinstance(error, HeadwaterError):
        _log.error("an event could not be written", extra={"reason": error.message, "fingerprint": fingerprint})
        return error
    _log.error("an event could not be written", exc_info=error, extra={"fingerprint": fingerprint})
    return WriteFailed(
        f"The event could not be stored (fingerprint {fingerprint}).",
        hint="This is a defect of Headwater; its log has the details under this fingerprint.",
    )


def count_failure(failure: HeadwaterError, code: str) -> None:
    """An event that the database never accepts is refused; for other failures it may be sent again."""
    counter: Counter = REFUSED if isinstance(failure, TooLargeForStore) else DEFERRED
    counter.labels(failure.code, tenant_label(code)).inc()
