"""Tasks: work after the commit, its attempts and batches, and the notes that it is made from.

Revision ID: 0025
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text, word

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.create_table(
        "ol_async_task",
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
        mysql_charset="utf8mb4",
    )
    _index("ol_async_task", "ix_task_claim", "tenant_id task_type model_fingerprint status priority id")
    _index("ol_async_task", "ix_task_due", "status next_run_at")
    _index("ol_async_task", "ix_task_list", "tenant_id status id")
    dedup = "tenant_id task_type resource_type resource_id model_fingerprint content_hash"
    _index("ol_async_task", "uq_task_dedup", dedup, unique=True)
    op.create_table(
        "ol_async_task_attempt",
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
        sqlite_autoincrement=True,
        mysql_charset="utf8mb4",
    )
    _index("ol_async_task_attempt", "ix_attempt_task", "tenant_id task_id id")
    _index("ol_async_task_attempt", "ix_attempt_batch", "tenant_id batch_no")
    op.create_table(
        "ol_async_batch",
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
        mysql_charset="utf8mb4",
    )
    _index("ol_async_batch", "uq_batch_no", "tenant_id batch_no", unique=True)
    _index("ol_async_batch", "ix_batch_tenant_id", "tenant_id id")
    _small_tables()


def _small_tables() -> None:
    op.create_table(
        "task_tenant",
        sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
        sa.Column("since", integer(), nullable=False),
        mysql_charset="utf8mb4",
    )
    op.create_table(
        "task_pending",
        sa.Column("id", integer(), primary_key=True, autoincrement=True),
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("kind", integer(), nullable=False),
        sa.Column("node", binary(16), nullable=False),
        sqlite_autoincrement=True,
        mysql_charset="utf8mb4",
    )
    _index("task_pending", "ix_task_pending_tenant_id", "tenant id")
    op.create_table(
        "task_model",
        sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
        sa.Column("task_type", word(32), primary_key=True),
        sa.Column("fingerprint", word(256), primary_key=True),
        sa.Column("paused_at", integer()),
        sa.Column("paused_until", integer()),
        sa.Column("reason", word(64)),
        sa.Column("message", text()),
        mysql_charset="utf8mb4",
    )


def _index(table: str, name: str, columns: str, *, unique: bool = False) -> None:
    op.create_index(name, table, columns.split(), unique=unique)


def downgrade() -> None:
    for name in (
        "task_model",
        "task_pending",
        "task_tenant",
        "ol_async_batch",
        "ol_async_task_attempt",
        "ol_async_task",
    ):
        op.drop_table(name)
