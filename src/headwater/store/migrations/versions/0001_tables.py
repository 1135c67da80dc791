"""The event log, the facts and the tenants.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, blob, integer, text, word

revision = "0001"
down_revision = None

INTEGER, BLOB, TEXT = integer(), blob(), text()


def upgrade() -> None:
    op.create_table(
        "address",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("namespace", binary(16), nullable=False),
        sa.Column("address", binary(16), nullable=False),
        sa.Column("url", TEXT),
        sa.PrimaryKeyConstraint("tenant", "namespace", "address"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_address_address", "address", ["tenant", "address"])

    op.create_table(
        "assertion",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("run", binary(16), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("assertion", binary(16), nullable=False),
        sa.Column("name", TEXT),
        sa.Column("column", TEXT),
        sa.Column("severity", TEXT),
        sa.Column("failed", INTEGER),
        sa.Column("failed_stamp", binary(24)),
        sa.Column("details", TEXT),
        sa.Column("details_stamp", binary(24)),
        sa.PrimaryKeyConstraint("tenant", "run", "dataset", "assertion"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_assertion_dataset", "assertion", ["tenant", "dataset"])

    op.create_table(
        "dependency",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("type", word(64), nullable=False),
        sa.Column("first_seen", INTEGER),
        sa.Column("last_seen", INTEGER),
        sa.PrimaryKeyConstraint("tenant", "source", "target", "type"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_dependency_target", "dependency", ["tenant", "target"])

    op.create_table(
        "evidence",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("shape", binary(16), nullable=False),
        sa.Column("first_seen", INTEGER),
        sa.Column("last", binary(24)),
        sa.PrimaryKeyConstraint("tenant", "shape"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "lifecycle",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("created_at", INTEGER),
        sa.Column("dropped_at", INTEGER),
        sa.Column("truncated_at", INTEGER),
        sa.PrimaryKeyConstraint("tenant", "dataset"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "lineage_events",
        sa.Column("id", INTEGER, autoincrement=True, nullable=False),
        sa.Column("tenant_id", INTEGER, nullable=False),
        sa.Column("tenant_code", word(64), nullable=False),
        sa.Column("tenant_name", word(128), nullable=False),
        sa.Column("event_time", INTEGER, nullable=False),
        sa.Column("fingerprint", binary(16), nullable=False),
        sa.Column("event_kind", word(16), nullable=False),
        sa.Column("event_type", word(32)),
        sa.Column("run", binary(16)),
        sa.Column("job_namespace", TEXT),
        sa.Column("job_name", TEXT),
        sa.Column("producer", TEXT),
        sa.Column("event", BLOB, nullable=False),
        sa.Column("warnings", TEXT),
        sa.Column("received_at", INTEGER, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        mysql_charset="utf8mb4",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_lineage_events_run", "lineage_events", ["tenant_id", "run"])
    op.create_index("uq_lineage_events", "lineage_events", ["tenant_id", "event_time", "fingerprint"], unique=True)

    op.create_table(
        "namespace",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("namespace", binary(16), nullable=False),
        sa.Column("text", TEXT),
        sa.Column("type", TEXT),
        sa.Column("name", TEXT),
        sa.Column("first_seen", INTEGER),
        sa.PrimaryKeyConstraint("tenant", "namespace"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "node",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("node", binary(16), nullable=False),
        sa.Column("kind", INTEGER),
        sa.Column("namespace", binary(16)),
        sa.Column("name", TEXT),
        sa.Column("seen", INTEGER),
        sa.Column("first_seen", INTEGER),
        sa.PrimaryKeyConstraint("tenant", "node"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_node_namespace", "node", ["tenant", "namespace"])

    op.create_table(
        "quality",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("run", binary(16), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("rows", INTEGER),
        sa.Column("rows_stamp", binary(24)),
        sa.Column("bytes", INTEGER),
        sa.Column("bytes_stamp", binary(24)),
        sa.Column("columns", TEXT),
        sa.Column("columns_stamp", binary(24)),
        sa.PrimaryKeyConstraint("tenant", "run", "dataset"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_quality_dataset", "quality", ["tenant", "dataset"])

    op.create_table(
        "rename",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("last", binary(24)),
        sa.PrimaryKeyConstraint("tenant", "source", "target"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_rename_target", "rename", ["tenant", "target"])

    op.create_table(
        "run",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("run", binary(16), nullable=False),
        sa.Column("job", binary(16)),
        sa.Column("job_type", TEXT),
        sa.Column("activity", INTEGER),
        sa.Column("parent_run", binary(16)),
        sa.Column("root_run", binary(16)),
        sa.Column("status", INTEGER),
        sa.Column("first_seen", INTEGER),
        sa.Column("last_seen", INTEGER),
        sa.Column("started_at", INTEGER),
        sa.Column("ended_at", INTEGER),
        sa.Column("expected_start_at", INTEGER),
        sa.Column("expected_end_at", INTEGER),
        sa.Column("sent_id", TEXT),
        sa.Column("external_id", TEXT),
        sa.Column("attempt", TEXT),
        sa.Column("user", TEXT),
        sa.Column("start_reason", TEXT),
        sa.Column("end_reason", TEXT),
        sa.Column("end_reason_stamp", binary(24)),
        sa.Column("running_log_url", TEXT),
        sa.Column("running_log_url_stamp", binary(24)),
        sa.Column("persistent_log_url", TEXT),
        sa.Column("persistent_log_url_stamp", binary(24)),
        sa.Column("engine", TEXT),
        sa.Column("name", TEXT),
        sa.Column("position", INTEGER),
        sa.Column("group", TEXT),
        sa.Column("description", TEXT),
        sa.Column("tags", TEXT),
        sa.PrimaryKeyConstraint("tenant", "run"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_run_job_first_seen", "run", ["tenant", "job", "first_seen"])
    op.create_index("ix_run_parent_run", "run", ["tenant", "parent_run"])

    op.create_table(
        "run_dataset",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("run", binary(16), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("role", INTEGER, nullable=False),
        sa.Column("rows", INTEGER),
        sa.Column("bytes", INTEGER),
        sa.Column("files", INTEGER),
        sa.Column("version", TEXT),
        sa.Column("version_stamp", binary(24)),
        sa.Column("subset", TEXT),
        sa.Column("subset_stamp", binary(24)),
        sa.PrimaryKeyConstraint("tenant", "run", "dataset", "role"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "run_dependency",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("type", word(64), nullable=False),
        sa.Column("first_seen", INTEGER),
        sa.PrimaryKeyConstraint("tenant", "source", "target", "type"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "run_shape",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("run", binary(16), nullable=False),
        sa.Column("shape", binary(16), nullable=False),
        sa.Column("first_seen", INTEGER),
        sa.Column("last_seen", INTEGER),
        sa.PrimaryKeyConstraint("tenant", "run", "shape"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "schema_version",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("schema", binary(16), nullable=False),
        sa.Column("fields", BLOB),
        sa.PrimaryKeyConstraint("tenant", "schema"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=True,
    )
    op.create_table(
        "shape",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("shape", binary(16), nullable=False),
        sa.Column("kind", TEXT),
        sa.Column("origin", TEXT),
        sa.Column("job", binary(16)),
        sa.Column("subject", binary(16)),
        sa.Column("parent_job", binary(16)),
        sa.Column("job_type", TEXT),
        sa.Column("processing", TEXT),
        sa.Column("sql", binary(16)),
        sa.Column("producer", TEXT),
        sa.Column("facets", BLOB),
        sa.PrimaryKeyConstraint("tenant", "shape"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=True,
    )
    op.create_index("ix_shape_job", "shape", ["tenant", "job"])

    op.create_table(
        "shape_dataset",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("shape", binary(16), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("role", INTEGER, nullable=False),
        sa.Column("schema", binary(16)),
        sa.Column("types", INTEGER),
        sa.Column("explicit", INTEGER),
        sa.Column("facets", BLOB),
        sa.PrimaryKeyConstraint("tenant", "shape", "dataset", "role"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=True,
    )
    op.create_index("ix_shape_dataset_dataset_role", "shape_dataset", ["tenant", "dataset", "role"])

    op.create_table(
        "shape_edge",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("shape", binary(16), nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("columns", BLOB),
        sa.PrimaryKeyConstraint("tenant", "shape", "source", "target"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=True,
    )
    op.create_table(
        "sql_text",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("sql", binary(16), nullable=False),
        sa.Column("text", TEXT),
        sa.Column("dialect", TEXT),
        sa.PrimaryKeyConstraint("tenant", "sql"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "symlink",
        sa.Column("tenant", INTEGER, nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("type", TEXT),
        sa.Column("first_seen", INTEGER),
        sa.PrimaryKeyConstraint("tenant", "source", "target"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tenant",
        sa.Column("id", INTEGER, autoincrement=True, nullable=False),
        sa.Column("code", word(64), nullable=False),
        sa.Column("name", word(128), nullable=False),
        sa.Column("state", word(16), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("code"),
        mysql_charset="utf8mb4",
    )


def downgrade() -> None:
    op.drop_table("tenant")
    op.drop_table("symlink")
    op.drop_table("sql_text")
    op.drop_table("shape_edge")
    op.drop_index("ix_shape_dataset_dataset_role", "shape_dataset")

    op.drop_table("shape_dataset")
    op.drop_index("ix_shape_job", "shape")

    op.drop_table("shape")
    op.drop_table("schema_version")
    op.drop_table("run_shape")
    op.drop_table("run_dependency")
    op.drop_table("run_dataset")
    op.drop_index("ix_run_parent_run", "run")
    op.drop_index("ix_run_job_first_seen", "run")

    op.drop_table("run")
    op.drop_index("ix_rename_target", "rename")

    op.drop_table("rename")
    op.drop_index("ix_quality_dataset", "quality")

    op.drop_table("quality")
    op.drop_index("ix_node_namespace", "node")

    op.drop_table("node")
    op.drop_table("namespace")
    op.drop_index("uq_lineage_events", "lineage_events")
    op.drop_index("ix_lineage_events_run", "lineage_events")

    op.drop_table("lineage_events")
    op.drop_table("lifecycle")
    op.drop_table("evidence")
    op.drop_index("ix_dependency_target", "dependency")

    op.drop_table("dependency")
    op.drop_index("ix_assertion_dataset", "assertion")

    op.drop_table("assertion")
    op.drop_index("ix_address_address", "address")

    op.drop_table("address")
