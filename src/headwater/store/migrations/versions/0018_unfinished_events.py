"""Large events whose facts are not all written yet.

Revision ID: 0018
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "unfinished_event",
        sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
        sa.Column("event_time", integer(), primary_key=True, autoincrement=False),
        sa.Column("fingerprint", binary(16), primary_key=True),
        sa.Column("attempts", integer(), nullable=False),
        mysql_charset="utf8mb4",
    )


def downgrade() -> None:
    op.drop_table("unfinished_event")
