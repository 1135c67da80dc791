"""What a cluster costs beside local mode: the same import and rollup into the same kind of PostgreSQL.

    PYTHONPATH=. python bench/cluster.py [--events 200000] [--rounds 1]

Starts PostgreSQL and a standalone cluster of two workers with one core each, as the tests do, generates a log and runs
`headwater pipeline import` and `rollup` with `local[2]` and on the cluster by turns, each in a process of its own, then
an import of a file without a line. Seconds are a job's own, from when Spark was there. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.servers.postgresql import PostgreSQL
from tests.servers.spark_cluster import SparkCluster

HEADWATER = [sys.executable, "-m", "headwater"]
TARGETS = {"cluster_to_local": 1.3, "import_of_nothing_seconds": 5.0}
LOCAL = ["--master", "local[2]", "--conf", "spark.driver.memory=2g"]
ON_WORKERS = (
    "spark.driver.host=127.0.0.1",
    "spark.executor.memory=700m",
    "spark.executor.cores=1",
    "spark.cores.max=2",
)


def run(command: list[str], folder: Path, url: str) -> dict[str, Any]:
    environment = {**os.environ, "HEADWATER_STORE": url, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [*HEADWATER, "pipeline", *command, "--data", str(folder)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"headwater pipeline {' '.join(command)}: exit code {done.returncode}\n{done.stderr[-4000:]}")
    report: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    print(f"{command[0]} {command[command.index('--master') + 1]}: {report['seconds']} s", file=sys.stderr)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name, PostgreSQL() as server, SparkCluster() as cluster:
        folder = Path(name)
        generate = ["demo", "generate", "--events", str(options.events), "--jobs", "1000", "--out", str(folder / "log")]
        subprocess.run([*HEADWATER, *generate], check=True, stdout=subprocess.DEVNULL)
        (folder / "nothing.ndjson").touch()
        on_cluster = ["--master", cluster.master, *(word for pair in ON_WORKERS for word in ("--conf", pair))]
        places = {"local[2]": LOCAL, "cluster": on_cluster}
        for _ in range(options.rounds):
            for place, master in places.items():
                url = server.make_database()
                report = run(["import", str(folder / "log"), *master], folder, url)
                seconds.setdefault(f"import, {place}", []).append(report["seconds"])
                report = run(["rollup", *master], folder, url)
                seconds.setdefault(f"rollup, {place}", []).append(report["seconds"])
                report = run(["import", str(folder / "nothing.ndjson"), *master], folder, url)
                seconds.setdefault(f"import of nothing, {place}", []).append(report["seconds"])
    ratios = {
        job: round(statistics.median(seconds[f"{job}, cluster"]) / statistics.median(seconds[f"{job}, local[2]"]), 2)
        for job in ("import", "rollup")
    }
    print(json.dumps({"targets": TARGETS, "events": options.events, "seconds": seconds, "ratio": ratios}, indent=2))


if __name__ == "__main__":
    main()
