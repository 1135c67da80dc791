"""Step of a walk by runs, with the record of its run or operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from headwater.graph.current.paired_operations import Doing
from headwater.graph.facts import Activity, Run, RunStatus

__all__ = ["RunRow", "RunStep", "deciding_failures", "doing_of"]


class RunStep(NamedTuple):
    """A dataset, or a run (or operation): for its own sake, or on behalf of the dataset that led to it."""

    node: bytes
    is_run: bool
    behalf: bytes | None = None


class RunRow(Struct, frozen=True):
    run: bytes
    job: bytes | None
    parent_run: bytes | None
    activity: int | None
    status: int | None
    started_at: int | None
    ended_at: int | None
    name: str | None
    first_seen: int | None
    last_seen: int | None

    @property
    def is_run(self) -> bool:
        """Not just an operation of another one."""
        return Activity.RUN in Activity(self.activity or Activity.RUN)

    def has_failed(self, until: int) -> bool:
        """Whether it had failed by then."""
        return self.status == RunStatus.FAILED and (self.ended_at is None or self.ended_at <= until)


def doing_of(run: RunRow | Run) -> Doing:
    """Values that show whether an operation is half of an act."""
    began = run.first_seen if run.started_at is None else run.started_at
    ended = run.last_seen if run.ended_at is None else run.ended_at
    return Doing(run.run, run.parent_run, run.name or "", began, ended)


def deciding_failures(rows: Iterable[RunRow], until: int, began: Mapping[bytes, int]) -> set[bytes]:
    """Of runs that write a dataset, those that failed and still count: the newest of a job whose runs all failed.
    `began`: first time at which each run named the output.

    >>> def row(run: bytes, job: bytes, status: int) -> RunRow:
    ...     return RunRow(run, job, None, None, status, None, None, None, None, None)
    >>> rows = [row(b"1", b"j", 4), row(b"2", b"j", 4), row(b"3", b"k", 4), row(b"4", b"k", 3)]
    >>> deciding_failures(rows, 9, {b"1": 5, b"2": 4, b"3": 6})
    {b'1'}
    """
    listed = list(rows)
    sound = {row.job for row in listed if not row.has_failed(until)}
    newest: dict[bytes | None, tuple[int, bytes]] = {}
    for row in listed:
        if row.job not in sound:
            order = began.get(row.run, 0), row.run
            newest[row.job] = max(order, newest.get(row.job, order))
    return {run for _, run in newest.values()}
