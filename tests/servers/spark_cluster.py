"""A Spark standalone cluster: a master and two workers with one core each, from the `pyspark` package itself."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from headwater.pipeline.errors import MissingJava
from headwater.pipeline.spark.java import find_java_home
from tests.processes import descendants_of
from tests.servers.process import ServerMissing, free_port

__all__ = ["SparkCluster"]

_WAIT = 120
_WORKERS = 2


class SparkCluster:
    """Use as a context manager; `master` is its address."""

    def __init__(self) -> None:
        found = find_spec("pyspark")
        if found is None or found.origin is None:
            raise ServerMissing("no Spark here: pip install 'headwater[spark]'")
        self._home = Path(found.origin).parent
        try:
            self._java = find_java_home()
        except MissingJava as missing:
            raise ServerMissing(missing.message) from None
        self._processes: list[subprocess.Popen[bytes]] = []
        self._started = 0

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="headwater-spark-"))
        self._log = self.folder / "cluster.log"
        port, self._web = free_port(), free_port()
        self.master = f"spark://127.0.0.1:{port}"
        try:
            self._start("master.Master", "--port", str(port), "--webui-port", str(self._web))
            self._until(lambda _: True)
            for _ in range(_WORKERS):
                self._start_worker()
            self._until(lambda state: state["aliveworkers"] == _WORKERS)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def state(self) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._web}/json/", timeout=10) as answer:
            return json.load(answer)

    def kill_worker(self, number: int) -> None:
        """Kill a worker, and with it its executors; another one takes its place."""
        process = self._processes.pop(1 + number)
        for inner in descendants_of(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(inner, signal.SIGKILL)
        process.kill()
        process.wait(30)
        self._start_worker()

    def kill_executor(self, number: int) -> bool:
        """Kill what a worker runs for an application, if it runs anything."""
        inside = descendants_of(self._processes[1 + number].pid)
        for process in inside:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return bool(inside)

    def _start_worker(self) -> None:
        self._started += 1
        place = ["--work-dir", str(self.folder / f"worker-{self._started}"), "--webui-port", str(free_port())]
        self._start("worker.Worker", "--cores", "1", "--memory", "1g", *place, self.master)

    def tail(self) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-30:])

    def _start(self, name: str, *arguments: str) -> None:
        ends_with_us = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []
        program = [str(self._home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1"]
        environment = {
            **os.environ,
            "JAVA_HOME": self._java,
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "PYSPARK_PYTHON": sys.executable,
        }
        with self._log.open("ab") as output:
            self._processes.append(
                subprocess.Popen(
                    [*ends_with_us, *program, *arguments],
                    stdout=output,
                    stderr=output,
                    env=environment,
                    cwd=self.folder,
                )
            )

    def _until(self, holds: Any) -> None:
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                if holds(self.state()):
                    return
            except (OSError, ValueError):  # its page may come up before it knows what to say
                pass
            if any(process.poll() is not None for process in self._processes) or time.monotonic() > deadline:
                raise RuntimeError(f"the cluster did not start:\n{self.tail()}")
            time.sleep(0.2)
