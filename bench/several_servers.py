"""How throughput grows with the processes of one server.

    python bench/several_servers.py [--store postgresql|mariadb] [--workers 1 2 4] [--seconds 10]

Starts `headwater up --workers N` on an empty database and sends as fast as it answers; prints one JSON object. Load,
workers and database share the machine, so more processes than cores can only show that they do not get in each
other's way.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import events
import load
import store_limit
from ingest import Server, _prepare, _run


def measure(workers: int, store: str, jobs: int, seconds: float, connections: int) -> dict:
    with store_limit.durable_store(store) as (data, url, _):
        server = Server(data, url, workers)
        stream = events.stream(jobs)

        def drive(count: int, longest: float) -> load.Result:
            bodies = iter(_prepare(stream, count))
            return _run(load.drive("127.0.0.1", server.port, bodies, seconds=longest, connections=connections))

        drive(jobs * 4, 600)  # every job once, to most of them
        before = {pid: server.cpu_of(pid) for pid in server.processes()}
        summary = drive(int(seconds * 4000), seconds).summary()
        used = [server.cpu_of(pid) - cpu for pid, cpu in before.items()]
        server.stop()
    summary["events_per_second_per_worker"] = round(summary["events_per_second"] / workers)
    summary["server_cpu_ms_per_event"] = round(sum(used) * 1000 / max(1, summary["events"]), 3)
    summary["share_of_work_by_worker"] = [round(one / sum(used), 2) for one in used]
    return summary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--store", choices=[store for store in store_limit.STORES if store != "sqlite"], default="postgresql"
    )
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    report: dict = {"cores": os.cpu_count(), "store": options.store, "workers": {}}
    for count in options.workers:
        arguments = (options.store, options.jobs, options.seconds, options.connections)
        report["workers"][count] = measure(count, *arguments)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
