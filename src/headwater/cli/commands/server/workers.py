"""Several processes on one port, and one that looks after them.

Each worker has a listening socket of its own on the same port, among which the kernel shares new connections. The
sockets stay open in the parent: connections that arrive while a worker is started again wait for it.
"""

from __future__ import annotations

import logging
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

__all__ = ["shared_metrics", "supervise"]

_log = logging.getLogger(__name__)
_METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
_STEADY_SECONDS = 5.0
"""A worker that ran for so long is started again at once; another one after a while, which doubles each time."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_STOP_SECONDS = 20.0
"""Time for workers to end by themselves: more than uvicorn gives to running requests."""


class _Worker:
    """One of the processes; its number changes when it is started again."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.pid: int | None = None
        self.began = 0.0
        self.pause = 0.0
        self.due = 0.0

    def ended(self, now: float) -> None:
        self.pid = None
        steady = now - self.began > _STEADY_SECONDS
        self.pause = 0.0 if steady else min(max(_SHORTEST_PAUSE, self.pause * 2), _LONGEST_PAUSE)
        self.due = now + self.pause


@contextmanager
def shared_metrics() -> Iterator[None]:
    """A folder in which processes add up their metrics; the library looks for it when it is loaded."""
    folder = tempfile.mkdtemp(prefix="headwater-metrics-")
    os.environ[_METRICS_FOLDER] = folder
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def supervise(listeners: Sequence[socket.socket], serve: Callable[[socket.socket], None]) -> None:
    """Run a worker for each socket until asked to stop, and restart those that end before."""
    from prometheus_client import multiprocess

    workers = [_Worker(listener) for listener in listeners]
    lifeline = os.pipe()
    with _signals() as wait:
        is_stopping = False
        while not is_stopping:
            now = time.monotonic()
            for worker in workers:
                if worker.pid is None and worker.due <= now:
                    _start(worker, serve, lifeline)
            pauses = [worker.due - now for worker in workers if worker.pid is None]
            is_stopping = wait(min(pauses, default=None)) is not None
            for worker, status in _reap(workers):
                multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
                if not is_stopping:
                    code = os.waitstatus_to_exitcode(status)
                    _log.error("a worker ended and is started again", extra={"worker": worker.pid, "exit_code": code})
                worker.ended(time.monotonic())
        _stop(workers, wait)
    for end in lifeline:
        os.close(end)


def _start(worker: _Worker, serve: Callable[[socket.socket], None], lifeline: tuple[int, int]) -> None:
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # none for the child before it has its own handlers
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            os.close(lifeline[1])
            threading.Thread(target=_end_with_parent, args=(lifeline[0],), daemon=True).start()
            serve(worker.listener)
            code = 0
        except BaseException:  # noqa: BLE001 - whatever it is, the child must not go on as its parent
            _log.exception("a worker failed")
        finally:
            logging.shutdown()
            os._exit(code)
    worker.pid, worker.began = pid, time.monotonic()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _end_with_parent(lifeline: int) -> None:
    """Nobody writes to the pipe: reading from it ends when the parent does, however that happened."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _reap(workers: Sequence[_Worker]) -> list[tuple[_Worker, int]]:
    ended = []
    for worker in workers:
        if worker.pid is not None:
            pid, status = os.waitpid(worker.pid, os.WNOHANG)
            if pid:
                ended.append((worker, status))
    return ended


def _stop(workers: Sequence[_Worker], wait: Callable[[float | None], int | None]) -> None:
    for worker in workers:
        worker.listener.close()  # nobody will take what arrives from now on
    _send(workers, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_SECONDS
    while any(worker.pid is not None for worker in workers):
        if time.monotonic() > deadline:
            _send(workers, signal.SIGKILL)
        wait(min(1.0, max(0.05, deadline - time.monotonic())))
        for worker, _ in _reap(workers):
            worker.pid = None


def _send(workers: Sequence[_Worker], number: signal.Signals) -> None:
    for worker in workers:
        if worker.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(worker.pid, number)


@contextmanager
def _signals() -> Iterator[Callable[[float | None], int | None]]:
    """A function that sleeps until a signal or a time-out, and gives the signal if it asks to stop."""
    here, there = socket.socketpair()
    here.setblocking(False)
    there.setblocking(False)
    before = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
    for number in _SIGNALS:
        signal.signal(number, lambda *_: None)

    def wait(seconds: float | None) -> int | None:
        if select.select([here], [], [], seconds)[0]:
            arrived = here.recv(4096)
            return next((number for number in arrived if number in (signal.SIGTERM, signal.SIGINT)), None)
        return None

    try:
        yield wait
    finally:
        signal.set_wakeup_fd(before)
        here.close()
        there.close()
