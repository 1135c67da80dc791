"""How many events a server takes, and what each costs it.

    python bench/ingest.py [--store sqlite|mariadb|postgresql] [--workers 1] [--batch 100] [--seconds 20]
                           [--preload 1000000]

Starts a real server on an empty store, sends 7 KB events with 30 column edges over HTTP from this process, and
prints one JSON object. The store is durable (SQLite with synchronous=FULL, or a real database server that is started
for the purpose); load, server and database share the machine. `repeating` is one event a request, `batches` NDJSON of
`--batch` events a request, both of jobs that were seen before. `batches_on_all_cores` are batches again, to a server on
another empty store with as many workers as there are cores: three windows, by turns with the raw limit.

`raw_limit` is what that database takes in bare inserts of the same bodies from one client, without HTTP, reading or a
graph, and with nothing else running: the mean of before and after, since the machine varies. Single events can share a
commit only as far as there are connections, so their share of the raw limit is given for as many events a commit
(`same_commit`) as well as for the best one (`best`). The share on all cores is the median of the windows', each beside
the best raw limit right before and after it.
`result` has the figures that matter most.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import uvloop

sys.path.insert(0, str(Path(__file__).parent))
import events
import load
import store_limit

TICKS = os.sysconf("SC_CLK_TCK")
BATCH_CONNECTIONS = 8
WINDOWS = 3
"""Of each worker: with 100 events a request, more than one commit takes."""


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Server:
    """A server in a process of its own, or several, on a folder of its own, or a database."""

    def __init__(self, data: str, store: str = "", workers: int = 1, *, pipeline: bool = False) -> None:
        command = [
            sys.executable,
            "-m",
            "headwater",
            "up",
            "--port",
            "0",
            "--data",
            data,
            "--log-level",
            "error",
            *([] if pipeline else ["--no-pipeline"]),
            *(["--store", store] if store else []),
            *(["--workers", str(workers)] if workers > 1 else []),
        ]
        self.workers = workers
        self.began = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.port = int(line.split(",")[0].rpartition(":")[2])
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/live").read()
                break
            except OSError:
                time.sleep(0.01)
        self.start_seconds = round(time.perf_counter() - self.began, 2)

    def processes(self) -> list[int]:
        """Those that take requests."""
        return children_of(self.process.pid) if self.workers > 1 else [self.process.pid]

    def tree(self) -> list[int]:
        """All of them: also those that answer questions, which idle here."""
        found = [self.process.pid]
        for pid in found:
            found += children_of(pid)
        return found

    def cpu_of(self, pid: int) -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def cpu(self) -> float:
        return sum(map(self.cpu_of, self.tree()))

    def memory(self) -> float:
        statuses = [Path(f"/proc/{pid}/status").read_text() for pid in self.tree()]
        return sum(int(status.partition("VmHWM:")[2].split()[0]) for status in statuses) / 1024

    def settle(self) -> None:
        """Wait until nothing is left to do: names that search has to learn, pages that the disk has to take."""
        os.sync()
        for _ in range(120):
            before = self.cpu()
            time.sleep(0.5)
            if self.cpu() - before < 0.02:
                return

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def measure(server: Server, bodies, seconds: float, **options) -> dict:
    before = server.cpu()
    result = _run(load.drive("127.0.0.1", server.port, bodies, seconds=seconds, **options))
    summary = result.summary()
    summary["server_cpu_ms_per_event"] = round((server.cpu() - before) * 1000 / max(1, summary["events"]), 3)
    return summary


def _run(work):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def preload(data: str, count: int, jobs: int, seed: int) -> float:
    """Write events straight into the store, as the server would."""
    from headwater.bounded_cache import BoundedCache
    from headwater.interpret.interpret import interpret
    from headwater.openlineage.decode import decode_event
    from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
    from headwater.store.write.log import Entry

    store = SqlStore(f"sqlite:///{data}/headwater.db")
    store.open()
    cache = BoundedCache(64 << 20)
    began = time.perf_counter()
    stream = itertools.islice(events.stream(jobs, seed), count)
    done = 0
    while batch := list(itertools.islice(stream, 4000)):
        decoded = [decode_event(body) for body in batch]
        store.write([Entry(DEFAULT_TENANT, event, interpret(event, 1, cache), 0) for event in decoded])
        done += len(batch)
        if done % 100_000 == 0:
            print(f"{done:,} of {count:,} events stored", file=sys.stderr)
    store.close()
    return round(time.perf_counter() - began, 1)


def compare_with_preload(count: int, jobs: int, seconds: float, shared: dict) -> dict:
    """CPU per event with many events stored, beside a server on an empty store: by turns, since the machine varies."""
    with (
        tempfile.TemporaryDirectory(prefix="headwater-bench-") as full,
        tempfile.TemporaryDirectory(prefix="headwater-bench-") as empty,
    ):
        report: dict = {"events": count, "seconds": preload(full, count, jobs, seed=1)}
        report["database_mb"] = round(sum(file.stat().st_size for file in Path(full).iterdir()) / 2**20)
        servers = {"full": Server(full), "empty": Server(empty)}
        streams = {name: events.stream(jobs, seed=99) for name in servers}
        for name, server in servers.items():
            measure(server, iter(_prepare(streams[name], jobs * 2)), 600, **shared)
        windows: dict[str, list[dict]] = {name: [] for name in servers}
        for _ in range(5):
            for name, server in servers.items():
                bodies = _prepare(streams[name], int(seconds * 1500))
                windows[name].append(measure(server, iter(bodies), seconds / 3, **shared))
        for name, server in servers.items():
            report[name] = {
                key: sorted(window[key] for window in windows[name])
                for key in ("server_cpu_ms_per_event", "events_per_second", "p99_ms")
            }
            report[name]["peak_memory_mb"] = round(server.memory())
            server.stop()
    full_cost, empty_cost = (report[name]["server_cpu_ms_per_event"][2] for name in ("full", "empty"))
    report["dearer"] = round(full_cost / empty_cost, 2)
    return report


def in_batches(server: Server, stream, options: argparse.Namespace) -> dict:
    """Several events a request, to all workers of a server."""
    count = int(options.seconds * 60 * server.workers) + 1
    batches = [b"\n".join(itertools.islice(stream, options.batch)) for _ in range(count)]
    connections = BATCH_CONNECTIONS * server.workers
    return measure(server, iter(batches), options.seconds, connections=connections, batch=options.batch)


def on_all_cores(options: argparse.Namespace, bodies: list[bytes]) -> dict:
    """Batches to as many workers as there are cores, by turns with the raw limit; what was taken, and the shares."""
    with store_limit.durable_store(options.store) as (data, url, limit_url):
        server = Server(data, "" if options.store == "sqlite" else url, os.cpu_count() or 1)
        stream = events.stream(options.jobs)
        measure(server, itertools.islice(stream, options.jobs * 2), 600, connections=options.connections)
        limits, windows = [], []
        for _ in range(WINDOWS):
            server.settle()
            limits.append(max(store_limit.raw_limit(limit_url, bodies, options.seconds / 4).values()))
            windows.append(in_batches(server, stream, options))
        server.settle()
        limits.append(max(store_limit.raw_limit(limit_url, bodies, options.seconds / 4).values()))
        server.stop()
    rates = [window["events_per_second"] for window in windows]
    shares = [rate * 2 / (limits[place] + limits[place + 1]) for place, rate in enumerate(rates)]
    return {
        "events_per_second": rates,
        "server_cpu_ms_per_event": [window["server_cpu_ms_per_event"] for window in windows],
        "raw_limit": limits,
        "shares": [round(share, 2) for share in shares],
        "share": round(statistics.median(shares), 2),
        "windows": windows,
    }


def result(report: dict, workers: int) -> dict:
    """What was taken, beside what the database could take."""
    single, batches, all_cores = report["repeating"], report["batches"], report["batches_on_all_cores"]
    few, many = report["raw_limit"]["32_per_commit"], report["raw_limit"]["256_per_commit"]
    best = max(few, many)
    return {
        "workers": workers,
        "events_per_second": single["events_per_second"],
        "events_per_second_per_worker": round(single["events_per_second"] / workers),
        "p99_ms": single["p99_ms"],
        "batches_events_per_second": batches["events_per_second"],
        "batches_on_all_cores_events_per_second": round(statistics.median(all_cores["events_per_second"])),
        "raw_limit_events_per_second": best,
        "share_of_raw_limit": {
            "single": {
                "same_commit": round(single["events_per_second"] / few, 2),
                "best": round(single["events_per_second"] / best, 2),
            },
            "batches": {
                "same_commit": round(batches["events_per_second"] / many, 2),
                "best": round(batches["events_per_second"] / best, 2),
            },
            "batches_on_all_cores": all_cores["share"],
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="length of each measurement")
    parser.add_argument("--jobs", type=int, default=1000, help="jobs that run again and again")
    parser.add_argument("--preload", type=int, default=0, help="events stored before a second measurement")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--batch", type=int, default=100, help="events in a request of several")
    parser.add_argument("--store", choices=store_limit.STORES, default="sqlite")
    parser.add_argument("--workers", type=int, default=1, help="processes of the server")
    options = parser.parse_args()
    report: dict = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()}
    }
    report["store"] = options.store
    with store_limit.durable_store(options.store) as (data, url, limit_url):
        bodies = _prepare(events.stream(options.jobs, seed=5), 20_000)
        raw = [store_limit.raw_limit(limit_url, bodies, options.seconds / 4)]
        report["store_only"] = {
            "32_per_commit": store_limit.store_writes(limit_url, bodies[:10_000], 32, options.seconds / 4),
            "256_per_commit": store_limit.store_writes(limit_url, bodies[10_000:], 256, options.seconds / 4),
        }
        server = Server(data, "" if options.store == "sqlite" else url, options.workers)
        report["start_seconds"] = server.start_seconds
        stream = events.stream(options.jobs)
        size = len(next(stream))
        report["event_bytes"] = size
        shared = {"connections": options.connections}
        prepared = _prepare(stream, int(options.seconds * 4000))
        measure(server, iter(prepared[: options.jobs * 2]), 600, **shared)  # every job once: from here on they repeat
        report["repeating"] = measure(server, iter(prepared[options.jobs * 2 :]), options.seconds, **shared)
        report["batches"] = in_batches(server, stream, options)
        half = report["repeating"]["events_per_second"] / 2
        paced = _prepare(stream, int(half * options.seconds) + 100)
        report["half_rate"] = measure(server, iter(paced), options.seconds, rate=half, **shared)
        for name, new in (("every_facet_new", events.New.FACETS), ("every_name_new", events.New.NAMES)):
            bodies = _prepare(events.stream(options.jobs, seed=7, new=new), int(options.seconds * 1500))
            report[name] = measure(server, iter(bodies), options.seconds, **shared)
        report["peak_memory_mb"] = round(server.memory())
        server.stop()
        raw.append(store_limit.raw_limit(limit_url, prepared[:20_000], options.seconds / 4))
    report["batches_on_all_cores"] = on_all_cores(options, prepared[:20_000])
    report["raw_limit"] = {name: round((raw[0][name] + raw[1][name]) / 2) for name in raw[0]} | {"measured": raw}
    report["result"] = result(report, options.workers)
    if options.preload and options.store == "sqlite":
        report["preload"] = compare_with_preload(options.preload, options.jobs, options.seconds, shared)
    print(json.dumps(report, indent=2))


def _prepare(stream, count: int) -> list[bytes]:
    """Made beforehand, so that making them does not count."""
    return list(itertools.islice(stream, count))


if __name__ == "__main__":
    main()
