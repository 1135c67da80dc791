"""Tables of the asset graph, and of changes on their way into it.

`asset_pending` names parts that new facts affect; `asset_node` and `asset_edge` hold the graph; `asset_outbox` names
nodes and edges that a graph server does not have yet. Rows of the first and the last are appended and removed once they
are done, so that a change meanwhile is never taken for a done one.
"""

from __future__ import annotations

import sqlalchemy as sa

from headwater.store.dialects.types import binary, integer, text, word
from headwater.store.tables import metadata

__all__ = ["asset_edges", "asset_generations", "asset_nodes", "asset_outbox", "asset_pending", "graph_servers"]

asset_pending = sa.Table(
    "asset_pending",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=True),
    sa.Column("tenant", integer(), nullable=False),
    sa.Column("kind", integer(), nullable=False),
    sa.Column("source", binary(16), nullable=False),
    sa.Index("ix_asset_pending_tenant_id", "tenant", "id"),
    sqlite_autoincrement=True,
    mysql_charset="utf8mb4",
)

asset_nodes = sa.Table(
    "asset_node",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("node", binary(16), primary_key=True),
    sa.Column("owner", binary(16), nullable=False),
    sa.Column("label", word(32), nullable=False),
    sa.Column("id", text(), nullable=False),
    sa.Column("name_key", word(128), nullable=False),
    sa.Column("properties", text(), nullable=False),
    sa.Index("ix_asset_node_tenant_owner", "tenant", "owner"),
    sa.Index("ix_asset_node_tenant_label_name_key_node", "tenant", "label", "name_key", "node"),
    mysql_charset="utf8mb4",
)

asset_edges = sa.Table(
    "asset_edge",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("source", binary(16), primary_key=True),
    sa.Column("kind", word(32), primary_key=True),
    sa.Column("target", binary(16), primary_key=True),
    sa.Column("owner", binary(16), nullable=False),
    sa.Column("properties", text(), nullable=False),
    sa.Index("ix_asset_edge_tenant_target_kind_source", "tenant", "target", "kind", "source"),
    sa.Index("ix_asset_edge_tenant_owner", "tenant", "owner"),
    mysql_charset="utf8mb4",
    sqlite_with_rowid=False,
)

asset_outbox = sa.Table(
    "asset_outbox",
    metadata,
    sa.Column("number", integer(), primary_key=True, autoincrement=True),
    sa.Column("tenant", integer(), nullable=False),
    sa.Column("source", text(), nullable=False),
    sa.Column("kind", word(32), nullable=False),
    sa.Column("target", text(), nullable=False),
    sa.Index("ix_asset_outbox_tenant_number", "tenant", "number"),
    sqlite_autoincrement=True,
    mysql_charset="utf8mb4",
)
"""Ids of a node (then kind and target are empty), or of the ends of an edge."""

asset_generations = sa.Table(
    "asset_generation",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("generation", integer(), nullable=False),
    mysql_charset="utf8mb4",
)
"""Raised by every write of a tenant's asset graph: of two processes that work at once the slower one begins again."""

graph_servers = sa.Table(
    "graph_server",
    metadata,
    sa.Column("name", word(32), primary_key=True),
    sa.Column("since", integer(), nullable=False),
    mysql_charset="utf8mb4",
)
"""A row while changes are noted in `asset_outbox` for a graph server."""
