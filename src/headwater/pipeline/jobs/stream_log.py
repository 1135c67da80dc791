"""`headwater pipeline stream`: derived tables kept up to date, a few seconds behind the log.

What is worked out for a batch depends on the facts alone, so a batch that is done twice changes nothing.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from headwater.pipeline.jobs import infer, rollup
from headwater.pipeline.log_source import LogSource
from headwater.pipeline.rollup.changes import refresh
from headwater.pipeline.touching import TouchedBatch, touched_in
from headwater.store.derived import DerivedStore
from headwater.store.engine import make_engine
from headwater.store.progress import Progress
from headwater.store.read import Reader
from headwater.store.tables import events

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["JOB", "StreamLog", "run"]

JOB = "stream"
_log = logging.getLogger(__name__)
_RUNS_AT_ONCE = 2_000
"""Runs whose derived rows are worked out in one transaction."""
_INFER_SECONDS = 30.0
"""Reading SQL can wait: it looks at whole tenants."""


class StreamLog:
    """What is done with each batch."""

    def __init__(self, spark: SparkSession, store_url: str) -> None:
        self._spark, self._url = spark, store_url
        self._engine = make_engine(store_url)
        self._reader, self._derived = Reader(self._engine), DerivedStore(store_url)
        self.progress = Progress(self._engine)
        self._position = 0
        self._not_inferred: set[int] = set()
        self._inferred_at = time.monotonic()

    def begin(self) -> int:
        """Work everything out once, and give the id of the log from which to go on."""
        with self._engine.connect() as connection:
            newest = int(connection.execute(sa.select(sa.func.max(events.c.id))).scalar() or 0)
        if newest:
            rollup.run(self._spark, self._url)
            infer.run(self._spark, self._url)
        self._position = newest
        self._note(TouchedBatch({}, 0, newest), -1, 0.0)
        return newest

    def take(self, frame: DataFrame, number: int) -> None:
        """One batch."""
        began = time.monotonic()
        batch = touched_in(frame)
        for tenant, touched in batch.tenants.items():
            for part in touched.chunks(_RUNS_AT_ONCE):
                refresh(self._reader, self._derived, tenant, part)
        self._not_inferred.update(batch.tenants)
        self._note(batch, number, time.monotonic() - began)
        if self._not_inferred and time.monotonic() - self._inferred_at > _INFER_SECONDS:
            infer.run(self._spark, self._url)
            self._not_inferred.clear()
            self._inferred_at = time.monotonic()

    def close(self) -> None:
        self._derived.close()
        self._engine.dispose()

    def _note(self, batch: TouchedBatch, number: int, seconds: float) -> None:
        self._position = max(self._position, batch.last)
        self.progress.write(
            JOB,
            position=self._position,
            batch=number,
            batch_events=batch.events,
            batch_seconds=round(seconds, 3),
            now=time.time_ns() // 1000,
            event_received_at=batch.received_at,
        )


def run(
    spark: SparkSession, store_url: str, *, checkpoint: Path, once: bool = False, trigger: str = "500 milliseconds"
) -> None:
    """Follow the log, for ever or (`once`) until its end."""
    spark.dataSource.register(LogSource)
    stream = StreamLog(spark, store_url)
    try:
        start = 0 if _has_begun(checkpoint) else stream.begin()
        source = spark.readStream.format(LogSource.name()).option("url", store_url).option("start", str(start)).load()
        writer = source.writeStream.queryName("headwater stream").foreachBatch(stream.take)
        writer = writer.option("checkpointLocation", str(checkpoint))
        query = (writer.trigger(availableNow=True) if once else writer.trigger(processingTime=trigger)).start()
        query.awaitTermination()
    except Exception as error:
        stream.progress.fail(JOB, str(error), time.time_ns() // 1000)
        raise
    finally:
        stream.close()


def _has_begun(checkpoint: Path) -> bool:
    """Whether there is a batch to go on from; `start` then means nothing."""
    return any((checkpoint / "offsets").glob("[0-9]*")) if checkpoint.is_dir() else False
