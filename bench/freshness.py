"""How long after its `201` an event is in the derived tables, in `headwater up` with its pipeline.

    python bench/freshness.py [--events 20] [--pause 1.0]

Starts a server on an empty SQLite store, sends the first event as soon as the server answers, while Spark still starts,
and the others one by one once that is worked in. Looks every hundredth of a second whether the run has its summary.
Prints one JSON object: seconds, the first by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import platform
import sqlite3
import statistics
import sys
import tempfile
import time
import urllib.request
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import events
from ingest import Server

TARGET_SECONDS = 3
LONGEST_SECONDS = 120


def send(port: int, body: bytes) -> None:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/lineage", body)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 201


def wait_for(database: sqlite3.Connection, run: bytes) -> float:
    """Seconds until the run has a summary."""
    began = time.perf_counter()
    while time.perf_counter() - began < LONGEST_SECONDS:
        with contextlib.suppress(sqlite3.OperationalError):  # the pipeline is writing
            if database.execute("SELECT 1 FROM run_summary WHERE tenant = 1 AND run = ?", (run,)).fetchone():
                return time.perf_counter() - began
        time.sleep(0.01)
    raise SystemExit(f"run {run.hex()} was not worked in within {LONGEST_SECONDS} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=20)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two events")
    options = parser.parse_args()
    waited = []
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as data:
        server = Server(data, pipeline=True)
        database = sqlite3.connect(f"file:{data}/headwater.db?mode=ro", uri=True)
        starts = (body for body in events.stream(jobs=options.events) if b'"START"' in body)
        for body in itertools.islice(starts, options.events + 1):
            run = uuid.UUID(json.loads(body)["run"]["runId"]).bytes
            send(server.port, body)
            waited.append(round(wait_for(database, run), 2))
            time.sleep(options.pause)
        database.close()
        server.stop()
    first, *others = waited
    report = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()[0]},
        "target_seconds": TARGET_SECONDS,
        "first_seconds": first,
        "median_seconds": round(statistics.median(others), 2),
        "slowest_seconds": max(others),
        "seconds": others,
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
