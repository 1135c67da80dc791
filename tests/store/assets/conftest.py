"""One Neo4j server for all tests of this folder in a process, and a graph of a tenant of its own for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.store.assets.neo4j.graph import Neo4jAssetGraph
from headwater.store.assets.neo4j.server import GraphServer
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.sql_store import SqlStore
from tests.servers.neo4j import Neo4j
from tests.servers.process import ServerMissing


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[SqlStore]:
    opened = SqlStore(f"sqlite:///{tmp_path / 'assets.db'}")
    opened.open()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def neo4j() -> Iterator[Neo4j]:
    try:
        server = Neo4j()
    except ServerMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))
    with server:
        yield server


@pytest.fixture
def graph_server(neo4j: Neo4j) -> Iterator[GraphServer]:
    """An empty graph with its constraints."""
    server = GraphServer(neo4j.url)
    server.write(lambda run: run.run("MATCH (n) DETACH DELETE n").consume())
    server.migrate()
    yield server
    server.close()


@pytest.fixture
def neo4j_graph(graph_server: GraphServer, embedded: SqlStore) -> Neo4jAssetGraph:
    return Neo4jAssetGraph(graph_server, SqlAssetGraph(embedded.engine))
