"""The overlay adapter: overlays, sinks, versions and the outbox; since when a dataset is retracted.

Revision ID: 0027
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, blob, integer, text, word

revision = "0027"
down_revision = "0025"


def upgrade() -> None:
    op.add_column("lifecycle", sa.Column("retracted_at", integer()))
    op.create_table(
        "emit_overlay",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("name", word(64), nullable=False),
        sa.Column("configuration", text(), nullable=False),
        sa.Column("changed_at", integer(), nullable=False),
        sa.Column("check_due_at", integer()),
        sa.Column("checked_at", integer()),
        sa.Column("check_result", text()),
        sa.PrimaryKeyConstraint("tenant", "name"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "emit_sink",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("name", word(64), nullable=False),
        sa.Column("configuration", text(), nullable=False),
        sa.Column("changed_at", integer(), nullable=False),
        sa.Column("state", word(16), nullable=False),
        sa.Column("reason", text()),
        sa.Column("due_at", integer(), nullable=False),
        sa.Column("failures", integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "name"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "emit_version",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("version", binary(16), nullable=False),
        sa.Column("overlay", word(64), nullable=False),
        sa.Column("version_id", text(), nullable=False),
        sa.Column("state", word(16), nullable=False),
        sa.Column("requests", integer(), nullable=False),
        sa.Column("requested_at", integer(), nullable=False),
        sa.Column("recall_wanted", integer(), nullable=False),
        sa.Column("due_at", integer()),
        sa.Column("attempts", integer(), nullable=False),
        sa.Column("confs", integer(), nullable=False),
        sa.Column("states", text()),
        sa.Column("error", text()),
        sa.Column("lease", word(32)),
        sa.Column("lease_until", integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "version"),
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_emit_version_due_at", "emit_version", ["tenant", "due_at"])
    op.create_index("ix_emit_version_state", "emit_version", ["tenant", "state", "requested_at"])
    op.create_table(
        "emit_event",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("sink", word(64), nullable=False),
        sa.Column("version", binary(16), nullable=False),
        sa.Column("step", word(32), nullable=False),
        sa.Column("event_time", integer(), nullable=False),
        sa.Column("state", word(16), nullable=False),
        sa.Column("body", blob(), nullable=False),
        sa.Column("attempts", integer(), nullable=False),
        sa.Column("requested_at", integer(), nullable=False),
        sa.Column("due_at", integer(), nullable=False),
        sa.Column("settled_at", integer()),
        sa.Column("reason", word(64)),
        sa.Column("error", text()),
        sa.Column("lease", word(32)),
        sa.Column("lease_until", integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "sink", "version", "step"),
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_emit_event_due_at", "emit_event", ["tenant", "sink", "state", "due_at"])


def downgrade() -> None:
    for table in ("emit_event", "emit_version", "emit_sink", "emit_overlay"):
        op.drop_table(table)
    op.drop_column("lifecycle", "retracted_at")
