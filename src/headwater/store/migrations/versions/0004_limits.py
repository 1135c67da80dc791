"""A tenant's own limits, and for whom a gateway vouched when a refused event came.

Revision ID: 0004
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import integer, text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("tenant", sa.Column("event_rate", integer()))
    op.add_column("tenant", sa.Column("event_burst", integer()))
    op.add_column("dead_letter", sa.Column("vouched", text()))


def downgrade() -> None:
    op.drop_column("dead_letter", "vouched")
    op.drop_column("tenant", "event_burst")
    op.drop_column("tenant", "event_rate")
