"""How far a job is: a bar on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headwater.cli.output.terminal import SafeConsole, say

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Show", "figures", "progress_shown"]

EVERY = 60.0
"""Seconds between two lines where there is no terminal."""
_BAR_EVERY = 1.0
_BAR_WIDTH = 16

Show = Callable[[str, int, int, str], None]
"""Step, done, total, and further text."""


def figures(report: Any) -> str:
    """Figures of a report.

    >>> from headwater.pipeline.jobs.import_events import ImportReport
    >>> figures(ImportReport(events=3000, seconds=2.0))
    '3,000 events, 1,500/s'
    """
    rate = report.events / report.seconds if report.seconds else 0
    return f"{report.events:,} events, {rate:,.0f}/s"


@contextmanager
def progress_shown(name: str, session: SparkSession | None) -> Iterator[Show]:
    """Shows the progress, and that Spark works while there is none; without a session, only the former."""
    state = _State(name, session)
    with _bar(name, state) if sys.stderr.isatty() else _lines(state):
        yield state.tell


class _State:
    """The last progress."""

    def __init__(self, name: str, session: SparkSession | None) -> None:
        self._name, self._session = name, session
        self._began = time.monotonic()
        self.step, self.done, self.total, self.note = "", 0, 0, ""

    def tell(self, step: str, done: int, total: int, note: str) -> None:
        self.step, self.done, self.total, self.note = step, done, total, note

    def text(self) -> str:
        """Everything but how much of how much."""
        return ", ".join(part for part in (self.step, self.note, self.tasks()) if part)

    def line(self) -> str:
        done = f"{self.done:,} of {self.total:,}" if self.total else ""
        seconds = f"{time.monotonic() - self._began:.0f} s"
        return f"{self._name}: " + ", ".join(part for part in (done, self.text(), seconds) if part)

    def tasks(self) -> str:
        """How many of its tasks Spark has done in the stages that run now."""
        if self._session is None:
            return ""
        with contextlib.suppress(Exception):  # Spark Connect does not tell, nor one that is ending
            tracker = self._session.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            running = [stage for stage in stages if stage is not None]
            if running:
                done, of_all = (
                    sum(each) for each in zip(*((s.numCompletedTasks, s.numTasks) for s in running), strict=True)
                )
                return f"{done} of {of_all} tasks"
        return ""


@contextmanager
def _lines(state: _State) -> Iterator[None]:
    over = threading.Event()

    def write() -> None:
        while not over.wait(EVERY):
            say(state.line(), err=True)

    writer = threading.Thread(target=write, name="headwater-progress", daemon=True)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


@contextmanager
def _bar(name: str, state: _State) -> Iterator[None]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    note = Column(ratio=1, no_wrap=True, overflow="ellipsis")  # what does not fit into the line is cut off
    columns = (
        TextColumn(name),
        BarColumn(bar_width=_BAR_WIDTH),
        TextColumn("{task.fields[note]}", markup=False, table_column=note),
        TimeElapsedColumn(),
    )
    over = threading.Event()
    with Progress(*columns, console=SafeConsole(stderr=True), expand=True) as progress:
        bar = progress.add_task(name, total=None, note="")

        def write() -> None:
            while not over.wait(_BAR_EVERY):
                progress.update(bar, completed=state.done, total=state.total or None, note=state.text())

        writer = threading.Thread(target=write, name="headwater-progress", daemon=True)
        writer.start()
        try:
            yield
        finally:
            over.set()
            writer.join()
            progress.update(bar, completed=state.done, total=state.total or None, note=state.text())
