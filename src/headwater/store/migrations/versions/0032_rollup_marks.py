"""Up to where the log is in the derived tables of each tenant.

Revision ID: 0032
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import integer, word

revision = "0032"
down_revision = "0029"


def upgrade() -> None:
    op.create_table(
        "pipeline_rollup_mark",
        sa.Column("tenant", integer(), nullable=False, autoincrement=False),
        sa.Column("position", integer(), nullable=False),
        sa.Column("definitions", word(64), nullable=False),
        sa.PrimaryKeyConstraint("tenant"),
        mysql_charset="utf8mb4",
    )


def downgrade() -> None:
    op.drop_table("pipeline_rollup_mark")
