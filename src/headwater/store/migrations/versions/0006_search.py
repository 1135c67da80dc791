"""Search, decisions about locations, and the indexes of lists.

Revision ID: 0006
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text, word

revision = "0006"
down_revision = "0005"

_INDEXES = (
    ("ix_node_kind_first_seen_node", "node", ["tenant", "kind", "first_seen", "node"]),
    ("ix_node_name_key", "node", ["tenant", "kind", "name_key", "node"]),
    ("ix_shape_sql", "shape", ["tenant", "sql"]),
    ("ix_run_first_seen_run_activity_status", "run", ["tenant", "first_seen", "run", "activity", "status"]),
    ("ix_run_shape_shape", "run_shape", ["tenant", "shape"]),
)


def upgrade() -> None:
    op.create_table(
        "search_posting",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("token", word(64), nullable=False),
        sa.Column("document", binary(16), nullable=False),
        sa.Column("kind", integer()),
        sa.Column("fields", integer()),
        sa.Column("weight", integer()),
        sa.PrimaryKeyConstraint("tenant", "token", "document"),
        sqlite_with_rowid=False,
        mysql_charset="utf8mb4",
    )
    for table in ("search_source", "search_pending"):
        op.create_table(
            table,
            sa.Column("tenant", integer(), nullable=False),
            sa.Column("source", binary(16), nullable=False),
            sa.PrimaryKeyConstraint("tenant", "source"),
            sqlite_with_rowid=False,
            mysql_charset="utf8mb4",
        )
    op.create_table(
        "location_decision",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("one", binary(16), nullable=False),
        sa.Column("other", binary(16), nullable=False),
        sa.Column("same", integer()),
        sa.Column("same_stamp", binary(24)),
        sa.Column("decided_by", text()),
        sa.Column("decided_by_stamp", binary(24)),
        sa.PrimaryKeyConstraint("tenant", "one", "other"),
        sqlite_with_rowid=False,
        mysql_charset="utf8mb4",
    )
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    # SQLite cannot add a stored column; a virtual one, which its index stores, answers the same.
    key = sa.Computed("lower(substr(name, 1, 128))", persisted=None if is_sqlite else True)
    op.add_column("node", sa.Column("name_key", word(128), key))
    for name, table, columns in _INDEXES:
        op.create_index(name, table, columns)
    if is_sqlite and sa.inspect(connection).has_table("sqlite_stat1"):
        # What the planner was told of these tables knows nothing of the new indexes; it is told again at the start.
        op.execute("DELETE FROM sqlite_stat1 WHERE tbl IN ('node', 'shape', 'run', 'run_shape')")


def downgrade() -> None:
    for name, table, _ in _INDEXES:
        op.drop_index(name, table)
    op.drop_column("node", "name_key")
    for table in ("location_decision", "search_pending", "search_source", "search_posting"):
        op.drop_table(table)
