"""Graphs for the benchmark of questions: facts written in bulk, without events; a million edges take some minutes."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from headwater.graph.facts import NodeKind, Role, RunStatus, Seen
from headwater.openlineage.identity import digest, stamp
from headwater.openlineage.naming import dataset_name, job_id, namespace_id
from headwater.store.sql_store import SqlStore

TENANT = 1
PLACE, JOBS = "postgres://dwh:5432", "spark://cluster"
TIME = 1_760_000_000_000_000
LAYERS = 24
DOMAINS = ((4, 2), (8, 2), (16, 2), (30, 2), (60, 2), (60, 30), (80, 40), (120, 60))
"""How wide a layer is, and how far a job looks for what it reads; the last three give answers of 2,000 nodes."""
COLUMNS = ("id", "email", "amount")
HUB_READERS, CHAIN, DIAMONDS = 2_000, 60, 20

Job = tuple[str, list[str], list[str], list[list]]
"""Name, inputs, outputs, column edges of each input into each output."""


def identity(columns: Iterable[str] = COLUMNS) -> list[list]:
    return [[name, name, "DIRECT", "IDENTITY", name == "email", ""] for name in columns]


def layered(edges: int, seed: int) -> Iterator[Job]:
    """Domains of 24 layers, each as wide as chance has it; a job reads two datasets of the layers before."""
    chance, made, domain = random.Random(seed), 0, 0
    while made < edges:
        width, reach = chance.choice(DOMAINS)
        for layer in range(1, LAYERS):
            for place in range(width):
                near = [max(layer - chance.choice((1, 1, 1, 2)), 0) for _ in range(2)]
                inputs = {f"d{domain}.l{back}.t{(place + chance.randint(-reach, reach)) % width}" for back in near}
                yield f"d{domain}.l{layer}.load{place}", sorted(inputs), [f"d{domain}.l{layer}.t{place}"], identity()
                made += len(inputs)
                if made >= edges:
                    return
        domain += 1


def special() -> Iterator[Job]:
    """A hub, a chain and diamonds."""
    for reader in range(HUB_READERS):
        yield f"hub.reader{reader:04d}", ["hub.orders"], [f"hub.report{reader:04d}"], identity()
    for link in range(1, CHAIN):
        yield f"chain.step{link:02d}", [f"chain.t{link - 1:02d}"], [f"chain.t{link:02d}"], identity()
    both = [
        [one, other, "DIRECT", "TRANSFORMATION", False, ""] for one in ("left", "right") for other in ("left", "right")
    ]
    for layer in range(1, DIAMONDS + 1):
        yield f"diamond.step{layer:02d}", [f"diamond.t{layer - 1:02d}"], [f"diamond.t{layer:02d}"], both


def build(folder: Path, edges: int, seed: int = 7) -> Path:
    """A store with about so many dataset edges and three times as many column edges; made once per folder."""
    file = folder / f"graph-{edges}.db"
    if file.is_file():
        return file
    unfinished = folder / f"unfinished-{edges}.db"
    unfinished.unlink(missing_ok=True)
    _open(unfinished)
    connection = sqlite3.connect(unfinished, isolation_level=None)
    connection.execute("PRAGMA journal_mode=OFF")
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("PRAGMA cache_size=-1000000")
    indexes = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql > ''").fetchall()
    for name, _ in indexes:  # made at the end, which is much faster
        connection.execute(f"DROP INDEX {name}")
    connection.execute("BEGIN")
    _write_namespaces(connection)
    _write_jobs(connection, (job for jobs in (layered(edges, seed), special()) for job in jobs))
    for _, sql in indexes:
        connection.execute(sql)
    connection.execute("DELETE FROM sqlite_stat1")  # those of the indexes went with them
    connection.execute("COMMIT")
    connection.close()
    _open(unfinished)
    unfinished.rename(file)
    return file


def _open(file: Path) -> None:
    """Make the tables, and write what the planner should know of them, where that is missing."""
    store = SqlStore(f"sqlite:///{file}")
    store.open()
    store.close()


def _write_namespaces(connection: sqlite3.Connection) -> None:
    for text in (PLACE, JOBS):
        connection.execute(
            "INSERT INTO namespace (tenant, namespace, text, type, name, first_seen) VALUES (?, ?, ?, ?, ?, ?)",
            (TENANT, namespace_id(text), text, text.partition(":")[0], "dwh", TIME),
        )


def _insert(table: str, columns: str) -> str:
    marks = ", ".join("?" * len(columns.split()))
    return f"INSERT OR IGNORE INTO {table} (tenant, {', '.join(columns.split())}) VALUES (?, {marks})"


_INSERTS = {
    "node": _insert("node", "node kind namespace name seen first_seen"),
    "shape": _insert("shape", "shape kind origin job job_type"),
    "parts": _insert("shape_dataset", "shape dataset role"),
    "edges": _insert("shape_edge", "shape source target columns"),
    "evidence": _insert("evidence", "shape first_seen last"),
    "run": _insert("run", "run job activity status first_seen last_seen started_at ended_at"),
    "said": _insert("run_shape", "run shape first_seen last_seen"),
    "measured": _insert("run_dataset", "run dataset role rows bytes"),
    "total": _insert("job_dataset", "job dataset role runs rows bytes types first_seen last_seen"),
}


def _write_jobs(connection: sqlite3.Connection, jobs: Iterable[Job]) -> None:
    waiting: dict[str, list[tuple]] = {name: [] for name in _INSERTS}
    place, doing = namespace_id(PLACE), namespace_id(JOBS)
    for number, (name, inputs, outputs, columns) in enumerate(jobs):
        time = TIME + number
        job, shape, run = job_id(JOBS, name), digest("shape", name), digest("run", name)
        waiting["node"].append((TENANT, job, NodeKind.JOB, doing, name, Seen.SUBJECT, time))
        waiting["shape"].append((TENANT, shape, "RUN_EVENT", "openlineage", job, "SPARK_APPLICATION"))
        waiting["evidence"].append((TENANT, shape, time, stamp(time, shape)))
        waiting["run"].append((TENANT, run, job, 3, RunStatus.SUCCEEDED, time, time, time, time))
        waiting["said"].append((TENANT, run, shape, time, time))
        blob = json.dumps(columns, separators=(",", ":")).encode()
        for names, role, seen in ((inputs, Role.INPUT, Seen.INPUT), (outputs, Role.OUTPUT, Seen.OUTPUT)):
            for dataset in names:
                dataset_id = dataset_name(PLACE, dataset).id
                waiting["node"].append((TENANT, dataset_id, NodeKind.DATASET, place, dataset, seen, time))
                waiting["parts"].append((TENANT, shape, dataset_id, role))
                waiting["measured"].append((TENANT, run, dataset_id, role, 1000, 65536))
                waiting["total"].append((TENANT, job, dataset_id, role, 1, 1000, 65536, 1, time, time))
        waiting["edges"] += [
            (TENANT, shape, dataset_name(PLACE, source).id, dataset_name(PLACE, target).id, blob)
            for source in inputs
            for target in outputs
        ]
        if number % 5_000 == 4_999:
            _flush(connection, waiting)
    _flush(connection, waiting)


def _flush(connection: sqlite3.Connection, waiting: dict[str, list[tuple]]) -> None:
    for name, rows in waiting.items():
        connection.executemany(_INSERTS[name], rows)
        rows.clear()
