"""Process of workers beside a server: started once a tenant has a model, woken by notes, restarted if it ends.

Ingest does not depend on it: notes wait in the database.
"""

from __future__ import annotations

import logging
import select
import socket
import subprocess
import threading
import time
from typing import BinaryIO, NamedTuple, cast

import sqlalchemy as sa

from headwater.background import Background
from headwater.child import end_child, receive, start_child
from headwater.settings import Settings
from headwater.store.tasks.tenants import are_enabled
from headwater.tasks.meter import Collected, TaskMeter

__all__ = ["STOP", "WAKE", "TaskProcess"]

_log = logging.getLogger(__name__)
_MODULE = "headwater.cli.commands.server.task_process"
WAKE, STOP = b"w", b"s"
_LOOK_SECONDS = 1.0
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_STEADY_SECONDS = 30.0


class _Child(NamedTuple):
    process: subprocess.Popen[bytes]
    socket: socket.socket
    stream: BinaryIO
    began: float


class TaskProcess(Background):
    """Owns the process, and the thread that watches it."""

    def __init__(self, settings: Settings, engine: sa.Engine, meter: TaskMeter) -> None:
        super().__init__("task-process")
        self._settings, self._engine, self._meter = settings, engine, meter
        self._child: _Child | None = None
        self._lock = threading.Lock()

    def wake(self) -> None:
        """Something was noted. Never waits, from any thread."""
        with self._lock:
            if self._child is not None:
                try:
                    self._child.socket.send(WAKE, socket.MSG_DONTWAIT)
                except OSError:  # full: it was woken already; or gone: its successor looks by itself
                    return

    @property
    def pid(self) -> int | None:
        """Of the process, if there is one."""
        child = self._child
        return child.process.pid if child is not None else None

    def _run(self) -> None:
        pause, due = _FIRST_PAUSE, 0.0
        while not self._ends.is_set():
            child = self._child
            if child is None:
                if time.monotonic() >= due and self._is_needed():
                    self._start()
                else:
                    self._ends.wait(_LOOK_SECONDS)
                continue
            if not select.select([child.socket], [], [], _LOOK_SECONDS)[0]:
                continue
            collected = _next(child.stream)
            if collected is not None:
                collected.replay(self._meter)
                continue
            pause = _FIRST_PAUSE if time.monotonic() - child.began > _STEADY_SECONDS else min(2 * pause, _LONGEST_PAUSE)
            due = time.monotonic() + pause
            self._let_go()
            _log.error("the process of tasks ended and is started again", extra={"seconds": pause})
        self._let_go()

    def _is_needed(self) -> bool:
        try:
            return are_enabled(self._engine)
        except sa.exc.SQLAlchemyError:  # the database is away, as others say too
            return False

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            process = start_child(_MODULE, self._settings, theirs)
        with self._lock:
            self._child = _Child(process, ours, cast("BinaryIO", ours.makefile("rb")), time.monotonic())

    def _let_go(self) -> None:
        """Close the socket, so that the process ends."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.stream.close()
            child.socket.close()
            end_child(child.process)


def _next(stream: BinaryIO) -> Collected | None:
    """Counters of the process; None once it has ended."""
    try:
        collected: Collected | None = receive(stream)
    except (OSError, EOFError):
        return None
    return collected
