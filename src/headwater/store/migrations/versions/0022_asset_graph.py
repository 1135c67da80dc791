"""The asset graph in tables of its own, what waits to get into it, and what a graph server has not got yet.

Revision ID: 0022
"""

import json

import sqlalchemy as sa
from alembic import op

from headwater.graph.catalog.names import AssetKind, asset_id
from headwater.store.dialects.types import binary, integer, text, word

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("asset_change", sa.Column("target", binary(16)))
    op.create_index("ix_asset_change_target", "asset_change", ["tenant", "target"])
    _note_targets()
    op.create_table(
        "asset_pending",
        sa.Column("id", integer(), primary_key=True, autoincrement=True),
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("kind", integer(), nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sqlite_autoincrement=True,
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_asset_pending_tenant_id", "asset_pending", ["tenant", "id"])
    op.create_table(
        "asset_node",
        sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
        sa.Column("node", binary(16), primary_key=True),
        sa.Column("owner", binary(16), nullable=False),
        sa.Column("label", word(32), nullable=False),
        sa.Column("id", text(), nullable=False),
        sa.Column("name_key", word(128), nullable=False),
        sa.Column("properties", text(), nullable=False),
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_asset_node_tenant_owner", "asset_node", ["tenant", "owner"])
    op.create_index("ix_asset_node_tenant_label_name_key_node", "asset_node", ["tenant", "label", "name_key", "node"])
    op.create_table(
        "asset_edge",
        sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
        sa.Column("source", binary(16), primary_key=True),
        sa.Column("kind", word(32), primary_key=True),
        sa.Column("target", binary(16), primary_key=True),
        sa.Column("owner", binary(16), nullable=False),
        sa.Column("properties", text(), nullable=False),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_asset_edge_tenant_target_kind_source", "asset_edge", ["tenant", "target", "kind", "source"])
    op.create_index("ix_asset_edge_tenant_owner", "asset_edge", ["tenant", "owner"])
    op.create_table(
        "asset_outbox",
        sa.Column("number", integer(), primary_key=True, autoincrement=True),
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("source", text(), nullable=False),
        sa.Column("kind", word(32), nullable=False),
        sa.Column("target", text(), nullable=False),
        sqlite_autoincrement=True,
        mysql_charset="utf8mb4",
    )
    op.create_index("ix_asset_outbox_tenant_number", "asset_outbox", ["tenant", "number"])
    op.create_table(
        "asset_generation",
        sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
        sa.Column("generation", integer(), nullable=False),
        mysql_charset="utf8mb4",
    )
    op.create_table(
        "graph_server",
        sa.Column("name", word(32), primary_key=True),
        sa.Column("since", integer(), nullable=False),
        mysql_charset="utf8mb4",
    )
    op.execute("INSERT INTO asset_pending (tenant, kind, source) SELECT id, 0, '' FROM tenant")


def _note_targets() -> None:
    """The new names of what was renamed before this."""
    connection = op.get_bind()
    changes = sa.table(
        "asset_change",
        *[sa.column(name) for name in ("tenant", "asset", "stamp", "kind", "steps", "target")],
    )
    for row in connection.execute(sa.select(changes).where(changes.c.steps.like('%"rename"%'))).all():
        renames = [step for step in json.loads(row.steps) if step[0] == "rename"]
        if renames:
            connection.execute(
                changes.update()
                .where(changes.c.tenant == row.tenant, changes.c.asset == row.asset, changes.c.stamp == row.stamp)
                .values(target=asset_id(AssetKind(row.kind), tuple(renames[-1][1])))
            )


def downgrade() -> None:
    for name in ("graph_server", "asset_generation", "asset_outbox", "asset_edge", "asset_node", "asset_pending"):
        op.drop_table(name)
    op.drop_index("ix_asset_change_target", "asset_change")
    op.drop_column("asset_change", "target")
