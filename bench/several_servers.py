"""How throughput grows with API processes on one database.

    python bench/several_servers.py [--store postgresql|mariadb] [--servers 1 2 4] [--seconds 10]

Every process gets an equal share of the connections and of the same stream of events; prints one JSON object. Load,
servers and database share the machine, so more processes than cores can only show that they do not get in each
other's way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import events
import load
import store_limit
from ingest import Server, _prepare, _run


async def drive_all(servers: list[Server], bodies, seconds: float, connections: int) -> list[load.Result]:
    each = max(1, connections // len(servers))
    drives = [load.drive("127.0.0.1", server.port, bodies, seconds=seconds, connections=each) for server in servers]
    return await asyncio.gather(*drives)


def measure(count: int, store: str, jobs: int, seconds: float, connections: int) -> dict:
    with store_limit.durable_store(store) as (data, url, _):
        servers = [Server(data, url) for _ in range(count)]
        stream = events.stream(jobs)
        _run(drive_all(servers, iter(_prepare(stream, jobs * 4)), 600, connections))  # every job once, to most of them
        before = [server.cpu() for server in servers]
        prepared = _prepare(stream, int(seconds * 4000))
        results = _run(drive_all(servers, iter(prepared), seconds, connections))
        cpu = sum(server.cpu() for server in servers) - sum(before)
        for server in servers:
            server.stop()
    together = load.Result()
    for result in results:
        together.latencies += result.latencies
        together.seconds = max(together.seconds, result.seconds)
        together.statuses = dict(Counter(together.statuses) + Counter(result.statuses))
    summary = together.summary()
    summary["events_per_second_by_server"] = [result.summary()["events_per_second"] for result in results]
    summary["server_cpu_ms_per_event"] = round(cpu * 1000 / max(1, summary["events"]), 3)
    return summary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--store", choices=[store for store in store_limit.STORES if store != "sqlite"], default="postgresql"
    )
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    report: dict = {"cores": os.cpu_count(), "store": options.store, "servers": {}}
    for count in options.servers:
        arguments = (options.store, options.jobs, options.seconds, options.connections)
        report["servers"][count] = measure(count, *arguments)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
