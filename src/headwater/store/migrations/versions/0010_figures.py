"""Of which jobs the sums changed, for those who remember them.

Revision ID: 0010
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import blob

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("graph_change", sa.Column("jobs", blob()))


def downgrade() -> None:
    op.drop_column("graph_change", "jobs")
