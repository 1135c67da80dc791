"""The pipeline beside the server: a process of its own, started after the server answers, and restarted if it ends.

The server goes on without it: derived figures are then only older.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from headwater.api.operators.tenants.sync_process import PARENT
from headwater.settings import Settings

__all__ = ["is_beside_server", "leave_with_parent", "with_pipeline"]

_log = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 300.0
_HEALTHY = 60.0
"""A process that ran so long was not broken from the start."""
_PATIENCE = 15.0


@contextmanager
def with_pipeline(settings: Settings) -> Iterator[None]:
    """The pipeline runs meanwhile, unless it is switched off or Spark is not installed."""
    if not settings.pipeline:
        yield
        return
    if find_spec("pyspark") is None:
        _log.warning("no pipeline: Spark is not installed; pip install 'headwater[spark]', or say --no-pipeline")
        yield
        return
    process = _PipelineProcess(settings)
    process.start()
    try:
        yield
    finally:
        process.stop()


class _PipelineProcess:
    """Owns the process and the thread that watches it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="headwater-pipeline", daemon=True)

    def start(self) -> None:
        self._watcher.start()

    def stop(self) -> None:
        """End the process; waits for it."""
        self._stopping.set()
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and Java with it
            process.wait()

    def _watch(self) -> None:
        pause = _FIRST_PAUSE
        while not self._stopping.is_set():
            began = time.monotonic()
            self._process = self._spawn()
            code = self._process.wait()
            if self._stopping.is_set():
                return
            if time.monotonic() - began > _HEALTHY:
                pause = _FIRST_PAUSE
            _log.error("the pipeline ended and is started again", extra={"exit_code": code, "seconds": pause})
            self._stopping.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _spawn(self) -> subprocess.Popen[bytes]:
        settings = self._settings
        environment = {**os.environ, PARENT: str(os.getpid()), "HEADWATER_DATA": settings.data}
        if settings.store:  # not as an argument: there may be a password in it, and everybody sees arguments
            environment["HEADWATER_STORE"] = settings.store
        command = [sys.executable, "-m", "headwater", "pipeline", "stream", "--master", settings.master]
        return subprocess.Popen(  # noqa: S603 - our own command
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the server, which then stops this
        )


def is_beside_server() -> bool:
    """In the process itself: whether a server started it."""
    return PARENT in os.environ


def leave_with_parent() -> None:
    """In the process itself: end when the server that started it is gone, however it went."""
    parent = os.environ.get(PARENT)
    if parent is None:
        return

    def watch() -> None:
        while os.getppid() == int(parent):
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_PATIENCE)
        os._exit(1)

    threading.Thread(target=watch, name="headwater-parent", daemon=True).start()
