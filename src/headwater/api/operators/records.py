"""Answers of routes for operators and health, as the reference of the API describes them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from headwater.api.openapi.query import Time
from headwater.lineage.answer.text_types import Instant

__all__ = [
    "DeadLetterAnswer",
    "DeadLetterEntity",
    "DeadLetterGroupQuery",
    "DeadLetterGroups",
    "DeadLetterList",
    "DeadLetterListQuery",
    "DeadLetterQuery",
    "HealthAnswer",
    "HomeAnswer",
    "KeyAnswer",
    "KeyList",
    "NewKeyAnswer",
    "PipelineAnswer",
    "Purged",
    "Retried",
    "RetryQuery",
    "StatusAnswer",
    "TenantAnswer",
    "TenantList",
]


class HomeAnswer(Struct):
    name: str
    version: str
    places: dict[str, str]


class HealthAnswer(Struct, omit_defaults=True):
    status: Literal["up", "down"]
    version: str | None = None
    checks: dict[str, str] | None = None
    reason: str | None = None


class LastMinute(Struct):
    requests_per_second: float
    p50_seconds: float | None
    p95_seconds: float | None
    p99_seconds: float | None


class Queued(Struct):
    events: int
    bytes: int


class PoolUse(Struct):
    in_use: int
    most: int


class Processes(Struct):
    processes: int
    ready: int
    questions: int


class StatusAnswer(Struct):
    process: int
    last_minute: LastMinute
    queued: Queued
    body_bytes: int
    pools: dict[str, PoolUse]
    query_processes: Processes | None


class LastBatch(Struct):
    events: int
    seconds: float
    events_per_second: float | None


class PipelineJob(Struct):
    job: str
    position: int
    batch: int
    events: int
    last_batch: LastBatch
    updated_at: Instant | None
    error: str | None
    error_at: Instant | None


class PipelineAnswer(Struct):
    lag_events: int | None
    lag_seconds: float | None
    fresh_until: Instant | None
    jobs: list[PipelineJob]


class TenantAnswer(Struct):
    id: int
    code: str
    name: str
    state: Literal["ACTIVE", "DISABLED"]
    rate: int | None
    burst: int | None


class TenantList(Struct):
    tenants: list[TenantAnswer]


class KeyAnswer(Struct):
    id: str
    tenant: str | None
    source: str
    roles: list[str]
    name: str
    state: Literal["ACTIVE", "EXPIRED", "REVOKED"]
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None
    last_used_at: Instant | None
    networks: list[str]
    """Networks from which it may be used; none for any."""


class NewKeyAnswer(KeyAnswer):
    key: str


class KeyList(Struct):
    keys: list[KeyAnswer]


class DeadLetterAnswer(Struct):
    id: str
    tenant: str | None
    key: str | None
    source: str
    received_at: Instant
    reason: str
    message: str
    path: str | None
    state: Literal["REFUSED", "TAKEN"]
    retried_at: Instant | None
    attempts: int


class DeadLetterEntity(DeadLetterAnswer):
    body: str


class DeadLetterList(Struct):
    dead_letters: list[DeadLetterAnswer]
    total: int


class DeadLetterGroup(Struct):
    reason: str
    source: str
    count: int
    first_at: Instant
    last_at: Instant
    example: DeadLetterAnswer | None


class DeadLetterGroups(Struct):
    groups: list[DeadLetterGroup]
    total: int


class Purged(Struct):
    purged: int


class Retried(Struct):
    taken: int
    refused: int


_State = Literal["refused", "taken", "any", "REFUSED", "TAKEN", "ANY"]


class DeadLetterQuery(Struct, kw_only=True):
    """Which dead letters are meant."""

    state: Annotated[_State, Meta(description="Still refused, taken by a retry, or either.")] = "refused"
    reason: Annotated[str, Meta(description="Code of the error.", examples=["invalid_json"])] | None = None
    source: Annotated[str, Meta(description="Who sent it.", examples=["SPARK"])] | None = None
    key: Annotated[str, Meta(description="Id of the key.")] | None = None
    since: Annotated[Time, Meta(description="Received at this time or later.")] | None = None
    until: Annotated[Time, Meta(description="Received before this time; of a day, to its end.")] | None = None


class DeadLetterListQuery(DeadLetterQuery, kw_only=True):
    limit: Annotated[int, Meta(ge=0, le=1000, description="How many at most.")] = 100
    offset: Annotated[int, Meta(ge=0, le=1 << 31, description="How many to leave out.")] = 0


class DeadLetterGroupQuery(DeadLetterQuery, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=100, description="How many groups at most.")] = 50


class RetryQuery(DeadLetterQuery, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=10_000, description="How many at most.")] = 10_000
