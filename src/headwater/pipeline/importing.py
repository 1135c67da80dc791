"""The task of an import: lines of its splits become rows of the log, written at once, and folded facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from headwater.errors import HeadwaterError
from headwater.pipeline.errors import UnreadableSource
from headwater.pipeline.folding import Folding, Refusal, TaskReport, refusal, report_batch
from headwater.pipeline.garbage import search_seldom
from headwater.pipeline.lines import read_lines
from headwater.pipeline.sources import Split, tenant_in
from headwater.pipeline.taking import Taking
from headwater.pipeline.writing import bulk_writer
from headwater.store.log import Tenant

__all__ = ["import_splits"]

_REFUSED = 10_000
"""Refused lines that a task remembers; the rest are counted by the lines that are missing."""


def import_splits(
    url: str, run: str, splits: Sequence[Split], tenants: Mapping[str, Tenant], default: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A task over numbers of splits."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        search_seldom()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                split = splits[number]
                tenant = tenants[tenant_in(split.path) or default]
                yield from _import(url, run, number, split, tenant)

    return work


def _import(url: str, run: str, number: int, split: Split, tenant: Tenant) -> Iterator[pa.RecordBatch]:
    writer = bulk_writer(url)
    folding = Folding(run, f"{split.path}:{split.start}", writer)
    refused: list[Refusal] = []

    def refuse(line: int, error: HeadwaterError, body: bytes) -> None:
        if len(refused) < _REFUSED:
            refused.append(refusal(line, error, body))

    taking, lines = Taking(folding, writer, refuse), 0
    for line, body in _lines(split, refuse):
        lines = line + 1
        if body and not body.isspace():
            taking.add(lines, tenant, body)
    taking.flush()
    yield from folding.batches()
    counts = TaskReport(
        number, lines, folding.events, taking.appended, folding.uninterpreted, folding.written, tuple(refused)
    )
    yield report_batch(counts)


def _lines(split: Split, refuse: Callable[[int, HeadwaterError, bytes], None]) -> Iterator[tuple[int, bytes]]:
    """The lines of a split; one file that is damaged or gone must not hold up the others."""
    read = 0
    try:
        for line, body in read_lines(split):
            read = line + 1
            yield line, body
    except UnreadableSource as error:
        refuse(read + 1, error, b"")
