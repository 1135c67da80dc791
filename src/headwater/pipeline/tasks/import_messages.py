"""Kafka task: messages to rows of the log and folded facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from headwater.errors import HeadwaterError
from headwater.pipeline.sinks.facts import bulk_writer
from headwater.pipeline.tasks.dead_letters import dead_letter, keep_dead_letters
from headwater.pipeline.tasks.fold import Folding, TaskReport, report_batch
from headwater.pipeline.tasks.gc_policy import search_seldom
from headwater.pipeline.tasks.log_and_fold import LogAndFold
from headwater.store.write.dead_letters import Refusal
from headwater.store.write.log import Tenant

__all__ = ["fold_messages", "select_messages"]

SOURCE = "KAFKA"
Message = tuple[str, int, int, int]
"""Topic, partition, offset, and when the broker got it."""


def select_messages(frame: DataFrame) -> DataFrame:
    """The columns of Spark's source that a task needs."""
    received = F.unix_micros("timestamp").alias("received")
    return frame.select("value", "topic", "partition", "offset", received)


def fold_messages(
    url: str, run: str, batch: int, tenant: Tenant, *, again: bool
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A task over messages; `again` if this batch may have been begun before."""

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        search_seldom()
        context = TaskContext.get()
        number, attempt = (context.partitionId(), context.attemptNumber()) if context else (0, 0)
        writer = bulk_writer(url)
        folding = Folding(run, f"{batch}:{number}", writer)
        refused: list[Refusal] = []

        def refuse(message: Message, error: HeadwaterError, body: bytes) -> None:
            topic, partition, offset, received = message
            where = f"topic {topic}, partition {partition}, offset {offset}"
            refused.append(dead_letter(SOURCE, where, tenant, error, body, received))

        log_and_fold, messages, newest = LogAndFold(folding, writer, refuse), 0, 0
        for part in batches:
            for value, *message in zip(*(column.to_pylist() for column in part.columns), strict=True):
                newest = max(newest, message[3])
                if value and value.strip():  # a message without a value deletes a key, and says nothing
                    messages += 1
                    log_and_fold.add(tuple(message), tenant, value)
            keep_dead_letters(url, refused, again=again or attempt > 0)
            refused.clear()
        log_and_fold.flush()
        keep_dead_letters(url, refused, again=again or attempt > 0)
        yield from folding.batches()
        yield report_batch(
            TaskReport(
                number,
                messages,
                folding.events,
                log_and_fold.appended,
                folding.uninterpreted,
                folding.written,
                newest=newest,
            )
        )

    return work
