"""An index that counts the datasets and jobs of a namespace without looking into the table.

Revision ID: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_NEW = "ix_node_namespace_kind_node_seen_first_seen"


def upgrade() -> None:
    op.create_index(_NEW, "node", ["tenant", "namespace", "kind", "node", "seen", "first_seen"])
    op.drop_index("ix_node_namespace", "node")
    if op.get_bind().dialect.name == "sqlite" and sa.inspect(op.get_bind()).has_table("sqlite_stat1"):
        # Written again for all indexes at the next start; see store/dialects/sqlite_statistics.py.
        op.execute("DELETE FROM sqlite_stat1 WHERE tbl = 'node'")


def downgrade() -> None:
    op.create_index("ix_node_namespace", "node", ["tenant", "namespace"])
    op.drop_index(_NEW, "node")
