"""The task of an import: lines of its splits become rows of the log, written at once, and folded facts, handed on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from headwater.openlineage.errors import RefusedEvent
from headwater.pipeline.folding import Folding, Refusal, TaskReport, refusal, report_batch
from headwater.pipeline.lines import read_lines
from headwater.pipeline.sources import Split, tenant_in
from headwater.pipeline.writing import bulk_writer
from headwater.store.log import Entry, Tenant

__all__ = ["import_splits"]

_AT_ONCE = 4000
"""Events in one transaction of the log."""
_BYTES = 64 << 20
_REFUSED = 10_000
"""Refused lines that a task remembers; the rest are counted by the lines that are missing."""


def import_splits(
    url: str, run: str, splits: Sequence[Split], tenants: Mapping[str, Tenant], default: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A task over numbers of splits."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                split = splits[number]
                tenant = tenants[tenant_in(split.path) or default]
                yield from _import(url, run, number, split, tenant)

    return work


def _import(url: str, run: str, number: int, split: Split, tenant: Tenant) -> Iterator[pa.RecordBatch]:
    folding, writer = Folding(run, f"{split.path}:{split.start}"), bulk_writer(url)
    refused: list[Refusal] = []
    waiting: list[Entry] = []
    lines, size, appended = 0, 0, 0
    now = time.time_ns() // 1000
    for line, body in read_lines(split):
        lines = line + 1
        if not body.strip():
            continue
        try:
            entry = folding.read(tenant, body, now)
        except RefusedEvent as error:
            if len(refused) < _REFUSED:
                refused.append(refusal(line + 1, error, body))
            continue
        waiting.append(entry)
        size += len(body)
        if len(waiting) >= _AT_ONCE or size >= _BYTES:
            appended += writer.append(waiting)
            waiting, size = [], 0
    if waiting:
        appended += writer.append(waiting)
    yield from folding.batches()
    counts = TaskReport(number, lines, folding.events, appended, folding.uninterpreted, folding.facts, tuple(refused))
    yield report_batch(counts)
