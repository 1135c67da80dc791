"""Import task: lines of splits to rows of the log and folded facts."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
from pyspark import TaskContext

from headwater.errors import HeadwaterError
from headwater.pipeline.errors import MissingSource, UnreadableSource
from headwater.pipeline.sinks.facts import bulk_writer
from headwater.pipeline.sources.lines import Line, read_lines
from headwater.pipeline.sources.refused_lines import RefusedLines
from headwater.pipeline.sources.splits import Split, tenant_in
from headwater.pipeline.tasks.fold import Folding, TaskReport, report_batch
from headwater.pipeline.tasks.gc_policy import search_seldom
from headwater.pipeline.tasks.log_and_fold import LogAndFold
from headwater.store.write.log import Tenant

__all__ = ["import_splits"]


def import_splits(
    url: str,
    run: str,
    splits: Sequence[tuple[int, Split]],
    tenants: Mapping[str, Tenant],
    default: str,
    *,
    now: int,
    again: bool,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A task over places in a list of numbered splits.

    `now` is when the import began; `again`: these may have been begun before.
    """

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        search_seldom()
        context = TaskContext.get()
        is_again = again or (context is not None and context.attemptNumber() > 0)
        for batch in batches:
            for split_number in batch.column(0).to_pylist():
                number, split = splits[split_number]
                tenant = tenants[tenant_in(split.path) or default]
                # Each split has a time of its own, by which it knows again what an attempt before it wrote.
                yield from _import(url, run, number, split, tenant, now + number, again=is_again)

    return work


def _import(
    url: str, run: str, number: int, split: Split, tenant: Tenant, now: int, *, again: bool
) -> Iterator[pa.RecordBatch]:
    writer = bulk_writer(url)
    folding = Folding(run, f"{split.path}:{split.start}", writer)
    refused, missing = RefusedLines(), None

    def refuse(line: int, error: HeadwaterError, body: bytes) -> None:
        nonlocal missing
        refused.add(line, error, body)
        if isinstance(error, MissingSource):
            missing = socket.gethostname()

    log_and_fold, lines = LogAndFold(folding, writer, refuse, now=now, again=again), 0
    for line, body, received in _lines(split, refuse):
        lines = line + 1
        if body and not body.isspace():
            log_and_fold.add(lines, tenant, body, received)
    log_and_fold.flush()
    yield from folding.batches()
    counts = TaskReport(
        number,
        lines,
        folding.events,
        log_and_fold.appended,
        folding.uninterpreted,
        folding.written,
        tuple(refused.reported),
        refused_lines=refused.count,
        missing=missing,
    )
    yield report_batch(counts)


def _lines(split: Split, refuse: Callable[[int, HeadwaterError, bytes], None]) -> Iterator[Line]:
    """The lines of a split; one file that is damaged or gone must not hold up the others."""
    read = 0
    try:
        for line in read_lines(split):
            read = line[0] + 1
            yield line
    except UnreadableSource as error:
        refuse(read + 1, error, b"")
