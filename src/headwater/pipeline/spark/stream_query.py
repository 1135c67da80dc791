"""Runs a stream in micro-batches; restarts a failed query from its checkpoint."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec
from msgspec import Struct

from headwater.pipeline.errors import PipelineError, StreamFailed
from headwater.pipeline.spark.failure_cause import cause_of
from headwater.store.dialects.failures import is_outage
from headwater.store.engine import make_engine
from headwater.store.pipeline.jobs import PipelineJob, running
from headwater.store.pipeline.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Batch", "BatchReport", "Stream", "StreamReport", "seconds_of"]

_log = logging.getLogger(__name__)
_TRIES = 4
"""Of a stream that has not done anything yet; one that has done something tries for ever."""
_LONGEST_WAIT = 30.0
_HOPELESS = ("AnalysisException", "IllegalArgumentException", "Py4JNetworkError")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Batch(Struct, frozen=True):
    """One micro-batch, for its handler."""

    number: int
    run: str
    """Changes with every start of the query."""
    again: bool
    """Whether it may have been begun before, and cut off."""


class BatchReport(Struct, kw_only=True):
    messages: int = 0
    events: int = 0
    appended: int = 0
    uninterpreted: int = 0
    refused: int = 0
    facts: int = 0
    newest: int | None = None
    """Time of the newest message, if the source has one."""
    position: int | None = None
    """Position in the source; without it, messages are counted."""


class StreamReport(Struct, kw_only=True):
    batches: int = 0
    messages: int = 0
    events: int = 0
    appended: int = 0
    uninterpreted: int = 0
    refused: int = 0
    facts: int = 0
    restarts: int = 0
    seconds: float = 0.0


Work = Callable[["DataFrame", Batch], BatchReport]


def seconds_of(text: str) -> float:
    """A span of time as people write it.

    >>> seconds_of("500ms"), seconds_of("2m")
    (0.5, 120.0)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text.strip())
    if found is None:
        raise PipelineError(f"{text!r} is no span of time.", hint="For example 500ms, 1s or 2m.")
    return float(found.group(1)) * _UNITS[found.group(2)]


class Stream:
    """One stream into a store; `job` is its name in the table of progress."""

    def __init__(
        self,
        store_url: str,
        job: str,
        *,
        on_batch: Callable[[StreamReport], None] = lambda _: None,
        registered: PipelineJob | None = None,
        formerly: str | None = None,
        tenant: int | None = None,
    ) -> None:
        """`registered`, if the caller has registered the job itself; `formerly`, a name that it may have had before;
        `tenant`, if all of its events are of one.
        """
        self.report = StreamReport()
        self._url, self._job, self._on_batch, self._registered = store_url, job, on_batch, registered
        self._tenant = tenant
        self._engine = make_engine(store_url)
        self._progress = Progress(self._engine)
        if formerly is not None:
            self._progress.rename(formerly, job)
        known = next((known for known in self._progress.read_all() if known.job == job), None)
        self._last, self._position = (known.batch, known.position) if known else (-1, 0)
        self._began = time.monotonic()

    def run(
        self,
        source: Callable[[], DataFrame],
        work: Work,
        *,
        checkpoint: str,
        trigger: float = 1.0,
        once: bool = False,
        stop: threading.Event | None = None,
    ) -> StreamReport:
        """Do batches until `stop` is set; with `once`, until all that was there at the start is done."""
        with ExitStack() as kept:
            if self._registered is None:
                self._registered = kept.enter_context(running(self._url, self._job, self._tenant))
            return self._run(source, work, checkpoint, trigger, stop or threading.Event(), once=once)

    def _run(
        self,
        source: Callable[[], DataFrame],
        work: Work,
        checkpoint: str,
        trigger: float,
        stop: threading.Event,
        *,
        once: bool,
    ) -> StreamReport:
        failures = 0
        try:
            while not stop.is_set():
                before = self.report.batches
                try:
                    if self._registered is not None:
                        self._registered.begin_again()
                    query = self._start(source(), work, checkpoint, trigger, once=once)
                    if _wait(query, stop):
                        break
                except Exception as error:
                    if stop.is_set():
                        break
                    failures = 1 if self.report.batches > before else failures + 1
                    self._failed(error)
                    if (failures >= _TRIES and (once or not self.report.batches)) or _is_hopeless(error):
                        raise StreamFailed(
                            f"The stream stopped: {cause_of(error)}",
                            hint="What was taken before is in the store; started again, it goes on where it was.",
                        ) from error
                    self.report.restarts += 1
                    stop.wait(min(2.0 ** (failures - 1), _LONGEST_WAIT))
        finally:
            self.report.seconds = round(time.monotonic() - self._began, 3)
            self._engine.dispose()
        return self.report

    def _start(self, frame: DataFrame, work: Work, checkpoint: str, trigger: float, *, once: bool) -> StreamingQuery:
        run, is_first = uuid4().hex, True

        def do(part: DataFrame, number: int) -> None:
            nonlocal is_first
            began, batch = time.monotonic(), Batch(number, run, is_first)
            done = work(part, batch)
            self._note(batch, done, time.monotonic() - began)
            is_first = False

        writer = frame.writeStream.foreachBatch(do).option("checkpointLocation", checkpoint)
        timed = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{trigger} seconds")
        return timed.start()

    def _note(self, batch: Batch, done: BatchReport, seconds: float) -> None:
        if done.position is not None:
            self._position = max(self._position, done.position)
        elif batch.number != self._last:  # else it is done a second time, and was counted the first
            self._position += done.messages
        self._last = batch.number
        self._progress.write(
            self._job,
            position=self._position,
            batch=batch.number,
            batch_events=done.events,
            batch_seconds=round(seconds, 3),
            now=time.time_ns() // 1000,
            event_received_at=done.newest,
        )
        self.report.batches += 1
        for name in ("messages", "events", "appended", "uninterpreted", "refused", "facts"):
            setattr(self.report, name, getattr(self.report, name) + getattr(done, name))
        self.report.seconds = round(time.monotonic() - self._began, 3)
        if self._registered is not None:
            self._registered.tell("batches", batch.number + 1, 0, msgspec.structs.asdict(self.report))
        self._on_batch(self.report)

    def _failed(self, error: Exception) -> None:
        cause = cause_of(error)
        _log.error("the stream failed", extra={"job": self._job, "reason": cause})
        try:
            self._progress.fail(self._job, cause, time.time_ns() // 1000)
        except Exception as away:
            if not is_outage(away):
                raise


def _wait(query: StreamingQuery, stop: threading.Event) -> bool:
    """Wait for the end of a query, or end it; True when nothing is left to do."""
    while not query.awaitTermination(1):
        if stop.is_set():
            logging.getLogger("py4j").setLevel(logging.CRITICAL)  # a batch that is cut off now is no failure
            query.stop()
            return True
    return True


def _is_hopeless(error: Exception) -> bool:
    """Whether the failure would recur: a wrong option, or a missing source.

    A lost Java process cannot be recovered from either.
    """
    return isinstance(error, (PipelineError, ConnectionError)) or type(error).__name__ in _HOPELESS
