"""How long questions take, on graphs of any size.

    python bench/lineage.py [--edges 10000 100000 1000000] [--questions 200] [--folder FOLDER] [--rate 500]

Builds graphs of so many dataset edges, and three times as many column edges, straight into SQLite: layered domains, a
hub that 2,000 jobs read, a chain, diamonds (20 layers of 2 columns). Then asks for lineage of depth 20, by job and by
column, from starts whose answer has at most 2,000 nodes, as a server would: rendered to JSON; `large` are those of them
with 1,000 nodes and more. `wall` is what a caller waits, `cpu` what the thread that answers works; on a shared machine
only the second is steady. At last the same over HTTP while events come in. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import json
import multiprocessing
import os
import random
import resource
import shutil
import sqlite3
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parent))
import events
import graphs
import load
from ingest import Server

from headwater.api.query_process.worker import tidy
from headwater.lineage.walk.lineage import lineage
from headwater.store.engine import make_engine
from headwater.store.read.reader import Reader

DEPTH, LARGE, LARGEST, JOBS = 20, 1_000, 2_000, 1_000


def at(ordered: list[float], share: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 2)


def summary(seconds: list[float]) -> dict:
    ordered = sorted(seconds)
    return {"p50_ms": at(ordered, 0.5), "p99_ms": at(ordered, 0.99), "max_ms": at(ordered, 1)}


def sample(file: Path, count: int) -> list[str]:
    """Names of datasets from all over the graph."""
    connection = sqlite3.connect(file)
    (jobs,) = connection.execute("SELECT COUNT(*) FROM shape").fetchone()
    chance = random.Random(5)
    rows = [
        connection.execute(
            "SELECT n.name FROM shape s JOIN shape_dataset d ON d.tenant = 1 AND d.shape = s.shape AND d.role = 2 "
            "JOIN node n ON n.tenant = 1 AND n.node = d.dataset WHERE s.rowid = ?",
            (chance.randint(1, jobs),),
        ).fetchone()
        for _ in range(count)
    ]
    connection.close()
    return [row[0] for row in rows if row]


def ask(reader: Reader, name: str, **options) -> tuple[int, float, float]:
    """Nodes of the answer, seconds waited, seconds worked."""
    began, worked = time.perf_counter(), time.thread_time()
    answer = lineage(reader, 1, name, depth=DEPTH, **options)
    msgspec.json.encode(answer)
    took = time.perf_counter() - began, time.thread_time() - worked
    tidy(is_idle=True)  # as the process that answers does
    return size(answer), *took


def size(answer: dict) -> int:
    return sum(len(answer[side]["nodes"]) for side in ("upstream", "downstream") if side in answer)


def measure(names: list[str], question: Callable[[str], tuple[int, float, float]]) -> dict:
    within = [item for item in map(question, names) if item[0] <= LARGEST]
    large = [item for item in within if item[0] >= LARGE]
    return {**figures(within), "large": figures(large) if large else None}


def figures(asked: list[tuple[int, float, float]]) -> dict:
    sizes = sorted(item[0] for item in asked)
    return {
        "questions": len(asked),
        "nodes_p50": sizes[len(sizes) // 2],
        "nodes_max": sizes[-1],
        "wall": summary([item[1] for item in asked]),
        "cpu": summary([item[2] for item in asked]),
        "cpu_us_per_node": round(1e6 * sum(item[2] for item in asked) / sum(sizes), 1),
    }


def by_job(reader: Reader) -> Callable[[str], tuple[int, float, float]]:
    return lambda name: ask(reader, f"dataset:{graphs.PLACE}:{name}")


def by_column(reader: Reader) -> Callable[[str], tuple[int, float, float]]:
    return lambda name: ask(reader, f"dataset:{graphs.PLACE}:{name}#id")


def one_graph(file: Path, questions: int) -> dict:
    names = sample(file, questions)
    found: dict = {"database_mb": round(file.stat().st_size / 1e6)}
    for kind, question in (("lineage", by_job), ("columns", by_column)):
        reader = Reader(make_engine(f"sqlite:///{file}"))
        found[f"{kind}_cold"] = measure(names, question(reader))  # nothing remembered yet
        found[kind] = measure(names, question(reader))
        reader.engine.dispose()
    reader = Reader(make_engine(f"sqlite:///{file}"))
    for name, start in (("hub", "hub.report0007"), ("chain", "chain.t30"), ("diamonds", "diamond.t00")):
        column = "left" if name == "diamonds" else "id"
        rounds = [ask(reader, f"dataset:{graphs.PLACE}:{start}") for _ in range(20)]
        columns = [ask(reader, f"dataset:{graphs.PLACE}:{start}#{column}") for _ in range(20)]
        found[name] = {
            "nodes": rounds[0][0],
            "lineage": summary([item[1] for item in rounds]),
            "column_nodes": columns[0][0],
            "columns": summary([item[1] for item in columns]),
        }
    rounds = [ask(reader, f"dataset:{graphs.PLACE}:hub.orders", node_limit=1_000) for _ in range(20)]
    found["hub_itself"] = {"nodes": rounds[0][0], **summary([item[1] for item in rounds])}
    reader.engine.dispose()
    found["memory_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return found


def send(port: int, rate: int, seconds: float, told: multiprocessing.Queue, begin: Event) -> None:
    """In a process of its own, so that it does not hold up who asks. At first every job, then known."""
    bodies = list(itertools.islice(events.stream(JOBS), 2 * JOBS + int(rate * seconds)))
    first, rest = bodies[: 2 * JOBS], bodies[2 * JOBS :]
    asyncio.run(load.drive("127.0.0.1", port, iter(first), seconds=60, connections=8))
    told.put("ready")
    begin.wait()
    result = asyncio.run(load.drive("127.0.0.1", port, iter(rest), seconds=seconds, connections=8, rate=rate))
    told.put(result.summary())


def while_events_come(file: Path, rate: int, seconds: float, questions: int) -> dict:
    """Over HTTP, one question after the other, with so many events a second coming in."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "headwater.db"
        shutil.copy(file, copy)
        with copy.open("rb+") as copied:
            os.fsync(copied.fileno())  # or the server's first commit waits for all of it
        server = Server(folder)
        told, begin = multiprocessing.Queue(), multiprocessing.Event()
        sender = multiprocessing.Process(target=send, args=(server.port, rate, seconds, told, begin))
        try:
            names = sample(file, questions)
            sender.start()
            told.get()
            time.sleep(5 + file.stat().st_size / 30e6)  # until the graph is read ahead
            begin.set()
            return {**ask_for(server.port, names, seconds), "events": told.get(), "server_mb": round(server.memory())}
        finally:
            server.stop()
            sender.join()


def ask_for(port: int, names: list[str], seconds: float) -> dict:
    """One question after the other for so long: every name the first time, and again."""
    waits: dict[str, list[float]] = {}
    ends = time.perf_counter() + seconds
    for number, (name, kind) in enumerate(itertools.cycle(itertools.product(names, ("lineage", "columns")))):
        if time.perf_counter() > ends:
            break
        start = f"dataset:{graphs.PLACE}:{name}" + ("#id" if kind == "columns" else "")
        query = urllib.parse.urlencode({"name": start, "depth": DEPTH})
        began = time.perf_counter()
        answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/lineage?{query}").read()
        took = time.perf_counter() - began
        if size(msgspec.json.decode(answer)) <= LARGEST:
            waits.setdefault(f"{kind}_first" if number < 2 * len(names) else kind, []).append(took)
    return {kind: {"questions": len(found), **summary(found)} for kind, found in waits.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--edges", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    options.add_argument("--questions", type=int, default=200)
    options.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "headwater-bench")
    options.add_argument("--rate", type=int, default=500)
    options.add_argument("--seconds", type=float, default=15)
    chosen = options.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    gc.disable()
    tidy(is_idle=True)
    found: dict = {}
    for edges in chosen.edges:
        file = graphs.build(chosen.folder, edges)
        found[f"{edges} edges"] = one_graph(file, chosen.questions)
    if chosen.rate:
        file = graphs.build(chosen.folder, chosen.edges[-1])
        found[f"{chosen.edges[-1]} edges, {chosen.rate} events/s"] = while_events_come(
            file, chosen.rate, chosen.seconds, chosen.questions
        )
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
