"""Questions handed to a process of their own. While there is none, the server answers them itself."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import pickle
import socket
import subprocess
import sys
from typing import Any

from headwater.api.frames import CALLER, Answer, read_frame, write_frame
from headwater.cores import everywhere
from headwater.settings import Settings

__all__ = ["Answerers"]

_log = logging.getLogger(__name__)
_PATHS = tuple(f"/api/v2/{word}" for word in ("lineage", "impact", "paths", "diff"))
_MARQUEZ = ("/api/v1/lineage", "/api/v1/column-lineage", "/openlineage/lineage")
_SCOPE = ("type", "http_version", "method", "scheme", "path", "raw_path", "query_string", "root_path", "headers")
_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_STOP_SECONDS = 5.0
_FRAME = 1 << 20


class Answerers:
    """So many processes that answer what takes long to answer."""

    def __init__(self, settings: Settings, count: int) -> None:
        self._all = [_Answerer(settings) for _ in range(count)]

    def start(self) -> None:
        for answerer in self._all:
            answerer.start()

    async def stop(self) -> None:
        await asyncio.gather(*(answerer.stop() for answerer in self._all))

    def report(self) -> dict[str, int]:
        """What they are busy with."""
        return {
            "processes": len(self._all),
            "ready": sum(answerer.is_ready for answerer in self._all),
            "questions": sum(answerer.questions for answerer in self._all),
        }

    def ready(self, scope: Any) -> _Answerer | None:
        """The process that is to be asked this, if any."""
        if scope["method"] != "GET" or not scope["path"].startswith((*_PATHS, *_MARQUEZ)):
            return None
        idle = [answerer for answerer in self._all if answerer.is_ready]
        return min(idle, key=lambda answerer: answerer.questions) if idle else None


class _Answerer:
    """One process, started again when it ends."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_ready(self) -> bool:
        return self._writer is not None

    @property
    def questions(self) -> int:
        return len(self._waiting)

    def start(self) -> None:
        self._keeper = asyncio.ensure_future(self._keep())

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeper
        if self._process is not None:
            await asyncio.to_thread(_end, self._process)

    async def ask(self, scope: Any, send: Any) -> bool:
        """Have a question answered; False if the process ended meanwhile."""
        writer = self._writer
        if writer is None:
            return False
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            write_frame(writer, (number, {name: scope[name] for name in (*_SCOPE, CALLER) if name in scope}))
            answer = await future
        except ConnectionError:
            return False
        finally:
            self._waiting.pop(number, None)
        await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
        await send({"type": "http.response.body", "body": answer.body})
        return True

    async def _keep(self) -> None:
        pause = _PAUSE
        while True:
            try:
                was_ready = await self._run()
            except OSError as error:
                _log.warning("a process for questions cannot be started", extra={"reason": str(error)})
                was_ready = False
            pause = _PAUSE if was_ready else min(pause * 2, _LONGEST_PAUSE)
            _log.warning("a process for questions ended; the server answers until the next one is ready")
            await asyncio.sleep(pause)

    async def _run(self) -> bool:
        """Start the process and take its answers until it ends; False if it never was ready."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _start(self._settings, theirs)
        reader, writer = await asyncio.open_unix_connection(sock=ours, limit=_FRAME)
        try:
            while True:
                answer: Answer = await read_frame(reader)
                if answer.number == 0:
                    self._writer = writer
                elif (future := self._waiting.get(answer.number)) is not None and not future.done():
                    future.set_result(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            return self._writer is not None
        finally:
            self._writer = None
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(ConnectionResetError())
            writer.close()
            if self._process is not None and self._process.poll() is None:
                await asyncio.shield(asyncio.to_thread(_end, self._process))


def _start(settings: Settings, connection: socket.socket) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name != "PROMETHEUS_MULTIPROC_DIR"}
    command = [sys.executable, "-P", "-m", "headwater.api.answering", str(connection.fileno())]
    process = subprocess.Popen(  # noqa: S603 - this program itself
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=(connection.fileno(),), env=environment
    )
    everywhere(process.pid)
    if process.stdin is not None:
        with process.stdin:
            pickle.dump(settings, process.stdin)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """It ends by itself once its socket is closed."""
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
