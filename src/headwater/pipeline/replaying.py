"""The task of a replay: events of its part of the log, folded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

import pyarrow as pa
import sqlalchemy as sa

from headwater.openlineage.errors import RefusedEvent
from headwater.pipeline.folding import Folding, TaskReport, report_batch
from headwater.store.engine import make_engine
from headwater.store.log import Tenant
from headwater.store.ranges import LogRange, read_range

__all__ = ["reading_engine", "replay_ranges"]


@cache
def reading_engine(url: str) -> sa.Engine:
    """One engine per Python worker and store."""
    return make_engine(url)


def replay_ranges(
    url: str, run: str, ranges: Sequence[LogRange], tenants: Mapping[int, Tenant]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A task over numbers of ranges."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from _replay(url, run, number, ranges[number], tenants)

    return work


def _replay(url: str, run: str, number: int, part: LogRange, tenants: Mapping[int, Tenant]) -> Iterator[pa.RecordBatch]:
    folding, unreadable = Folding(run, str(part.start)), 0
    for logged in read_range(reading_engine(url), part):
        try:
            folding.read(tenants[logged.tenant], logged.body, 0)
        except RefusedEvent:  # taken by another version of Headwater; it stays in the log
            unreadable += 1
    yield from folding.batches()
    events = folding.events
    yield report_batch(TaskReport(number, events + unreadable, events, 0, folding.uninterpreted, folding.facts))
