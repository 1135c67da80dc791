"""Since when the events of a metalake count: from the cut-over time of a reading of it as a whole.

Revision ID: 0024
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "catalog_sync",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("metalake", binary(16), nullable=False),
        sa.Column("name", text()),
        sa.Column("started", integer()),
        sa.Column("ready", integer()),
        sa.PrimaryKeyConstraint("tenant", "metalake"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("catalog_sync")
