"""When a row of an attempt or a batch was made.

Revision ID: 0033
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import integer

revision = "0033"
down_revision = "0032"

_TABLES = ("ol_async_task_attempt", "ol_async_batch")


def upgrade() -> None:
    for name in _TABLES:
        op.add_column(name, sa.Column("created_at", integer()))
        table = sa.table(name, sa.column("created_at"), sa.column("started_at"))
        op.execute(table.update().values(created_at=table.c.started_at))


def downgrade() -> None:
    for name in _TABLES:
        op.drop_column(name, "created_at")
