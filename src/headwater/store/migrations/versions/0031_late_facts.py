"""Ids of events whose facts came into the graph after the events came into the log.

Revision ID: 0031
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import integer, word

revision = "0031"
down_revision = "0028"


def upgrade() -> None:
    op.create_table(
        "pipeline_late_facts",
        sa.Column("id", integer(), nullable=False, autoincrement=True),
        sa.Column("owner", word(64)),
        sa.Column("first", integer(), nullable=False),
        sa.Column("last", integer()),
        sa.Column("noted_at", integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        mysql_charset="utf8mb4",
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("pipeline_late_facts")
