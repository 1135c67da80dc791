"""`kill -9` of a stream's driver and of its Python workers, while events come in: each event is there, once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.store.engine import make_engine
from headwater.store.read.dump import dump_graph
from headwater.store.read.reader import Reader
from tests.ingest.test_kill import event
from tests.pipeline.test_equivalence import log, opened
from tests.processes import descendants_of
from tests.servers.kafka import Kafka
from tests.store.test_contract import ALWAYS, graph_of

BODIES = [event(worker, number, "stream") for number in range(1, 241) for worker in range(3)]
WAIT = 250


class Streaming:
    """A stream in a process group of its own."""

    def __init__(self, data: Path, *options: str) -> None:
        command = [sys.executable, "-m", "headwater", "pipeline", "stream", "--data", str(data), "--trigger", "100ms"]
        small = ["--master", "local[2]", "--conf", "spark.driver.memory=512m"]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
        self._data = data
        self._errors = (data / "stream.log").open("ab")
        self.process = subprocess.Popen(
            [*command, *small, *options], stdout=self._errors, stderr=self._errors, env=clean, start_new_session=True
        )

    def kill(self) -> None:
        """Driver, Java and workers at once, as when the machine goes."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)

    def kill_driver(self) -> None:
        """The driver alone; Java finds out by itself."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def kill_worker(self) -> bool:
        """One of the Python processes that do the work, if there is one just now."""
        workers = [pid for pid in descendants_of(self.process.pid) if _is_worker(pid)]
        if workers:
            os.kill(workers[-1], signal.SIGKILL)
        return bool(workers)

    def wait(self) -> int:
        code = self.process.wait(WAIT)
        self._errors.close()
        return code

    def tail(self) -> str:
        return (self._data / "stream.log").read_text(errors="replace")[-4000:]

    def end(self) -> None:
        """Whatever is left of it."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        finally:
            self._errors.close()
        self.process.wait(30)


def _is_worker(pid: int) -> bool:
    """A child of the process that forks workers, which is called the same."""
    try:
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return all("pyspark.daemon" in Path(f"/proc/{each}/cmdline").read_text() for each in (pid, parent))
    except OSError:
        return False


def _stored(url: str) -> int:
    engine = make_engine(url)
    try:
        return Reader(engine).count_events(1, **ALWAYS)
    finally:
        engine.dispose()


def _wait_until(holds: Callable[[], bool], stream: Streaming) -> None:
    deadline = time.monotonic() + WAIT
    while not holds():
        assert stream.process.poll() is None, f"the stream ended:\n{stream.tail()}"
        assert time.monotonic() < deadline, f"too slow:\n{stream.tail()}"
        time.sleep(0.02)


def _headwater(command: str, data: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "headwater", command, "--data", str(data)], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def _check(data: Path) -> None:
    url = f"sqlite:///{data}/headwater.db"
    assert log(url) == sorted(BODIES), "an event is lost, or there twice"
    assert _headwater("dump", data) == _headwater("fold", data) == list(dump_graph(graph_of(tuple(BODIES), 1)))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    opened(f"sqlite:///{folder}/headwater.db")
    return folder


def _run_and_kill(data: Path, source: list[str], kill: Callable[[Streaming], None], *, worker: bool = False) -> None:
    """Start a stream, perhaps take a worker from it, and kill it when the log has grown."""
    url = f"sqlite:///{data}/headwater.db"
    before, stream = _stored(url), Streaming(data, *source)
    try:
        if worker:
            _wait_until(stream.kill_worker, stream)
        _wait_until(lambda: _stored(url) > before, stream)
        time.sleep(random.Random(before).uniform(0, 0.3))
        kill(stream)
    finally:
        stream.end()


@pytest.mark.slow
@pytest.mark.timeout(900)  # on a busy machine Spark alone takes a minute to start, and starts three times
def test_kill_under_production(kafka: Kafka, kafka_jars: str, data: Path) -> None:
    """Killed when rows appear in the log, which is inside a batch, after a part of its write."""
    kafka.make_topic("killed", 2)
    url = f"sqlite:///{data}/headwater.db"
    source = [
        "--kafka",
        kafka.address,
        "--topic",
        "killed",
        "--max-events",
        "120",
        "--conf",
        f"spark.jars={kafka_jars}",
    ]
    stop = threading.Event()
    sent: list[bytes] = []

    def produce() -> None:
        rest = list(BODIES)
        while rest:
            size = len(rest) if stop.is_set() else 40
            part, rest = rest[:size], rest[size:]
            kafka.send("killed", part)
            sent.extend(part)
            stop.wait(0.4)

    producing = threading.Thread(target=produce)
    producing.start()
    try:
        _run_and_kill(data, source, Streaming.kill)
        _run_and_kill(data, source, Streaming.kill_driver, worker=True)
        assert _stored(url) < len(BODIES), "nothing was left to do after the last kill"
    finally:
        stop.set()
        producing.join()
    last = Streaming(data, *source, "--once")
    try:
        assert last.wait() == 0, last.tail()
    finally:
        last.end()
    assert sent == BODIES
    _check(data)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_kill_while_files_land(data: Path, tmp_path: Path) -> None:
    landing, url = tmp_path / "landing", f"sqlite:///{data}/headwater.db"
    landing.mkdir()
    source = ["--folder", str(landing), "--max-files", "4"]

    def land(start: int, end: int) -> None:
        for at in range(start, end, 60):
            (landing / f"_{at}").write_bytes(b"\n".join(BODIES[at : at + 60]) + b"\n")
            (landing / f"_{at}").rename(landing / f"{at}.ndjson")

    land(0, 360)
    _run_and_kill(data, source, Streaming.kill)
    assert _stored(url) < len(BODIES)
    land(360, len(BODIES))
    last = Streaming(data, *source, "--once")
    try:
        assert last.wait() == 0, last.tail()
    finally:
        last.end()
    _check(data)
