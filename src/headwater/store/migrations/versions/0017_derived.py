"""Derived tables that nobody read are gone: flows are worked out from what single runs said, schemas from the facts.

Revision ID: 0017
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer

revision = "0017"
down_revision = "0016"

_GONE = ("job_flow", "table_flow", "schema_use")


def upgrade() -> None:
    for table in _GONE:
        op.drop_table(table)
    connection = op.get_bind()
    if connection.dialect.name == "sqlite" and sa.inspect(connection).has_table("sqlite_stat1"):
        op.execute(f"DELETE FROM sqlite_stat1 WHERE tbl IN {_GONE}")


def downgrade() -> None:
    """As they were, but empty: what worked them out fills them again."""
    _table("job_flow", ("job", "source", "target"), ("types", "first_seen", "last_seen"))
    op.create_index("ix_job_flow_source_target", "job_flow", ["tenant", "source", "target"])
    _table("table_flow", ("source", "target"), ("jobs", "types", "first_seen", "last_seen"))
    op.create_index("ix_table_flow_target", "table_flow", ["tenant", "target"])
    _table("schema_use", ("dataset", "schema"), ("first_seen", "last_seen", "jobs", "relevance"))


def _table(name: str, ids: tuple[str, ...], numbers: tuple[str, ...]) -> None:
    op.create_table(
        name,
        sa.Column("tenant", integer(), nullable=False),
        *(sa.Column(column, binary(16), nullable=False) for column in ids),
        *(sa.Column(column, integer()) for column in numbers),
        sa.PrimaryKeyConstraint("tenant", *ids),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
