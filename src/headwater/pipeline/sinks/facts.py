"""Writes merged facts into a store, from Spark's tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import sqlalchemy as sa

from headwater.pipeline.merge.aggregation import merge_facts, spark_schema
from headwater.pipeline.merge.slots import to_rows
from headwater.pipeline.tasks.fold import REPORT, TaskReport
from headwater.pipeline.tasks.gc_policy import search_seldom
from headwater.store.cache.invalidation import note_change_of_all
from headwater.store.engine import make_engine
from headwater.store.write.bulk import BulkWriter
from headwater.store.write.staging import StagingWriter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["WriteTarget", "bulk_writer", "merge_and_write", "write_facts"]

WRITTEN = pa.schema([("facts", pa.int64()), ("report", pa.binary())])
"""Rows of a writing task: the number of facts it wrote, or the report of a task before it."""
_ROWS = 4000

Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@cache
def bulk_writer(url: str) -> BulkWriter:
    """One writer per Python worker and store: connections stay bounded by the tasks that run at once."""
    return BulkWriter(url)


@cache
def staging_writer(url: str, name: str) -> StagingWriter:
    return StagingWriter(url, name)


class WriteTarget(NamedTuple):
    """Where facts go: into the graph of a store, or into the tables of that name that are built aside."""

    url: str
    staging: str | None = None

    def writer(self) -> BulkWriter | StagingWriter:
        return bulk_writer(self.url) if self.staging is None else staging_writer(self.url, self.staging)


def merge_and_write(folded: DataFrame, target: WriteTarget) -> tuple[int, list[TaskReport]]:
    """Merge and write the facts that tasks folded. Gives the number of written facts, and the reports of the tasks."""
    writers = 1 if sa.make_url(target.url).get_backend_name() == "sqlite" else None  # two would wait for each other
    written = merge_facts(folded, writers).mapInArrow(write_facts(target), spark_schema(WRITTEN))
    facts, reports = 0, {}
    for row in written.collect():  # a row per task
        if row.report is None:
            facts += row.facts
        else:
            report = msgspec.json.decode(bytes(row.report), type=TaskReport)
            reports[report.task] = report
    if target.staging is None:
        engine = make_engine(target.url, writes=True)
        note_change_of_all(engine)
        engine.dispose()
    facts += sum(report.facts for report in reports.values())
    return facts, [reports[number] for number in sorted(reports)]


def write_facts(target: WriteTarget) -> Task:
    """A task that merges the rows of a wide table into a store; one tenant and one table in a transaction."""

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        search_seldom()
        writer = target.writer()
        written = 0
        for batch in batches:
            is_report = pc.equal(batch.column("kind"), REPORT)
            reports = batch.filter(is_report).column("max_bytes_0")
            if len(reports):
                yield pa.record_batch([pa.nulls(len(reports), pa.int64()), reports], schema=WRITTEN)
            for kind, _, rows in to_rows(batch.filter(pc.invert(is_report))):
                for start in range(0, len(rows), _ROWS):
                    writer.merge({kind: rows[start : start + _ROWS]})
                written += len(rows)
        yield pa.record_batch([pa.array([written], pa.int64()), pa.nulls(1, pa.binary())], schema=WRITTEN)

    return write
