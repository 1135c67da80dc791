"""Kills at random moments, again and again: whatever is killed, the graph is the fold of the events in the end.

    python -m tests.faults [--seed 1] [--rounds 10] [--events 20000]

Run by `make faults`, not by `make test`. Each round imports a file on a standalone cluster into PostgreSQL, or takes a
topic of Kafka into it, kills something in the middle (driver, worker, executor, database, broker), runs the command
again until it ends well, replays, and compares log and dump. The seed says what is killed when; it is printed first.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from headwater.store.engine import make_engine
from headwater.store.pipeline.jobs import read_jobs
from headwater.store.read.dump import dump_graph
from headwater.store.sql_store import DEFAULT_TENANT
from tests.pipeline.made_events import made_events
from tests.pipeline.test_equivalence import dump, log, opened
from tests.servers.kafka import Kafka, spark_jars
from tests.servers.postgresql import PostgreSQL
from tests.servers.spark_cluster import SparkCluster
from tests.store.test_contract import graph_of

TRIES, WAIT, LATEST = 6, 600, 20.0
SMALL = ("spark.driver.host=127.0.0.1", "spark.executor.memory=512m", "spark.executor.cores=1", "spark.cores.max=2")


class Faults:
    """One run of all rounds."""

    def __init__(self, seed: int, events: int, folder: Path, stack: ExitStack) -> None:
        self._random, self._folder = random.Random(seed), folder
        self._server = stack.enter_context(PostgreSQL())
        self._cluster = stack.enter_context(SparkCluster())
        self._kafka = stack.enter_context(Kafka())
        self._bodies = list(dict.fromkeys(made_events(self._random, events)))
        self._expected = list(dump_graph(graph_of(tuple(self._bodies), DEFAULT_TENANT.id)))
        self._file = folder / "events.ndjson"
        self._file.write_bytes(b"\n".join(self._bodies) + b"\n")

    def round(self, number: int) -> None:
        """One store, one or two kills, one comparison."""
        url = opened(self._server.make_database())
        kinds = ["driver", "worker", "executor", "database", "broker"]
        fault = kinds[number % len(kinds)] if number < len(kinds) else self._random.choice(kinds)
        after = self._random.uniform(0.5, LATEST)
        _say(f"round {number}: {fault} after {after:.1f} s")
        command = self._stream(number) if fault == "broker" else self._import()
        self._until_done(command, url, fault, after)
        self._compare(url, f"round {number}, {fault}")
        self._until_done(["replay", *self._on_cluster()], url, self._random.choice(kinds[:4]), after)
        self._compare(url, f"round {number}, replay")

    def _until_done(self, command: list[str], url: str, fault: str, after: float) -> None:
        for attempt in range(TRIES):
            process = self._start(command, url)
            if attempt == 0:
                self._kill(process, url, fault, after)
            code = process.wait(WAIT)
            if code == 0:
                return
            _say(f"  exit code {code}, again")
        raise SystemExit(f"{command[0]} did not end well:\n{self._log().read_text(errors='replace')[-4000:]}")

    def _kill(self, process: subprocess.Popen[bytes], url: str, fault: str, after: float) -> None:
        """Wait until the job has begun, and so long more; a job that is faster is not disturbed."""
        engine, deadline = make_engine(url), time.monotonic() + 120
        while not read_jobs(engine) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        engine.dispose()
        time.sleep(after)
        if process.poll() is not None:
            _say("  it was faster")
            return
        worker = self._random.randrange(2)
        kills: dict[str, Callable[[], object]] = {
            "driver": lambda: os.killpg(process.pid, signal.SIGKILL),
            "worker": lambda: self._cluster.kill_worker(worker),
            "executor": lambda: self._cluster.kill_executor(worker),
            "database": self._restart_database,
            "broker": self._kafka.restart_after_kill,
        }
        kills[fault]()

    def _restart_database(self) -> None:
        self._server.kill()
        time.sleep(self._random.uniform(0.5, 8))
        self._server.start()

    def _compare(self, url: str, what: str) -> None:
        if log(url) != sorted(self._bodies):
            raise SystemExit(f"{what}: the log has {len(log(url))} events, not {len(self._bodies)}")
        found = dump(url)
        if found != self._expected:
            wrong = sorted(set(found) ^ set(self._expected))
            raise SystemExit(f"{what}: {len(wrong)} lines of the dump differ, the first:\n{wrong[0]}")

    def _import(self) -> list[str]:
        return ["import", str(self._file), *self._on_cluster()]

    def _stream(self, number: int) -> list[str]:
        topic = f"faults-{number}"
        self._kafka.make_topic(topic)
        self._kafka.send(topic, self._bodies)
        where = ["--master", "local[2]", "--conf", f"spark.jars={spark_jars()}", "--max-events", "2000", "--once"]
        return ["stream", "--kafka", self._kafka.address, "--topic", topic, *where]

    def _on_cluster(self) -> list[str]:
        return ["--master", self._cluster.master, *(word for pair in SMALL for word in ("--conf", pair))]

    def _start(self, command: list[str], url: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "HEADWATER_STORE": url, "SPARK_LOCAL_IP": "127.0.0.1"}
        with self._log().open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "headwater", "pipeline", *command, "--data", str(self._folder)],
                cwd=self._folder,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def _log(self) -> Path:
        return self._folder / "jobs.log"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--events", type=int, default=20_000)
    options = parser.parse_args()
    _say(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        faults = Faults(options.seed, options.events, Path(name), stack)
        for number in range(options.rounds):
            faults.round(number)
    _say(f"{options.rounds} rounds: every log and every dump as expected")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
