"""`headwater pipeline enrich`: missing results of tenants' models, computed on Spark under the same budget.

A part that a model refuses ends the tenant's job for now; computed results are kept, and not requested again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.models.enrich import ORDER, Enrichment
from headwater.models.wiring import make_work
from headwater.models.work import ModelWork
from headwater.pipeline.spark.session import described, parallelism
from headwater.settings import Settings
from headwater.store.models.configurations import Kind
from headwater.store.pipeline.job_locks import Part
from headwater.store.pipeline.jobs import PipelineJob, Waiting, running
from headwater.store.sql_store import SqlStore
from headwater.store.write.log import Tenant

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["EnrichReport", "run"]

_OUTCOME = "outcome binary"
Progress = Callable[[str, int, int], None]


class EnrichReport(Struct, kw_only=True):
    tenants: int = 0
    """Those with a model."""
    nodes: int = 0
    summaries: int = 0
    embeddings: int = 0
    """Number of computed embeddings."""
    in_force: list[str] = []
    """Models that have all results now, and follow those before."""
    stopped: list[str] = []
    """Why it ended before its end, by tenant."""
    seconds: float = 0.0


class _Outcome(Struct):
    done: int = 0
    error: str = ""


def run(
    spark: SparkSession,
    settings: Settings,
    tenants: Sequence[Tenant],
    *,
    progress: Progress = lambda _what, _done, _all: None,
    waiting: Waiting = Waiting(),  # noqa: B008 - a frozen record
) -> EnrichReport:
    """Compute missing results of these tenants' models; Spark's tasks share the nodes."""
    began = time.monotonic()
    store = SqlStore(settings.store_url)
    try:
        work, report = make_work(settings, store), EnrichReport()
        for tenant in tenants:
            if work.models.all(tenant.id):
                report.tenants += 1
                with (
                    running(settings.store_url, "enrich", tenant.id) as job,
                    job.holding([tenant.id], [Part.MODELS], waiting),
                ):
                    _enrich(spark, settings, tenant, Enrichment(work, tenant), report, job, progress)
        report.seconds = round(time.monotonic() - began, 3)
        return report
    finally:
        store.close()


def _enrich(
    spark: SparkSession,
    settings: Settings,
    tenant: Tenant,
    enrichment: Enrichment,
    report: EnrichReport,
    job: PipelineJob,
    progress: Progress,
) -> None:
    pages = list(enrichment.pages())
    report.nodes += sum(map(len, pages))
    is_sqlite = sa.make_url(settings.store_url).get_backend_name() == "sqlite"
    step = 16 * (1 if is_sqlite else 4)
    for kind in ORDER:
        if enrichment.target(kind) is None:
            continue
        for start in range(0, len(pages), step):
            progress(kind.lower(), start, len(pages))
            job.tell(kind.lower(), start, len(pages), {"summaries": report.summaries, "embeddings": report.embeddings})
            part = pages[start : start + step]
            tasks = spark.range(0, len(part), 1, min(len(part), parallelism(spark) * 2))
            work = partial(_work, settings=settings, tenant=tenant, kind=kind, pages=part)
            errors: set[str] = set()
            with described(spark, f"enrich: {kind.lower()} of nodes {start * len(pages[0])} and on"):
                for (told,) in tasks.mapInArrow(work, _OUTCOME).toLocalIterator():
                    outcome = msgspec.msgpack.decode(bytes(told), type=_Outcome)
                    errors |= {outcome.error} - {""}
                    if kind == "SUMMARY":
                        report.summaries += outcome.done
                    else:
                        report.embeddings += outcome.done
            if errors:
                report.stopped += [f"{tenant.code}: {error}" for error in sorted(errors)]
                return
        progress(kind.lower(), len(pages), len(pages))
    report.in_force += [f"{tenant.code}: {kind.lower()}" for kind in enrichment.finish()]


def _work(
    batches: Iterable[pa.RecordBatch],
    *,
    settings: Settings,
    tenant: Tenant,
    kind: Kind,
    pages: Sequence[Sequence[bytes]],
) -> Iterator[pa.RecordBatch]:
    """The work of a task. Once a model refuses, the task asks no more."""
    import pyarrow as pa  # noqa: PLC0415 - an optional dependency

    enrichment, error = Enrichment(_connected(settings), tenant), ""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            outcome = _Outcome(error=error)
            if not error:
                try:
                    outcome.done = enrichment.run_page(kind, pages[number])
                except HeadwaterError as raised:
                    error = outcome.error = f"{raised.message} {raised.hint or ''}".strip()
            yield pa.RecordBatch.from_pydict({"outcome": [msgspec.msgpack.encode(outcome)]})


@cache
def _connected(settings: Settings) -> ModelWork:
    """One for a process that runs tasks."""
    return make_work(settings, SqlStore(settings.store_url))
