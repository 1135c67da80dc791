"""Where tenants' metalakes are read from; and the asset graph worked out again, since it kept edges of old names.

Revision ID: 0029
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import integer, text, word

revision = "0029"
down_revision = "0031"


def upgrade() -> None:
    op.create_table(
        "catalog_source",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("metalake", word(128), nullable=False),
        sa.Column("url", text(), nullable=False),
        sa.Column("token", text(), nullable=False),
        sa.Column("rate", integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "metalake"),
        mysql_charset="utf8mb4",
    )
    op.execute("INSERT INTO asset_pending (tenant, kind, source) SELECT id, 7, '' FROM tenant")


def downgrade() -> None:
    op.execute("DELETE FROM asset_pending WHERE kind IN (6, 7)")
    op.execute("INSERT INTO asset_pending (tenant, kind, source) SELECT id, 0, '' FROM tenant")
    op.drop_table("catalog_source")
