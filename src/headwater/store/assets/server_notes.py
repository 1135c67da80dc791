"""Notes of nodes that a graph server is to get anew, within a transaction of somebody else. It gets no others by it."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from headwater.store.assets.tables import asset_nodes, asset_outbox, graph_servers

__all__ = ["note_all_nodes_for_server", "note_nodes_for_server"]

_COLUMNS = ["tenant", "source", "kind", "target"]


def note_nodes_for_server(connection: sa.Connection, tenant: int, ids: Iterable[str]) -> None:
    """These nodes, if there is a graph server."""
    nodes = sorted(set(ids))
    if nodes and _is_fed(connection):
        rows = [dict(zip(_COLUMNS, (tenant, node, "", ""), strict=True)) for node in nodes]
        connection.execute(asset_outbox.insert(), rows)


def note_all_nodes_for_server(connection: sa.Connection, tenant: int) -> None:
    """All nodes of a tenant, if there is a graph server."""
    if _is_fed(connection):
        nodes = sa.select(asset_nodes.c.tenant, asset_nodes.c.id, sa.literal(""), sa.literal(""))
        connection.execute(asset_outbox.insert().from_select(_COLUMNS, nodes.where(asset_nodes.c.tenant == tenant)))


def _is_fed(connection: sa.Connection) -> bool:
    return connection.execute(sa.select(graph_servers.c.name)).first() is not None
