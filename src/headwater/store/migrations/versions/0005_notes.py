"""What is noted by hand: tags, owners, descriptions, what is hidden; and sources of data.

Revision ID: 0005
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "note",
        sa.Column("tenant", integer(), autoincrement=False, nullable=False),
        sa.Column("about", binary(16), nullable=False),
        sa.Column("note", binary(16), nullable=False),
        sa.Column("kind", text()),
        sa.Column("column", text()),
        sa.Column("name", text()),
        sa.Column("text", text()),
        sa.Column("value", text()),
        sa.Column("value_stamp", binary(24)),
        sa.Column("first_seen", integer()),
        sa.PrimaryKeyConstraint("tenant", "about", "note"),
        sqlite_with_rowid=False,
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_note_note", "note", ["tenant", "note"])


def downgrade() -> None:
    op.drop_table("note")
