"""Sessions of browsers that signed in with a key.

Revision ID: 0019
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, word

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "browser_session",
        sa.Column("token_hash", binary(32), primary_key=True),
        sa.Column("key_id", word(32), nullable=False),
        sa.Column("created_at", integer(), nullable=False),
        sa.Column("expires_at", integer(), nullable=False),
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_browser_session_key_id", "browser_session", ["key_id"])
    op.create_index("ix_browser_session_expires_at", "browser_session", ["expires_at"])


def downgrade() -> None:
    op.drop_table("browser_session")
