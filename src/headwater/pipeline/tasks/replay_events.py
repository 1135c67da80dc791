"""Replay task: folds the events of a part of the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

import pyarrow as pa
import sqlalchemy as sa

from headwater.openlineage.errors import RefusedEvent
from headwater.pipeline.archive.read import ArchiveSplit, read_split
from headwater.pipeline.sinks.facts import WriteTarget
from headwater.pipeline.tasks.fold import Folding, TaskReport, report_batch
from headwater.pipeline.tasks.gc_policy import search_seldom
from headwater.store.engine import make_engine
from headwater.store.read.log_ranges import LogRange, read_range
from headwater.store.write.log import Tenant

__all__ = ["ReplayPart", "reading_engine", "replay_parts"]


@cache
def reading_engine(url: str) -> sa.Engine:
    """One engine per Python worker and store."""
    return make_engine(url)


ReplayPart = LogRange | ArchiveSplit
"""Input of one task: ids of the log, or a row group of an archive."""


def replay_parts(
    url: str, run: str, parts: Sequence[ReplayPart], tenants: Mapping[int, Tenant], target: WriteTarget
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A task over numbers of parts, which are read from one store and folded into the same or another."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        search_seldom()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from _replay(url, run, number, parts[number], tenants, target)

    return work


def _replay(
    url: str, run: str, number: int, part: ReplayPart, tenants: Mapping[int, Tenant], target: WriteTarget
) -> Iterator[pa.RecordBatch]:
    folding, unreadable = Folding(run, str(part), target.writer()), 0
    for tenant, body in _events(url, part, tenants):
        try:
            folding.read(tenant, body, 0)
        except RefusedEvent:  # taken by another version of Headwater; it stays in the log
            unreadable += 1
    yield from folding.batches()
    events = folding.events
    yield report_batch(TaskReport(number, events + unreadable, events, 0, folding.uninterpreted, folding.written))


def _events(url: str, part: ReplayPart, tenants: Mapping[int, Tenant]) -> Iterator[tuple[Tenant, bytes]]:
    if isinstance(part, LogRange):
        for logged in read_range(reading_engine(url), part):
            yield tenants[logged.tenant], logged.body
    else:
        owner = next(tenant for tenant in tenants.values() if tenant.code == part.tenant)
        for archived in read_split(part):
            yield owner, archived.body
