"""Requests and answers of routes of tasks, as the reference of the API describes them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from headwater.lineage.answer.text_types import Instant

__all__ = [
    "EXAMPLE",
    "BatchQuery",
    "Canceled",
    "ChangeQuery",
    "PausedModel",
    "Reset",
    "ResumeQuery",
    "Resumed",
    "TaskAnswer",
    "TaskBatch",
    "TaskBatches",
    "TaskEntity",
    "TaskList",
    "TaskQuery",
]

_State = Literal["PENDING", "RUNNING", "SUCCEEDED", "FAILED", "DEAD", "CANCELED"]
_ended = Literal["RUNNING", "SUCCEEDED", "FAILED", "CANCELED"]
_Limit = Annotated[int, Meta(ge=1, le=1000, description="How many at most.")]
_Cursor = Annotated[str, Meta(description="Where to go on: `next` of the page before.")]


class TaskAnswer(Struct):
    id: str
    type: str
    """EMBEDDING or SQL_SUMMARY."""
    resource_type: str
    """Label of the node."""
    resource_id: str
    resource: str | None
    """Id of the node, as `headwater assets show` takes it; None if it is gone."""
    content_hash: str
    """Of exactly the text that is embedded or summarised."""
    model: str
    """Fingerprint of the model."""
    state: _State
    attempts: int
    most_attempts: int
    priority: int
    next_run_at: Instant | None
    """Of a task that waits: when it may be claimed."""
    claim_until: Instant | None
    """Of a task that runs: when another worker takes it over, unless this one renews its lease."""
    last_error: str | None
    created_at: Instant
    updated_at: Instant


class Attempt(Struct):
    number: int
    worker: str
    batch: str
    batch_size: int
    state: _ended
    started_at: Instant
    finished_at: Instant | None
    milliseconds: int | None
    error_type: str | None
    error: str | None


class TaskEntity(TaskAnswer):
    history: list[Attempt]
    """Attempts, the newest first; those of tasks that succeeded are kept for 30 days."""


class PausedModel(Struct):
    model: str
    type: str
    since: Instant
    until: Instant | None
    """None: until somebody resumes or configures it."""
    reason: str
    message: str


class TaskList(Struct):
    tasks: list[TaskAnswer]
    next: str | None
    """`cursor` of the next page; None if this is the last one."""
    counts: dict[str, int]
    """All tasks of the tenant by state."""
    paused: list[PausedModel]


class TaskBatch(Struct):
    id: str
    type: str
    model: str
    worker: str
    planned: int
    succeeded: int
    failed: int
    state: Literal["RUNNING", "SUCCEEDED", "FAILED"]
    started_at: Instant
    finished_at: Instant | None


class TaskBatches(Struct):
    batches: list[TaskBatch]
    next: str | None


class Reset(Struct):
    retried: int


class Canceled(Struct):
    canceled: int


class Resumed(Struct):
    resumed: int


class _Which(Struct, kw_only=True):
    state: Annotated[tuple[_State, ...], Meta(description="In one of these states; may be given several times.")] = ()
    type: Annotated[str, Meta(description="Type of task.", examples=["EMBEDDING"])] | None = None
    model: Annotated[str, Meta(description="Fingerprint of the model.")] | None = None
    resource: Annotated[str, Meta(description="Id of the node, or `resource_id`.")] | None = None


class TaskQuery(_Which, kw_only=True):
    cursor: _Cursor | None = None
    limit: _Limit = 100


class ChangeQuery(_Which, kw_only=True):
    """Which tasks are changed."""

    limit: Annotated[int, Meta(ge=1, le=10_000, description="How many at most.")] = 10_000


class BatchQuery(Struct, kw_only=True):
    cursor: _Cursor | None = None
    limit: _Limit = 100


class ResumeQuery(Struct, kw_only=True):
    model: Annotated[str, Meta(description="Fingerprint of the model; all of the tenant if not given.")] | None = None


_TASK = {
    "id": "6gz9wdr8eaf1k",
    "type": "EMBEDDING",
    "resource_type": "Table",
    "resource_id": "8d1f0c3ab4e8497bb8f1d3a4d5e6f708",
    "resource": "postgres://db.example.com:5432:shop.public.orders",
    "content_hash": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "model": "openai:text-embedding-3-small:1",
    "state": "FAILED",
    "attempts": 2,
    "most_attempts": 6,
    "priority": 100,
    "next_run_at": "2026-01-31T02:05:00Z",
    "claim_until": None,
    "last_error": "outgoing_failed: models.example answered 500.",
    "created_at": "2026-01-31T01:58:00Z",
    "updated_at": "2026-01-31T02:00:00Z",
}
_BATCH = {
    "id": "6gz9wdr8eaf2m",
    "type": "EMBEDDING",
    "model": "openai:text-embedding-3-small:1",
    "worker": "host:4711:1f2e3d4c",
    "planned": 32,
    "succeeded": 31,
    "failed": 1,
    "state": "FAILED",
    "started_at": "2026-01-31T01:59:58Z",
    "finished_at": "2026-01-31T02:00:00Z",
}
_ATTEMPT = {
    "number": 2,
    "worker": "host:4711:1f2e3d4c",
    "batch": "6gz9wdr8eaf2m",
    "batch_size": 32,
    "state": "FAILED",
    "started_at": "2026-01-31T01:59:58Z",
    "finished_at": "2026-01-31T02:00:00Z",
    "milliseconds": 2000,
    "error_type": "outgoing_failed",
    "error": "models.example answered 500.",
}
_PAUSED = {
    "model": "openai:text-embedding-3-small:1",
    "type": "EMBEDDING",
    "since": "2026-01-31T02:00:00Z",
    "until": "2026-01-31T02:01:00Z",
    "reason": "rate_limited",
    "message": "models.example answered 429.",
}
EXAMPLE = {
    "list": {
        "tasks": [_TASK],
        "next": None,
        "counts": {"PENDING": 0, "RUNNING": 0, "SUCCEEDED": 812, "FAILED": 1, "DEAD": 0, "CANCELED": 0},
        "paused": [_PAUSED],
    },
    "task": {**_TASK, "history": [_ATTEMPT]},
    "batches": {"batches": [_BATCH], "next": None},
}
