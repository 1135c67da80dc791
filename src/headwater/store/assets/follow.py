"""Keeps the asset graph up to date with the facts: at once with a graph server, else in idle time."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.store.assets.graph import AssetGraph
from headwater.store.assets.neo4j.graph import Neo4jAssetGraph
from headwater.store.assets.neo4j.server import GraphServer
from headwater.store.assets.outbox import GraphOutbox
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.sql_store import SqlStore

__all__ = ["AssetStore"]


class AssetStore:
    """The asset graph of one SQL store, with its graph server if it has one."""

    def __init__(self, store: SqlStore, url: str = "", user: str = "neo4j", password: str = "") -> None:
        """`password` is a reference, as in the settings."""
        self.projection = store.projection
        self.server = GraphServer.of_settings(url, user, password) if url else None
        self.outbox: GraphOutbox | None = None
        self.graph: AssetGraph = SqlAssetGraph(store.engine)
        if self.server is not None:
            graph = Neo4jAssetGraph(self.server, SqlAssetGraph(store.engine))
            self.graph = graph
            self.outbox = GraphOutbox(store.engine, store.engines["writer"], graph)

    @property
    def is_followed(self) -> bool:
        """Whether an event is only taken when its graph server has it too."""
        return self.outbox is not None

    def open(self) -> None:
        """Begin to note changes for a graph server; it need not answer yet."""
        if self.outbox is not None:
            self.outbox.open()

    def follow(self, tenants: Iterable[int]) -> None:
        """Bring the graph of these tenants up to date. Raises `GraphUnavailable`."""
        for tenant in sorted(set(tenants)):
            self.projection.drain(tenant)
            if self.outbox is not None:
                self.outbox.drain(tenant)

    def close(self) -> None:
        if self.server is not None:
            self.server.close()
