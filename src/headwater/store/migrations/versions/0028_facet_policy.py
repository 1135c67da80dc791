"""The facet policy of a tenant, and the networks from which a key may be used.

Revision ID: 0028
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import text

revision = "0028"
down_revision = "0030"


def upgrade() -> None:
    op.add_column("tenant", sa.Column("facet_policy", text()))
    op.add_column("api_key", sa.Column("networks", text()))


def downgrade() -> None:
    op.drop_column("api_key", "networks")
    op.drop_column("tenant", "facet_policy")
