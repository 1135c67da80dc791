"""`headwater pipeline stream --kafka` and `--folder`: events from a topic or a landing folder, as they come."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from headwater.pipeline.errors import PipelineError
from headwater.pipeline.jobs.landing_batch import FILES, take_files
from headwater.pipeline.merge.aggregation import wide_schema
from headwater.pipeline.sinks.facts import WriteTarget, merge_and_write
from headwater.pipeline.spark.session import parallelism
from headwater.pipeline.spark.stream_query import Batch, BatchReport, Stream, StreamReport
from headwater.store.access.tenants import Tenants
from headwater.store.engine import make_engine
from headwater.store.pipeline.late_facts import opened_late_facts
from headwater.store.write.log import Tenant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["job_name", "kafka_package", "stream_folder", "stream_kafka"]

MAX_EVENTS = 20_000
MAX_FILES = 200
_NAME = 64
_FILE = "path STRING, modificationTime TIMESTAMP, length LONG, content BINARY"
"""Columns of Spark's file listing."""
_MAGIC = r"[\[\]{}*?\\]"
"""Characters with a meaning in a glob pattern."""
_AGE = "36500d"
"""Spark passes over files that are older than others it has seen; a file that was moved keeps its time."""


def job_name(kind: str, what: str, *more: str) -> str:
    """Name of a stream in the table of progress: its source, and a digest that separates it from others of that source.

    >>> job_name("kafka", "lineage", "broker:9092", "default")
    'stream kafka lineage 9067f87d'
    >>> job_name("kafka", "lineage", "broker:9092", "acme")
    'stream kafka lineage b36af458'
    """
    digest = hashlib.sha256("\n".join([kind, what, *more]).encode()).hexdigest()[:8]
    return f"stream {kind} {what}"[: _NAME - 9] + f" {digest}"


def _former_name(kind: str, what: str) -> str:
    """Name of a stream before the digest was part of it."""
    name = f"stream {kind} {what}"
    return name if len(name) <= _NAME else f"{name[: _NAME - 9]} {hashlib.sha256(name.encode()).hexdigest()[:8]}"


def kafka_package(version: str) -> str:
    """Package that this version of Spark needs to read from Kafka.

    >>> kafka_package("4.0.1")
    'org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.1'
    """
    return f"org.apache.spark:spark-sql-kafka-0-10_2.13:{version}"


def stream_kafka(
    spark: SparkSession,
    store_url: str,
    *,
    servers: str,
    topic: str,
    tenant: Tenant,
    checkpoint: str,
    starting: str = "earliest",
    max_events: int = MAX_EVENTS,
    options: Mapping[str, str] | None = None,
    trigger: float = 1.0,
    once: bool = False,
    stop: threading.Event | None = None,
    on_batch: Callable[[StreamReport], None] = lambda _: None,
) -> StreamReport:
    """Take the messages of a topic, each an event."""
    from headwater.pipeline.tasks.import_messages import fold_messages, select_messages  # noqa: PLC0415 - imports Spark

    settings = {
        "kafka.bootstrap.servers": servers,
        "subscribe": topic,
        "startingOffsets": starting,
        "maxOffsetsPerTrigger": str(max_events),
        "minPartitions": str(parallelism(spark)),  # so that one partition does not mean one core
        **(options or {}),
    }

    def source() -> DataFrame:
        try:
            return select_messages(spark.readStream.format("kafka").options(**settings).load())
        except Exception as error:
            if "Failed to find data source: kafka" not in str(error) and "DATA_SOURCE_NOT_FOUND" not in str(error):
                raise
            raise PipelineError(
                "This Spark cannot read from Kafka.",
                hint=f"--conf spark.jars.packages={kafka_package(spark.version)}, or spark.jars with the files.",
            ) from None

    def work(part: DataFrame, batch: Batch) -> BatchReport:
        owner = _as_it_is_now(store_url, tenant)
        task = fold_messages(store_url, batch.run, batch.number, owner, again=batch.again)
        with opened_late_facts(store_url, name):
            facts, tasks = merge_and_write(part.mapInArrow(task, wide_schema()), WriteTarget(store_url))
        done = BatchReport(facts=facts, newest=max((task.newest for task in tasks), default=0) or None)
        for report in tasks:
            done.messages += report.lines
            done.events += report.events
            done.appended += report.appended
            done.uninterpreted += report.uninterpreted
        done.refused = done.messages - done.events
        return done

    name = job_name("kafka", topic, *sorted(servers.split(",")), tenant.code)
    stream = Stream(store_url, name, on_batch=on_batch, formerly=_former_name("kafka", topic), tenant=tenant.id)
    return stream.run(source, work, checkpoint=checkpoint, trigger=trigger, once=once, stop=stop)


def _as_it_is_now(url: str, tenant: Tenant) -> Tenant:
    """The tenant with the facet policy that it has now: a stream goes on for long."""
    engine = make_engine(url)
    try:
        return Tenants(engine).get(tenant.id, tenant.code) or tenant
    finally:
        engine.dispose()


def stream_folder(
    spark: SparkSession,
    store_url: str,
    *,
    folder: str,
    tenants: Callable[[], Mapping[str, Tenant]],
    default_tenant: str,
    checkpoint: str,
    max_files: int = MAX_FILES,
    trigger: float = 1.0,
    once: bool = False,
    stop: threading.Event | None = None,
    on_batch: Callable[[StreamReport], None] = lambda _: None,
) -> StreamReport:
    """Take every file that appears in a folder, once."""
    options = {"recursiveFileLookup": "true", "pathGlobFilter": FILES, "maxFileAge": _AGE}
    options["maxFilesPerTrigger"] = str(max_files)

    def source() -> DataFrame:
        # Only names travel through Spark: the content of a file is read where it is folded.
        reader = spark.readStream.format("binaryFile").schema(_FILE).options(**options)
        return reader.load(re.sub(_MAGIC, r"\\\g<0>", folder)).select("path", "modificationTime")

    def work(part: DataFrame, batch: Batch) -> BatchReport:
        return take_files(part, store_url, tenants(), default_tenant, name, again=batch.again)

    name = job_name("folder", folder, default_tenant)
    stream = Stream(store_url, name, on_batch=on_batch, formerly=_former_name("folder", folder))
    return stream.run(source, work, checkpoint=checkpoint, trigger=trigger, once=once, stop=stop)
