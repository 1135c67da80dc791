"""How fast the asset graph is written, and how fast a column is followed through ten steps.

    python bench/assets.py [--tables 100000] [--columns 10] [--edges 3] [--walks 200] [--neo4j]

Makes a graph of so many tables with so many columns, each deriving from `--edges` columns of tables before it, and
prints one JSON object: nodes and edges a second into the tables of SQLite and, with `--neo4j`, into a Neo4j server that
is started for the purpose; and the times of walks of depth 10 downstream from columns chosen by chance, for answers of
up to 1,000 nodes. Load, server and database share the machine; `processor` is the time of this process alone.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from headwater.graph.assets.asset import edge, node
from headwater.lineage.assets.questions import asset_walk
from headwater.store.assets.neo4j.graph import Neo4jAssetGraph
from headwater.store.assets.neo4j.server import GraphServer
from headwater.store.assets.outbox import GraphOutbox
from headwater.store.assets.rows import Rows, rows_of
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.assets.write_rows import RowWriter
from headwater.store.sql_store import SqlStore
from tests.servers.neo4j import Neo4j

_BATCH = 200
_NEAR = 400
"""A table derives from tables at most so many before it."""
_LONGEST_ANSWER = 1_000


def column_of(table: int, column: int) -> str:
    return f"s3://bench:t{table}#c{column}"


def batches(tables: int, columns: int, edges: int, chance: random.Random) -> Iterator[Rows]:
    """The graph, some tables at a time. One table in ten derives from nothing, so that walks end."""
    for start in range(0, tables, _BATCH):
        found: list[Any] = []
        for table in range(start, min(start + _BATCH, tables)):
            own = f"s3://bench:t{table}"
            found.append((own, node("Table", own, f"t{table}")))
            for column in range(columns):
                name = column_of(table, column)
                found.append((own, node("Column", name, f"c{column}", dataType="long")))
                found.append((own, edge("HAS_COLUMN", own, name)))
                for _ in range(edges if table and table % 10 else 0):
                    source = column_of(chance.randrange(max(0, table - _NEAR), table), chance.randrange(columns))
                    found.append((own, edge("DERIVES_FROM", name, source, transformations=[["DIRECT", "IDENTITY"]])))
        yield rows_of(found)


def walks(graph: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """Times of walks in milliseconds."""
    chance, times, sizes = random.Random(2), [], []
    busy: list[float] = []
    for number in range(arguments.walks + 20):
        start = column_of(chance.randrange(arguments.tables), chance.randrange(arguments.columns))
        began, began_busy = time.perf_counter(), time.process_time()
        found = asset_walk(graph, 1, start, direction="downstream", depth=10, limit=_LONGEST_ANSWER)
        if number >= 20:
            times.append((time.perf_counter() - began) * 1000)
            busy.append((time.process_time() - began_busy) * 1000)
            sizes.append(len(found.items))
    times.sort()
    busy.sort()
    return {
        "walks": len(times),
        "p50_ms": round(times[len(times) // 2], 1),
        "p99_ms": round(times[int(len(times) * 0.99)], 1),
        "processor_p50_ms": round(busy[len(busy) // 2], 1),
        "processor_p99_ms": round(busy[int(len(busy) * 0.99)], 1),
        "nodes_mean": round(statistics.mean(sizes)),
        "nodes_most": max(sizes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--edges", type=int, default=3)
    parser.add_argument("--walks", type=int, default=200)
    parser.add_argument("--neo4j", action="store_true")
    arguments = parser.parse_args()
    answer: dict[str, Any] = {"tables": arguments.tables, "columns": arguments.tables * arguments.columns}
    with tempfile.TemporaryDirectory() as folder:
        store = SqlStore(f"sqlite:///{folder}/headwater.db")
        store.open()
        answer["tables_of_sqlite"] = _load_tables(store, arguments)
        answer["tables_of_sqlite"]["walk"] = walks(SqlAssetGraph(store.engine), arguments)
        if arguments.neo4j:
            with Neo4j(heap="1g") as server:
                connection = GraphServer(server.url)
                connection.migrate()
                graph = Neo4jAssetGraph(connection, SqlAssetGraph(store.engine))
                answer["neo4j"] = _load_neo4j(store, graph, answer["tables_of_sqlite"])
                answer["neo4j"]["walk"] = walks(graph, arguments)
                connection.close()
        store.close()
    print(json.dumps(answer, indent=2))


def _load_tables(store: SqlStore, arguments: argparse.Namespace) -> dict[str, Any]:
    writer = RowWriter(store.engines["writer"])
    nodes = edges = 0
    seconds = 0.0
    made = batches(arguments.tables, arguments.columns, arguments.edges, random.Random(1))
    for generation, rows in enumerate(made):
        began = time.perf_counter()
        writer.write(1, generation, [(rows, Rows({}, {}))], [])
        seconds += time.perf_counter() - began
        nodes, edges = nodes + len(rows.nodes), edges + len(rows.edges)
    return {
        "nodes": nodes,
        "edges": edges,
        "seconds": round(seconds, 1),
        "nodes_and_edges_per_second": round((nodes + edges) / seconds),
    }


def _load_neo4j(store: SqlStore, graph: Neo4jAssetGraph, loaded: dict[str, Any]) -> dict[str, Any]:
    """All that is in the tables, through the outbox, as a server that is new gets it."""
    outbox = GraphOutbox(store.engine, store.engines["writer"], graph)
    outbox.open()
    began = time.perf_counter()
    nodes_done, delivered = None, 0
    while done := outbox.drain(1, 1):
        delivered += done
        if nodes_done is None and delivered >= loaded["nodes"]:  # nodes come first
            nodes_done = time.perf_counter() - began
    seconds = time.perf_counter() - began
    return {
        "seconds": round(seconds, 1),
        "nodes_per_second": round(loaded["nodes"] / (nodes_done or seconds)),
        "nodes_and_edges_per_second": round((loaded["nodes"] + loaded["edges"]) / seconds),
    }


if __name__ == "__main__":
    main()
