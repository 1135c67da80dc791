"""Query process: answers questions, so that they do not delay events.

The query pool starts it and sends the settings on standard input. Questions arrive over a socket; when the other end
closes, the process ends.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import socket
from pathlib import Path

from headwater.api.app import Application
from headwater.api.query_process.give_way import Others
from headwater.api.query_process.graph_preloader import GraphPreloader
from headwater.api.query_process.messages import Answer, Asking, tenant_of
from headwater.child import read_frame, settings_of_parent, write_frame
from headwater.deadline import NARROWER, Deadline, TooLargeAnswer, within
from headwater.settings import Settings
from headwater.store.sql_store import SqlStore

__all__ = ["main", "tidy"]

_TIDY_SECONDS = 0.02
"""After an answer, so that it is on its way by then."""
_NEW, _MANY = 20_000, 2_000_000
"""New objects after which a collection pays, and after which it runs even while a question waits."""
_WATCH_SECONDS = 0.25
_NICE = 5
"""Events come first: while there is not enough of the processor for both, questions get the rest."""
_STATM = Path("/proc/self/statm")


class _RunningQuestion:
    """The questions that this process is at."""

    def __init__(self, application: Application, writer: asyncio.StreamWriter) -> None:
        self._application, self._writer = application, writer
        self.deadlines: dict[int, Deadline] = {}
        self._others = Others()

    async def answer(self, asking: Asking) -> None:
        deadline = self.deadlines[asking.number] = Deadline(asking.seconds)
        deadline.at_each_step = self._others.begin(asking.number, tenant_of(asking.scope))
        write_frame(self._writer, Answer(asking.number))
        try:
            with within(deadline):
                reply = await self._application.answer_at_once(asking.scope)
        finally:
            del self.deadlines[asking.number]
            self._others.end(asking.number)
        write_frame(self._writer, Answer(asking.number, *reply))

    def stop(self, number: int) -> None:
        deadline = self.deadlines.get(number)
        if deadline is not None:
            deadline.stop()

    async def watch(self, most: int) -> None:
        """Give up all questions when this process has grown by this many bytes since it was idle."""
        before = _resident()
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            now = _resident()
            if not self.deadlines:
                before = now
            elif now - before > most:
                before = now
                for deadline in list(self.deadlines.values()):
                    deadline.stop(
                        TooLargeAnswer(f"Answering takes more than {most >> 20} MiB of memory.", hint=NARROWER)
                    )


def _resident() -> int:
    """Memory of this process in bytes; 0 if the system does not report it."""
    try:
        return int(_STATM.read_bytes().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def tidy(*, is_idle: bool) -> None:
    """Collect garbage while nobody waits. Objects that remain are frozen, so later collections skip them."""
    new = gc.get_count()[0]
    if new > _MANY or (new > _NEW and is_idle):
        gc.collect()
        gc.freeze()


def _tidy_after(under_way: set[asyncio.Task[None]], graph_preloader: GraphPreloader) -> None:
    """Often, so that there is little to look at; but not while a graph is read, since all of that stays."""
    if not graph_preloader.is_reading:
        tidy(is_idle=not under_way)


async def _serve(settings: Settings, connection: socket.socket) -> None:
    application = Application(settings, SqlStore(settings.store_url, statement_seconds=settings.question_seconds))
    application.start()
    graph_preloader = application.graph_preloader()
    graph_preloader.start()
    reader, writer = await asyncio.open_unix_connection(sock=connection)
    under_way: set[asyncio.Task[None]] = set()
    work = _RunningQuestion(application, writer)
    watch = asyncio.ensure_future(work.watch(settings.question_bytes))
    write_frame(writer, Answer(0))
    gc.disable()
    later = asyncio.get_running_loop().call_later

    def done(task: asyncio.Task[None]) -> None:
        under_way.discard(task)
        later(_TIDY_SECONDS, _tidy_after, under_way, graph_preloader)

    try:
        while True:
            asking: Asking = await read_frame(reader)
            if asking.scope is None:
                work.stop(asking.number)
                continue
            task = asyncio.ensure_future(work.answer(asking))
            under_way.add(task)
            task.add_done_callback(done)
    except (asyncio.IncompleteReadError, ConnectionError):
        watch.cancel()
        graph_preloader.stop()
        await application.stop()


def main() -> None:
    asyncio.run(_serve(*settings_of_parent(_NICE)))


if __name__ == "__main__":
    main()
