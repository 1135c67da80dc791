"""Edges that somebody stated or hid by hand, and who is changing those of one thing.

Revision ID: 0021
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text, word

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "hand_edge",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("edge", binary(16), nullable=False),
        sa.Column("source", binary(16)),
        sa.Column("target", binary(16)),
        sa.Column("source_kind", integer()),
        sa.Column("target_kind", integer()),
        sa.Column("source_column", text()),
        sa.Column("target_column", text()),
        sa.Column("stated", text()),
        sa.Column("stated_stamp", binary(24)),
        sa.Column("hidden", text()),
        sa.Column("hidden_stamp", binary(24)),
        sa.Column("first_seen", integer()),
        sa.PrimaryKeyConstraint("tenant", "edge"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "edit_lease",
        sa.Column("tenant", integer(), nullable=False, autoincrement=False),
        sa.Column("subject", binary(16), nullable=False),
        sa.Column("token", word(32), nullable=False),
        sa.Column("expires_at", integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "subject"),
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_hand_edge_source", "hand_edge", ["tenant", "source"])
    op.create_index("ix_hand_edge_target", "hand_edge", ["tenant", "target"])


def downgrade() -> None:
    op.drop_table("edit_lease")
    op.drop_table("hand_edge")
