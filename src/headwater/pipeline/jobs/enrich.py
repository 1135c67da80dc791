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
from headwater.models.enrich import ORDER, Computed, Enrichment
from headwater.models.wiring import make_work
from headwater.models.work import ModelWork
from headwater.pipeline.spark.session import described, parallelism
from headwater.settings import Settings
from headwater.store.models.configurations import Kind
from headwater.store.pipeline.job_locks import LockedPart
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
    failed: int = 0
    """Texts that a model gave nothing for, though it answers others."""
    in_force: list[str] = []
    """Models that follow those before from now on."""
    lacking: list[str] = []
    """Models that are not in force yet, since they lack results."""
    stopped: list[str] = []
    """Why it ended before its end, by tenant."""
    seconds: float = 0.0


_ROUNDS = 3
"""Rounds over all nodes: while one runs, further nodes may come."""


class _Outcome(Struct):
    computed: Computed
    stopped: str = ""
    """Why nothing more was asked."""


def run(
    spark: SparkSession,
    settings: Settings,
    tenants: Sequence[Tenant],
    *,
    switch_incomplete: bool = False,
    progress: Progress = lambda _what, _done, _all: None,
    waiting: Waiting = Waiting(),  # noqa: B008 - a frozen record
) -> EnrichReport:
    """Compute missing results of these tenants' models; Spark's tasks share the nodes.

    `switch_incomplete`: activate a new model although it failed on some texts.
    """
    began = time.monotonic()
    store = SqlStore(settings.store_url)
    try:
        work, report = make_work(settings, store), EnrichReport()
        for tenant in tenants:
            if work.models.all(tenant.id):
                report.tenants += 1
                with (
                    running(settings.store_url, "enrich", tenant.id) as job,
                    job.holding([tenant.id], [LockedPart.MODELS], waiting),
                ):
                    enrichment = Enrichment(work, tenant)
                    _enrich(spark, settings, tenant, enrichment, report, job, progress, switch_incomplete)
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
    switch_incomplete: bool,
) -> None:
    for _ in range(_ROUNDS):
        pages = list(enrichment.pages())
        nodes = sum(map(len, pages))
        failed = Computed()
        for kind in ORDER:
            if enrichment.target(kind) is not None and not _round(
                spark, settings, tenant, kind, pages, report, failed, job, progress
            ):
                report.nodes += nodes
                return
        in_force, lacking = enrichment.finish(is_incomplete_allowed=switch_incomplete)
        report.in_force += [f"{tenant.code}: {kind.lower()}" for kind in in_force]
        if sum(lacking.values()) <= failed.failed:
            break
    report.nodes += nodes
    report.failed += failed.failed
    for kind, missing in lacking.items():
        why = f"; the model failed on {failed.failed}: {failed.error}" if failed.failed else ""
        report.lacking.append(f"{tenant.code}: {kind.lower()} lacks {missing} texts{why}")


def _round(
    spark: SparkSession,
    settings: Settings,
    tenant: Tenant,
    kind: Kind,
    pages: Sequence[Sequence[bytes]],
    report: EnrichReport,
    failed: Computed,
    job: PipelineJob,
    progress: Progress,
) -> bool:
    """Compute one kind for all nodes; gives whether it came to its end."""
    is_sqlite = sa.make_url(settings.store_url).get_backend_name() == "sqlite"
    step = 16 * (1 if is_sqlite else 4)
    for start in range(0, len(pages), step):
        progress(kind.lower(), start, len(pages))
        job.tell(kind.lower(), start, len(pages), {"summaries": report.summaries, "embeddings": report.embeddings})
        part = pages[start : start + step]
        tasks = spark.range(0, len(part), 1, min(len(part), parallelism(spark) * 2))
        work = partial(_work, settings=settings, tenant=tenant, kind=kind, pages=part)
        stopped: set[str] = set()
        with described(spark, f"enrich: {kind.lower()} of nodes {start * len(pages[0])} and on"):
            for (told,) in tasks.mapInArrow(work, _OUTCOME).toLocalIterator():
                outcome = msgspec.msgpack.decode(bytes(told), type=_Outcome)
                stopped |= {outcome.stopped} - {""}
                failed.failed += outcome.computed.failed
                failed.error = outcome.computed.error or failed.error
                if kind == "SUMMARY":
                    report.summaries += outcome.computed.done
                else:
                    report.embeddings += outcome.computed.done
        if stopped:
            report.stopped += [f"{tenant.code}: {error}" for error in sorted(stopped)]
            return False
    progress(kind.lower(), len(pages), len(pages))
    return True


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

    enrichment, stopped = Enrichment(_connected(settings), tenant), ""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            outcome = _Outcome(Computed(), stopped)
            if not stopped:
                try:
                    outcome.computed = enrichment.run_page(kind, pages[number])
                except HeadwaterError as raised:
                    stopped = outcome.stopped = f"{raised.message} {raised.hint or ''}".strip()
            yield pa.RecordBatch.from_pydict({"outcome": [msgspec.msgpack.encode(outcome)]})


@cache
def _connected(settings: Settings) -> ModelWork:
    """One for a process that runs tasks."""
    return make_work(settings, SqlStore(settings.store_url))
