"""Which HTTP status an error has, and the one JSON shape of all errors."""

from __future__ import annotations

from typing import Any

import msgspec

from headwater.access.errors import Forbidden, TenantConflict, TenantRefused, Unauthenticated
from headwater.api.operators.tenants.sync_process import SyncRunning
from headwater.api.query_process.pool import QuestionLost
from headwater.deadline import NobodyWaits, TooLargeAnswer, TooSlow
from headwater.emit.errors import BadOverlayAnswer, TooManyRequests, UnknownVersion, WrongEmitConfiguration
from headwater.errors import HeadwaterError
from headwater.ingest.errors import Overloaded, RateLimited, TooLarge, UnsupportedBody, WriteFailed
from headwater.lineage.by_hand.errors import EditConflict, WrongEdges
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.models.credentials import CredentialRefused
from headwater.models.errors import BudgetSpent, ModelFailed, ModelMissing, ModelRefused, WrongAnswer, WrongModel
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.policy.errors import WrongPolicy
from headwater.outgoing.errors import OutgoingFailed
from headwater.store.access.tenants import TenantExists
from headwater.store.assets.neo4j.server import GraphUnavailable
from headwater.store.assets.projection import ProjectionBusy
from headwater.store.dialects.failures import StoreUnavailable, TooLargeForStore

__all__ = [
    "STATUS",
    "BadRequest",
    "HeadTooLarge",
    "NotAllowed",
    "NotEmpty",
    "RequestTimeout",
    "UrlTooLong",
    "error_body",
    "status_of",
]


class NotAllowed(HeadwaterError):
    code = "not_allowed"


class NotEmpty(HeadwaterError):
    """There are events already, which invented ones must not be mixed with."""

    code = "not_empty"


class BadRequest(HeadwaterError):
    """The request cannot be read."""

    code = "bad_request"


class RequestTimeout(HeadwaterError):
    """The client did not send its request in time."""

    code = "request_timeout"


class UrlTooLong(HeadwaterError):
    code = "url_too_long"


class HeadTooLarge(HeadwaterError):
    code = "head_too_large"


STATUS: dict[type[HeadwaterError], int] = {
    RefusedEvent: 400,
    BadQuestion: 400,
    WrongPolicy: 400,
    Unauthenticated: 401,
    Forbidden: 403,
    TenantRefused: 403,
    NodeNotFound: 404,
    NotAllowed: 405,
    TenantConflict: 409,
    EditConflict: 412,
    TenantExists: 409,
    SyncRunning: 409,
    NotEmpty: 409,
    TooLarge: 413,
    TooLargeForStore: 413,
    RequestTimeout: 408,
    UrlTooLong: 414,
    UnsupportedBody: 415,
    HeadTooLarge: 431,
    BadRequest: 400,
    RateLimited: 429,
    WriteFailed: 500,
    OutgoingFailed: 502,
    WrongEmitConfiguration: 400,
    UnknownVersion: 404,
    TooManyRequests: 429,
    BadOverlayAnswer: 502,
    WrongModel: 400,
    ModelMissing: 404,
    CredentialRefused: 403,
    BudgetSpent: 429,
    ModelFailed: 502,
    ModelRefused: 502,
    WrongAnswer: 502,
    NobodyWaits: 503,
    QuestionLost: 503,
    Overloaded: 503,
    StoreUnavailable: 503,
    ProjectionBusy: 503,
    GraphUnavailable: 503,
    TooSlow: 504,
    TooLargeAnswer: 507,
}

_RETRY_AFTER = 1


def status_of(error: HeadwaterError) -> int:
    """The nearest registered ancestor decides."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def error_body(error: HeadwaterError) -> tuple[int, bytes, list[tuple[bytes, bytes]]]:
    """Status, body and extra headers of an error."""
    status = status_of(error)
    members: dict[str, Any] = {"code": status, "error": error.code, "message": error.message}
    if error.path is not None:
        members["path"] = error.path
    if error.hint is not None:
        members["hint"] = error.hint
    if isinstance(error, WrongEdges):
        members["errors"] = error.shown
        members["errors_total"] = len(error.problems)
    headers = [(b"content-type", b"application/json")]
    if status in (429, 503):
        wait = error.retry_after if isinstance(error, RateLimited) else _RETRY_AFTER
        headers.append((b"retry-after", str(wait).encode()))
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="headwater"'))
    return status, msgspec.json.encode(members), headers
