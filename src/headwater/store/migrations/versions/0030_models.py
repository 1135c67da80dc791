"""Models of tenants: configurations, results by the hash of a text, and what they cost.

Revision ID: 0030
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, blob, integer, text, word

revision = "0030"
down_revision = "0027"


def upgrade() -> None:
    op.create_table(
        "model_configuration",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("kind", word(16), nullable=False),
        sa.Column("place", word(16), nullable=False),
        sa.Column("fingerprint", word(256), nullable=False),
        sa.Column("configuration", text(), nullable=False),
        sa.Column("since", integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "kind", "place"),
        mysql_charset="utf8mb4",
    )
    op.create_table(
        "model_result",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("kind", word(16), nullable=False),
        sa.Column("fingerprint", word(256), nullable=False),
        sa.Column("content_hash", binary(32), nullable=False),
        sa.Column("created_at", integer(), nullable=False),
        sa.Column("result", blob(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "kind", "fingerprint", "content_hash"),
        mysql_charset="utf8mb4",
    )
    op.create_table(
        "model_node",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("kind", word(16), nullable=False),
        sa.Column("fingerprint", word(256), nullable=False),
        sa.Column("node", binary(16), nullable=False),
        sa.Column("content_hash", binary(32), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "kind", "fingerprint", "node"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "model_usage",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("day", integer(), nullable=False),
        sa.Column("kind", word(16), nullable=False),
        *[sa.Column(name, integer(), nullable=False) for name in ("calls", "failures", "texts", "tokens", "price")],
        sa.PrimaryKeyConstraint("tenant", "day", "kind"),
        mysql_charset="utf8mb4",
    )
    op.create_table(
        "model_generation",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("generation", integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant"),
        mysql_charset="utf8mb4",
    )


def downgrade() -> None:
    for table in ("model_generation", "model_usage", "model_node", "model_result", "model_configuration"):
        op.drop_table(table)
