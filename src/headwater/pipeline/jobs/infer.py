"""`headwater pipeline infer`: column lineage out of the SQL in events that came without any."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.facts import Shape
from headwater.pipeline.infer.infer import InferenceOutcome, Understand, infer_jobs, remembering
from headwater.pipeline.jobs.tenants import chosen_tenants
from headwater.pipeline.rollup.changed_keys import ChangedKeys
from headwater.pipeline.spark.session import described, parallelism
from headwater.store.engine import make_engine
from headwater.store.pipeline.job_locks import LockedPart
from headwater.store.pipeline.jobs import PipelineJob, Waiting, running
from headwater.store.read.reader import Reader
from headwater.store.tables import fact_tables
from headwater.store.write.inferred_shapes import InferredStore

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["InferReport", "infer_changes", "run"]

_JOBS_AT_ONCE = 100
_OUTCOME = "outcome binary"

Progress = Callable[[str, int, int], None]


class InferReport(Struct, kw_only=True):
    tenants: int = 0
    jobs: int = 0
    """Jobs whose events had SQL."""
    statements: int = 0
    inferred: int = 0
    """Statements that gave column lineage."""
    written: int = 0
    """Shapes that are new, or were seen again since."""
    removed: int = 0
    left_out: dict[str, int] = {}
    """How many edges or statements were left out, by reason."""
    seconds: float = 0.0


def run(
    spark: SparkSession,
    store_url: str,
    *,
    tenant: str | None = None,
    progress: Progress = lambda _what, _done, _all: None,
    waiting: Waiting = Waiting(),  # noqa: B008 - a frozen record
) -> InferReport:
    """Infer for all jobs with SQL, of one tenant (by its code) or of all; Spark's tasks share the jobs."""
    engine = make_engine(store_url)
    try:
        chosen = chosen_tenants(engine, tenant)
        only = chosen[0] if tenant is not None else None
        with running(store_url, "infer", only) as job, job.holding(chosen, [LockedPart.INFERRED], waiting):
            return _infer(spark, store_url, list(_plan(engine, chosen)), progress, job)
    finally:
        engine.dispose()


def _infer(
    spark: SparkSession, store_url: str, chunks: Sequence[tuple[int, list[bytes]]], progress: Progress, job: PipelineJob
) -> InferReport:
    began = time.monotonic()
    report = InferReport(tenants=len({owner for owner, _ in chunks}), jobs=sum(len(jobs) for _, jobs in chunks))
    is_sqlite = sa.make_url(store_url).get_backend_name() == "sqlite"
    step = 16 * (1 if is_sqlite else 4)
    total = InferenceOutcome()
    for start in range(0, len(chunks), step):
        progress("infer", start, len(chunks))
        job.tell("infer", start, len(chunks), {"statements": total.statements, "written": total.written})
        part = chunks[start : start + step]
        # In a file only one task at a time can write, but the work is in reading the statements.
        tasks = spark.range(0, len(part), 1, min(len(part), parallelism(spark) * 2))
        work = partial(_work, url=store_url, chunks=part)
        with described(spark, f"infer: jobs {start * _JOBS_AT_ONCE} and on"):
            for (outcome,) in tasks.mapInArrow(work, _OUTCOME).toLocalIterator():
                total.add(msgspec.msgpack.decode(bytes(outcome), type=InferenceOutcome))
    progress("infer", len(chunks), len(chunks))
    return _report(report, total, began)


def infer_changes(
    store_url: str, changes: Mapping[int, ChangedKeys], understand: Understand | None = None
) -> InferReport:
    """Infer again for the jobs of these shapes, in this process; `understand` may remember earlier answers."""
    began = time.monotonic()
    engine, store = make_engine(store_url), InferredStore(store_url)
    reader, total, report = Reader(engine), InferenceOutcome(), InferReport(tenants=len(changes))
    try:
        for tenant, changed in changes.items():
            shapes = reader.facts(tenant, Shape, shape=changed.shapes)
            jobs = sorted({shape.job for shape in shapes if shape.job is not None and shape.sql is not None})
            report.jobs += len(jobs)
            for start in range(0, len(jobs), _JOBS_AT_ONCE):
                chunk = set(jobs[start : start + _JOBS_AT_ONCE])
                total.add(infer_jobs(reader, store, tenant, chunk, understand or remembering()))
    finally:
        store.close()
        engine.dispose()
    return _report(report, total, began)


def _plan(engine: sa.Engine, chosen: Iterable[int]) -> Iterator[tuple[int, list[bytes]]]:
    """Jobs with SQL, a few at a time. An inferred shape keeps the statement, so its job is among them too."""
    shape = fact_tables[Shape]
    with engine.connect() as connection:
        for tenant in chosen:
            query = (
                sa.select(shape.c.job)
                .where(shape.c.tenant == tenant, shape.c.sql.isnot(None), shape.c.job.isnot(None))
                .distinct()
                .order_by(shape.c.job)
            )
            jobs = connection.execute(query).scalars().all()
            for start in range(0, len(jobs), _JOBS_AT_ONCE):
                yield tenant, list(jobs[start : start + _JOBS_AT_ONCE])


def _work(
    batches: Iterable[pa.RecordBatch], *, url: str, chunks: Sequence[tuple[int, list[bytes]]]
) -> Iterator[pa.RecordBatch]:
    """The work of a task."""
    import pyarrow as pa  # noqa: PLC0415 - an optional dependency

    reader, store, understand = _connected(url)
    for batch in batches:
        for number in batch.column(0).to_pylist():
            tenant, jobs = chunks[number]
            outcome = infer_jobs(reader, store, tenant, set(jobs), understand)
            yield pa.RecordBatch.from_pydict({"outcome": [msgspec.msgpack.encode(outcome)]})


@cache
def _connected(url: str) -> tuple[Reader, InferredStore, Understand]:
    """One of each for a process that runs tasks."""
    return Reader(make_engine(url)), InferredStore(url), remembering()


def _report(report: InferReport, total: InferenceOutcome, began: float) -> InferReport:
    report.statements, report.inferred = total.statements, total.inferred
    report.written, report.removed = total.written, total.removed
    report.left_out = dict(sorted(total.left_out.items()))
    report.seconds = round(time.monotonic() - began, 3)
    return report
