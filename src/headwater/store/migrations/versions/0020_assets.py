"""Objects of catalogs: that they are there, their renames and drops, and their tags.

Revision ID: 0020
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    _table(
        "asset_state",
        ("asset",),
        sa.Column("asset", binary(16), nullable=False),
        sa.Column("kind", integer()),
        sa.Column("container", binary(16)),
        sa.Column("path", text()),
        sa.Column("present", binary(24)),
        sa.Column("details", text()),
        sa.Column("details_stamp", binary(24)),
        sa.Column("first_seen", integer()),
    )
    op.create_index("ix_asset_state_container_kind_asset", "asset_state", ["tenant", "container", "kind", "asset"])
    op.create_index("ix_asset_state_kind_asset", "asset_state", ["tenant", "kind", "asset"])
    _table(
        "asset_change",
        ("asset", "stamp"),
        sa.Column("asset", binary(16), nullable=False),
        sa.Column("stamp", binary(24), nullable=False),
        sa.Column("kind", integer()),
        sa.Column("path", text()),
        sa.Column("steps", text()),
    )
    _table(
        "asset_tag",
        ("asset", "tag"),
        sa.Column("asset", binary(16), nullable=False),
        sa.Column("tag", binary(16), nullable=False),
        sa.Column("kind", integer()),
        sa.Column("path", text()),
        sa.Column("name", text()),
        sa.Column("given", integer()),
        sa.Column("given_stamp", binary(24)),
    )


def downgrade() -> None:
    for name in ("asset_tag", "asset_change", "asset_state"):
        op.drop_table(name)


def _table(name: str, key: tuple[str, ...], *columns: sa.Column[object]) -> None:
    op.create_table(
        name,
        sa.Column("tenant", integer(), nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("tenant", *key),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
