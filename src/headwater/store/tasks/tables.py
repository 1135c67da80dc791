"""Tables of tasks, their attempts and batches, and of the notes that tasks are made from.

Names of the first three and of their columns are those of the specification; times are microseconds as everywhere.
"""

from __future__ import annotations

import sqlalchemy as sa

from headwater.store.dialects.types import binary, integer, text, word
from headwater.store.tables import metadata

__all__ = ["task_attempts", "task_batches", "task_models", "task_notes", "task_tenants", "tasks"]

tasks = sa.Table(
    "ol_async_task",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=False),
    sa.Column("task_type", word(32), nullable=False),
    sa.Column("tenant_id", integer(), nullable=False),
    sa.Column("tenant_code", word(64), nullable=False),
    sa.Column("resource_type", word(32), nullable=False),
    sa.Column("resource_id", word(128), nullable=False),
    sa.Column("content_hash", word(64), nullable=False),
    sa.Column("model_fingerprint", word(256), nullable=False),
    sa.Column("status", word(16), nullable=False),
    sa.Column("priority", integer(), nullable=False),
    sa.Column("retry_count", integer(), nullable=False),
    sa.Column("max_retry", integer(), nullable=False),
    sa.Column("next_run_at", integer(), nullable=False),
    sa.Column("claim_token", word(64)),
    sa.Column("claim_until", integer()),
    sa.Column("last_error", text()),
    sa.Column("created_at", integer(), nullable=False),
    sa.Column("updated_at", integer(), nullable=False),
    sa.Index(
        "uq_task_dedup",
        "tenant_id",
        "task_type",
        "resource_type",
        "resource_id",
        "model_fingerprint",
        "content_hash",
        unique=True,
    ),
    sa.Index("ix_task_claim", "tenant_id", "task_type", "model_fingerprint", "status", "priority", "id"),
    sa.Index("ix_task_due", "status", "next_run_at"),
    sa.Index("ix_task_list", "tenant_id", "status", "id"),
    mysql_charset="utf8mb4",
)
"""`retry_count` counts attempts, each when it is claimed. `next_run_at` of a RUNNING task is the end of its lease."""

task_attempts = sa.Table(
    "ol_async_task_attempt",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=True),
    sa.Column("tenant_id", integer(), nullable=False),
    sa.Column("task_id", integer(), nullable=False),
    sa.Column("attempt_no", integer(), nullable=False),
    sa.Column("worker_id", word(64), nullable=False),
    sa.Column("started_at", integer(), nullable=False),
    sa.Column("finished_at", integer()),
    sa.Column("status", word(16), nullable=False),
    sa.Column("batch_no", word(64), nullable=False),
    sa.Column("input_size", integer(), nullable=False),
    sa.Column("latency_ms", integer()),
    sa.Column("error_type", word(128)),
    sa.Column("error_message", text()),
    sa.Column("created_at", integer()),
    sa.Index("ix_attempt_task", "tenant_id", "task_id", "id"),
    sa.Index("ix_attempt_batch", "tenant_id", "batch_no"),
    sqlite_autoincrement=True,
    mysql_charset="utf8mb4",
)

task_batches = sa.Table(
    "ol_async_batch",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=False),
    sa.Column("batch_no", word(64), nullable=False),
    sa.Column("task_type", word(32), nullable=False),
    sa.Column("tenant_id", integer(), nullable=False),
    sa.Column("model_fingerprint", word(256), nullable=False),
    sa.Column("worker_id", word(64), nullable=False),
    sa.Column("planned_size", integer(), nullable=False),
    sa.Column("success_count", integer(), nullable=False),
    sa.Column("failed_count", integer(), nullable=False),
    sa.Column("started_at", integer(), nullable=False),
    sa.Column("finished_at", integer()),
    sa.Column("status", word(16), nullable=False),
    sa.Column("created_at", integer()),
    sa.Index("uq_batch_no", "tenant_id", "batch_no", unique=True),
    sa.Index("ix_batch_tenant_id", "tenant_id", "id"),
    mysql_charset="utf8mb4",
)

task_tenants = sa.Table(
    "task_tenant",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("since", integer(), nullable=False),
    mysql_charset="utf8mb4",
)
"""A row for each tenant with a model: changes of that tenant are noted."""

task_notes = sa.Table(
    "task_pending",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=True),
    sa.Column("tenant", integer(), nullable=False),
    sa.Column("kind", integer(), nullable=False),
    sa.Column("node", binary(16), nullable=False),
    sa.Index("ix_task_pending_tenant_id", "tenant", "id"),
    sqlite_autoincrement=True,
    mysql_charset="utf8mb4",
)
"""Notes that tasks are still to be made from. Rows are appended, so that no change in the meantime is lost."""

task_models = sa.Table(
    "task_model",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("task_type", word(32), primary_key=True),
    sa.Column("fingerprint", word(256), primary_key=True),
    sa.Column("paused_at", integer()),
    sa.Column("paused_until", integer()),
    sa.Column("reason", word(64)),
    sa.Column("message", text()),
    mysql_charset="utf8mb4",
)
"""Models that a tenant has tasks for, and which of them are paused: `paused_at` is set; no `paused_until`: by hand."""
