"""Derived tables, and how far each job of the pipeline is.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text, word

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "run_summary",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("run", binary(16), nullable=False),
        sa.Column("inside", binary(16)),
        sa.Column("parent", binary(16)),
        sa.Column("job", binary(16)),
        sa.Column("day", integer()),
        sa.Column("status", integer()),
        sa.Column("duration", integer()),
        sa.Column("first_seen", integer()),
        sa.Column("ended_at", integer()),
        sa.PrimaryKeyConstraint("tenant", "run"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_run_summary_inside", "run_summary", ["tenant", "inside"])
    op.create_index("ix_run_summary_job_day", "run_summary", ["tenant", "job", "day"])
    op.create_table(
        "run_total",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("run", binary(16), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("role", integer(), nullable=False),
        sa.Column("job", binary(16)),
        sa.Column("rows", integer()),
        sa.Column("bytes", integer()),
        sa.Column("files", integer()),
        sa.Column("types", integer()),
        sa.Column("schema", binary(16)),
        sa.Column("schema_seen", integer()),
        sa.Column("relevance", integer()),
        sa.Column("first_seen", integer()),
        sa.Column("last_seen", integer()),
        sa.PrimaryKeyConstraint("tenant", "run", "dataset", "role"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_run_total_dataset", "run_total", ["tenant", "dataset"])
    op.create_index("ix_run_total_job_dataset", "run_total", ["tenant", "job", "dataset"])
    op.create_table(
        "job_dataset_day",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("job", binary(16), nullable=False),
        sa.Column("day", integer(), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("role", integer(), nullable=False),
        sa.Column("within", integer(), nullable=False),
        sa.Column("runs", integer()),
        sa.Column("failures", integer()),
        sa.Column("last_succeeded", integer()),
        sa.Column("rows", integer()),
        sa.Column("bytes", integer()),
        sa.Column("files", integer()),
        sa.Column("types", integer()),
        sa.Column("schema", binary(16)),
        sa.Column("schema_seen", integer()),
        sa.Column("relevance", integer()),
        sa.Column("first_seen", integer()),
        sa.Column("last_seen", integer()),
        sa.PrimaryKeyConstraint("tenant", "job", "day", "dataset", "role", "within"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_job_dataset_day_dataset_day", "job_dataset_day", ["tenant", "dataset", "day"])
    op.create_index("ix_job_dataset_day_job_dataset", "job_dataset_day", ["tenant", "job", "dataset"])
    op.create_table(
        "job_dataset",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("job", binary(16), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("role", integer(), nullable=False),
        sa.Column("runs", integer()),
        sa.Column("rows", integer()),
        sa.Column("bytes", integer()),
        sa.Column("files", integer()),
        sa.Column("types", integer()),
        sa.Column("schema", binary(16)),
        sa.Column("schema_seen", integer()),
        sa.Column("relevance", integer()),
        sa.Column("first_seen", integer()),
        sa.Column("last_seen", integer()),
        sa.PrimaryKeyConstraint("tenant", "job", "dataset", "role"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_job_dataset_dataset", "job_dataset", ["tenant", "dataset"])
    op.create_table(
        "job_flow",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("job", binary(16), nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("types", integer()),
        sa.Column("first_seen", integer()),
        sa.Column("last_seen", integer()),
        sa.PrimaryKeyConstraint("tenant", "job", "source", "target"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_job_flow_source_target", "job_flow", ["tenant", "source", "target"])
    op.create_table(
        "table_flow",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("jobs", integer()),
        sa.Column("types", integer()),
        sa.Column("first_seen", integer()),
        sa.Column("last_seen", integer()),
        sa.PrimaryKeyConstraint("tenant", "source", "target"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_table_flow_target", "table_flow", ["tenant", "target"])
    op.create_table(
        "schema_use",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("schema", binary(16), nullable=False),
        sa.Column("first_seen", integer()),
        sa.Column("last_seen", integer()),
        sa.Column("jobs", integer()),
        sa.Column("relevance", integer()),
        sa.PrimaryKeyConstraint("tenant", "dataset", "schema"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dataset_day",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("day", integer(), nullable=False),
        sa.Column("reads", integer()),
        sa.Column("writes", integer()),
        sa.Column("failures", integer()),
        sa.Column("rows_read", integer()),
        sa.Column("rows_written", integer()),
        sa.Column("bytes_read", integer()),
        sa.Column("bytes_written", integer()),
        sa.Column("last_written", integer()),
        sa.PrimaryKeyConstraint("tenant", "dataset", "day"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "job_day",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("job", binary(16), nullable=False),
        sa.Column("day", integer(), nullable=False),
        sa.Column("runs", integer()),
        sa.Column("succeeded", integer()),
        sa.Column("failures", integer()),
        sa.Column("killed", integer()),
        sa.Column("duration_p50", integer()),
        sa.Column("duration_p95", integer()),
        sa.Column("rows_read", integer()),
        sa.Column("rows_written", integer()),
        sa.Column("bytes_read", integer()),
        sa.Column("bytes_written", integer()),
        sa.PrimaryKeyConstraint("tenant", "job", "day"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sql_use",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("sql", binary(16), nullable=False),
        sa.Column("job", binary(16), nullable=False),
        sa.Column("day", integer(), nullable=False),
        sa.Column("runs", integer()),
        sa.Column("failures", integer()),
        sa.Column("duration_total", integer()),
        sa.Column("duration_p95", integer()),
        sa.Column("first_seen", integer()),
        sa.Column("last_seen", integer()),
        sa.PrimaryKeyConstraint("tenant", "sql", "job", "day"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_sql_use_day", "sql_use", ["tenant", "day"])
    op.create_index("ix_sql_use_job_day", "sql_use", ["tenant", "job", "day"])
    op.create_table(
        "pipeline_progress",
        sa.Column("job", word(64), nullable=False),
        sa.Column("position", integer(), nullable=False),
        sa.Column("batch", integer(), nullable=False),
        sa.Column("events", integer(), nullable=False),
        sa.Column("batch_events", integer(), nullable=False),
        sa.Column("batch_seconds", sa.Double(), nullable=False),
        sa.Column("updated_at", integer(), nullable=False),
        sa.Column("event_received_at", integer()),
        sa.Column("error", text()),
        sa.Column("error_at", integer()),
        sa.PrimaryKeyConstraint("job"),
        mysql_charset="utf8mb4",
    )


def downgrade() -> None:
    op.drop_table("pipeline_progress")
    op.drop_table("sql_use")
    op.drop_table("job_day")
    op.drop_table("dataset_day")
    op.drop_table("schema_use")
    op.drop_table("table_flow")
    op.drop_table("job_flow")
    op.drop_table("job_dataset")
    op.drop_table("job_dataset_day")
    op.drop_table("run_total")
    op.drop_table("run_summary")
