"""What changed in a graph, for those who remember some of it.

Revision ID: 0009
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import blob, integer

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "graph_change",
        sa.Column("id", integer(), primary_key=True, autoincrement=True),
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("names", integer(), nullable=False),
        sa.Column("shapes", blob()),
        sqlite_autoincrement=True,
        mysql_charset="utf8mb4",
    )


def downgrade() -> None:
    op.drop_table("graph_change")
