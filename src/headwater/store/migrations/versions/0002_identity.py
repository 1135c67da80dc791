"""API keys, dead letters, and the assertions of a gateway that were used.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, blob, integer, text, word

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", word(32), nullable=False),
        sa.Column("tenant_id", integer()),
        sa.Column("source", word(32), nullable=False),
        sa.Column("roles", word(64), nullable=False),
        sa.Column("hash", binary(32), nullable=False),
        sa.Column("name", word(128), nullable=False),
        sa.Column("created_at", integer(), nullable=False),
        sa.Column("expires_at", integer()),
        sa.Column("revoked_at", integer()),
        sa.Column("last_used_at", integer()),
        sa.PrimaryKeyConstraint("id"),
        mysql_charset="utf8mb4",
    )
    op.create_table(
        "dead_letter",
        sa.Column("id", integer(), autoincrement=True, nullable=False),
        sa.Column("tenant_id", integer()),
        sa.Column("key_id", word(64)),
        sa.Column("source", word(32), nullable=False),
        sa.Column("received_at", integer(), nullable=False),
        sa.Column("reason", word(64), nullable=False),
        sa.Column("message", text(), nullable=False),
        sa.Column("path", text()),
        sa.Column("body", blob(), nullable=False),
        sa.Column("state", word(16), nullable=False),
        sa.Column("retried_at", integer()),
        sa.Column("attempts", integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_dead_letter_tenant_id", "dead_letter", ["tenant_id", "id"])
    op.create_table(
        "gateway_assertion",
        sa.Column("jti", binary(32), nullable=False),
        sa.Column("expires_at", integer(), nullable=False),
        sa.PrimaryKeyConstraint("jti"),
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_gateway_assertion_expires_at", "gateway_assertion", ["expires_at"])


def downgrade() -> None:
    op.drop_table("gateway_assertion")
    op.drop_table("dead_letter")
    op.drop_table("api_key")
