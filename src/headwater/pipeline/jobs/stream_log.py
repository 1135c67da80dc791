"""`headwater pipeline stream` without a source: derived tables and inferred lineage, a second or two behind the log.

The result of a batch depends on the facts alone, so repeating a batch changes nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from headwater.pipeline.infer.infer import remembering
from headwater.pipeline.jobs.infer import infer_changes
from headwater.pipeline.jobs.infer import run as infer_all
from headwater.pipeline.jobs.rollup import rollup_changes
from headwater.pipeline.jobs.rollup import run as roll_up_all
from headwater.pipeline.jobs.rollup import run_since as roll_up_since
from headwater.pipeline.rollup.batch_changes import changes_in
from headwater.pipeline.sources.log_stream import LogSource
from headwater.pipeline.spark.stream_query import Batch, BatchReport, Stream, StreamReport
from headwater.store.engine import make_engine
from headwater.store.pipeline.job_locks import LockedPart
from headwater.store.pipeline.jobs import Waiting, running
from headwater.store.pipeline.progress import Progress
from headwater.store.tables import events

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["JOB", "stream_log"]

JOB = "stream"
_SMALL = 20_000
"""A log that is not worth a job of its own."""


def stream_log(
    spark: SparkSession,
    store_url: str,
    *,
    checkpoint: str,
    trigger: float = 0.5,
    once: bool = False,
    stop: threading.Event | None = None,
    on_batch: Callable[[StreamReport], None] = lambda _: None,
) -> StreamReport:
    """Follow the log until `stop` is set or (`once`) to its end. A new stream works everything out first."""
    spark.dataSource.register(LogSource)
    stop = stop or threading.Event()
    waiting = Waiting(stop=stop.is_set).for_ever()
    start = 0 if _has_begun(spark, checkpoint) else _begin(spark, store_url, waiting)
    understand = remembering()

    def source() -> DataFrame:
        return spark.readStream.format(LogSource.name()).option("url", store_url).option("start", str(start)).load()

    def work(frame: DataFrame, _: Batch) -> BatchReport:
        batch = changes_in(frame)
        left = dict(batch.tenants)
        while left:  # those first that no other job works on
            with job.holding_free(left, [LockedPart.INFERRED, LockedPart.DERIVED], waiting) as free:
                some = {tenant: left.pop(tenant) for tenant in free}
                infer_changes(store_url, some, understand)
                rollup_changes(spark, store_url, some, job)
        return BatchReport(
            messages=batch.events, events=batch.events, newest=batch.received_at, position=batch.last or None
        )

    with running(store_url, JOB) as job:
        stream = Stream(store_url, JOB, on_batch=on_batch, registered=job)
        return stream.run(source, work, checkpoint=checkpoint, trigger=trigger, once=once, stop=stop)


def _begin(spark: SparkSession, url: str, waiting: Waiting) -> int:
    """Work everything out once; gives the id of the log from which to go on."""
    began, engine = time.monotonic(), make_engine(url)
    try:
        with engine.connect() as connection:
            newest = int(connection.execute(sa.select(sa.func.max(events.c.id))).scalar() or 0)
        if newest <= _SMALL:
            return 0  # the first batch does it, sooner than Spark could plan it
        infer_all(spark, url, waiting=waiting)
        left = roll_up_since(url, waiting=waiting)[1]
        if left:
            roll_up_all(spark, url, only=left, waiting=waiting)
        Progress(engine).write(
            JOB,
            position=newest,
            batch=-1,
            batch_events=0,
            batch_seconds=round(time.monotonic() - began, 3),
            now=time.time_ns() // 1000,
        )
    finally:
        engine.dispose()
    return newest


def _has_begun(spark: SparkSession, checkpoint: str) -> bool:
    """Whether there is a batch to go on from. Looked at as Spark does: it may be in HDFS or an object store."""
    context = spark.sparkContext
    java: Any = context._jvm  # noqa: SLF001 - Python has no other way to Hadoop's file systems
    folder = java.org.apache.hadoop.fs.Path(checkpoint.rstrip("/") + "/offsets")
    system = folder.getFileSystem(context._jsc.hadoopConfiguration())  # noqa: SLF001
    if not system.exists(folder):
        return False
    return any(status.getPath().getName().isdigit() for status in system.listStatus(folder))
