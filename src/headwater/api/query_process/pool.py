"""Questions handed to a process of their own. Until the first one is ready, the server answers them itself."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import socket
import subprocess
import time
from typing import Any

from headwater.api.query_process.messages import BEGUN, BODY, CALLER, Answer, Asking
from headwater.child import end_child, read_frame, start_child, write_frame
from headwater.deadline import NARROWER, Deadline, TooSlow
from headwater.errors import HeadwaterError
from headwater.ingest.errors import Overloaded
from headwater.settings import Settings

__all__ = ["QueryPool", "QuestionLost", "Reply"]

_log = logging.getLogger(__name__)
_Key = tuple[int, str, bytes]
Reply = tuple[int, list[tuple[bytes, bytes]], bytes]
"""Status, headers and body of an answer."""
_SCOPE = ("type", "http_version", "method", "scheme", "path", "raw_path", "query_string", "root_path", "headers")
_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_FRAME = 1 << 20
_GRACE = 3.0
"""Seconds that a process has to give up a question."""
_LOOK_AGAIN = 0.05
_FATAL_SECONDS, _MOST_FATAL = 60.0, 1000
"""How long a question that ended its process is not asked again, and of how many that is known."""


class QuestionLost(HeadwaterError):
    """The process that worked on a question ended. The question may be why, so it is not asked again."""

    code = "question_lost"


class _Unasked(Exception):
    """The process ended, and not because of this question: another one may be asked."""


class QueryPool:
    """The query processes of a server."""

    def __init__(self, settings: Settings, count: int) -> None:
        self._all = [_QueryProcess(settings) for _ in range(count)]
        self._fatal: dict[_Key, float] = {}
        """Questions that ended a process, and until when they are not asked again."""

    @property
    def count(self) -> int:
        return len(self._all)

    def start(self) -> None:
        for process in self._all:
            process.start()

    async def stop(self) -> None:
        await asyncio.gather(*(process.stop() for process in self._all))

    def report(self) -> dict[str, int]:
        """Current load of the processes."""
        return {
            "processes": len(self._all),
            "ready": sum(process.is_ready for process in self._all),
            "questions": sum(process.questions for process in self._all),
        }

    async def ask(self, scope: Any, deadline: Deadline) -> Reply | None:
        """Have a question answered; None if the server is to answer it itself.

        That is so until a process is ready for the first time. After a process ended, questions wait for the next
        one: the server might not survive a question that a process did not survive.
        """
        key = _key_of(scope)
        if self._fatal.get(key, 0.0) > time.monotonic():
            raise QuestionLost("The process that was to answer this question a moment ago ended.", hint=NARROWER)
        while True:
            process = await self._ready(deadline)
            if process is None:
                return None
            try:
                answer = await process.ask(scope, deadline)
            except _Unasked:
                continue
            except (QuestionLost, TooSlow):
                if process.culprit is not None and process.culprit == _key_of(scope):
                    self._note_fatal(key)
                raise
            return answer.status, answer.headers, answer.body

    async def _ready(self, deadline: Deadline) -> _QueryProcess | None:
        while True:
            ready = [process for process in self._all if process.is_ready]
            if ready:
                return min(ready, key=lambda process: process.questions)
            if not any(process.was_ready for process in self._all):
                return None
            if deadline.left <= 0:
                deadline.check()
                raise Overloaded("No process is ready to answer questions.", hint="Ask again in a moment.")
            await asyncio.sleep(min(_LOOK_AGAIN, deadline.left))

    def _note_fatal(self, key: _Key) -> None:
        now = time.monotonic()
        self._fatal = {other: until for other, until in self._fatal.items() if until > now}
        if len(self._fatal) < _MOST_FATAL:
            self._fatal[key] = now + _FATAL_SECONDS


class _PendingQuestion:
    """A question that a process is at."""

    __slots__ = ("future", "has_begun", "key")

    def __init__(self, future: asyncio.Future[Answer], key: _Key) -> None:
        self.future, self.key, self.has_begun = future, key, False


class _QueryProcess:
    """One process, started again when it ends."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._numbers = itertools.count(1)
        self._asked: dict[int, _PendingQuestion] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.was_ready = False
        self.culprit: _Key | None = None
        """The question because of which it ended, if that is known."""

    @property
    def is_ready(self) -> bool:
        return self._writer is not None

    @property
    def questions(self) -> int:
        return len(self._asked)

    def start(self) -> None:
        self._keeper = asyncio.ensure_future(self._keep())

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeper
        if self._process is not None:
            await asyncio.to_thread(end_child, self._process)

    async def ask(self, scope: Any, deadline: Deadline) -> Answer:
        """Have a question answered.

        At the deadline the process is told to cancel it; if it does not react, it is killed.
        """
        writer = self._writer
        if writer is None:
            raise _Unasked
        loop, number = asyncio.get_running_loop(), next(self._numbers)
        asked = self._asked[number] = _PendingQuestion(loop.create_future(), _key_of(scope))
        handed = {name: scope[name] for name in (*_SCOPE, CALLER, BODY) if name in scope}
        timers = [loop.call_later(deadline.left + _GRACE, self._give_up, asked, deadline)]

        def stop() -> None:
            write_frame(writer, Asking(number))
            timers.append(loop.call_later(_GRACE, self._give_up, asked, deadline))

        try:
            write_frame(writer, Asking(number, handed, deadline.left))
            deadline.when_stopped(stop)
            return await asked.future
        except ConnectionError:
            raise self._unanswered(asked) from None
        finally:
            deadline.when_stopped(None)
            for timer in timers:
                timer.cancel()
            self._asked.pop(number, None)

    def _unanswered(self, asked: _PendingQuestion) -> Exception:
        if not asked.has_begun or (self.culprit is not None and self.culprit != asked.key):
            return _Unasked()
        return QuestionLost("The process that was to answer this question ended.", hint=NARROWER)

    def _give_up(self, asked: _PendingQuestion, deadline: Deadline) -> None:
        """The process does not listen any more: nobody else must wait for that."""
        if asked.future.done():
            return
        _log.error("a question did not end in time, so its process is ended", extra={"route": asked.key[1]})
        self.culprit = asked.key
        asked.future.set_exception(deadline.too_slow())
        self._writer = None  # no more questions for it
        if self._process is not None:
            self._process.kill()

    async def _keep(self) -> None:
        pause = _PAUSE
        while True:
            try:
                was_ready = await self._run()
            except OSError as error:
                _log.warning("a process for questions cannot be started", extra={"reason": str(error)})
                was_ready = False
            pause = _PAUSE if was_ready else min(pause * 2, _LONGEST_PAUSE)
            _log.warning("a process for questions ended; the next one is started")
            await asyncio.sleep(pause)

    async def _run(self) -> bool:
        """Start the process and take its answers until it ends; False if it never was ready."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = start_child("headwater.api.query_process.worker", self._settings, theirs)
        reader, writer = await asyncio.open_unix_connection(sock=ours, limit=_FRAME)
        was_ready = False
        try:
            while True:
                answer: Answer = await read_frame(reader)
                if answer.number == 0:
                    self._writer, self.was_ready, self.culprit = writer, True, None
                    was_ready = True
                elif (asked := self._asked.get(answer.number)) is None or asked.future.done():
                    continue
                elif answer.status == BEGUN:
                    asked.has_begun = True
                else:
                    asked.future.set_result(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            return was_ready
        finally:
            self._writer = None
            self._let_go()
            writer.close()
            if self._process is not None and self._process.poll() is None:
                await asyncio.shield(asyncio.to_thread(end_child, self._process))

    def _let_go(self) -> None:
        """The process ended: fail all questions that wait for it."""
        waiting = [asked for asked in self._asked.values() if not asked.future.done()]
        begun = [asked for asked in waiting if asked.has_begun]
        if self.culprit is None and len(begun) == 1:
            self.culprit = begun[0].key
        for asked in waiting:
            asked.future.set_exception(ConnectionResetError())


def _key_of(scope: Any) -> _Key:
    """Key that is equal for equal questions."""
    caller = scope.get(CALLER)
    tenant = caller.tenant.id if caller is not None and caller.tenant is not None else 0
    return tenant, scope["path"], scope["query_string"] + scope.get(BODY, b"")
