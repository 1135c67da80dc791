"""`headwater pipeline replay`: the graph worked out again from the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from headwater.bounded_cache import BoundedCache
from headwater.graph.fact import Fact
from headwater.interpret.attempt import attempt
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.event import Event
from headwater.openlineage.times import format_time
from headwater.pipeline.archive.read import ArchiveSplit, plan_archive
from headwater.pipeline.archive.retain import retained_until
from headwater.pipeline.errors import PipelineError
from headwater.pipeline.merge.aggregation import wide_schema
from headwater.pipeline.sinks.facts import Target, merge_and_write
from headwater.pipeline.spark.database_outage import Patience, outlast
from headwater.pipeline.spark.overlapped_parts import in_order, overlapped
from headwater.pipeline.spark.session import described, parallelism
from headwater.pipeline.tasks.fold import TaskReport
from headwater.pipeline.tasks.replay_events import Part, replay_parts
from headwater.store.assets.pending import note_all_assets
from headwater.store.engine import make_engine
from headwater.store.pipeline.job_locks import Part as Held
from headwater.store.pipeline.jobs import PipelineJob, Waiting, running
from headwater.store.read.log_ranges import Logged, plan_ranges
from headwater.store.write.leftovers import drop_leftovers
from headwater.store.write.log import Tenant
from headwater.store.write.search_index import note_missing
from headwater.store.write.staging import StagedGraph

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ReplayReport", "run"]

_log = logging.getLogger(__name__)
_PARTS_PER_CORE = 2


class ReplayReport(Struct, kw_only=True):
    parts: int = 0
    events: int = 0
    unreadable: int = 0
    uninterpreted: int = 0
    facts: int = 0
    tenants: int = 0
    swapped: bool = False
    seconds: float = 0.0


def run(
    spark: SparkSession,
    store_url: str,
    tenants: Sequence[Tenant],
    *,
    since: int | None = None,
    until: int | None = None,
    into: str | None = None,
    archive: str | None = None,
    on_progress: Callable[[int, int, ReplayReport], None] = lambda _done, _all, _report: None,
    range_ids: int | None = None,
    waiting: Waiting = Waiting(),  # noqa: B008 - a frozen record
    patience: Patience = Patience(),  # noqa: B008
) -> ReplayReport:
    """Fold the log again, and the archive of its deleted events.

    The whole graph is built in staging tables and then replaces the present one. With a window of time, the result is
    merged
    into the graph instead: the rest of it comes from other events. No other replay of these tenants runs meanwhile, and
    nothing is deleted from their log.
    """
    target_url, ids = into or store_url, [tenant.id for tenant in tenants]
    only = ids[0] if len(ids) == 1 else None
    with ExitStack() as kept:
        job = kept.enter_context(running(target_url, "replay", only))
        parts = [Held.GRAPH, Held.LOG] if target_url == store_url else [Held.GRAPH]
        kept.enter_context(job.holding(ids, parts, waiting))
        if target_url != store_url:
            source = kept.enter_context(running(store_url, "replay", only))
            kept.enter_context(source.holding(ids, [Held.LOG], waiting))
        window, wait = (since, until), (waiting, patience)
        return _replay(spark, store_url, tenants, window, into, archive, on_progress, range_ids, job, wait)


def _replay(
    spark: SparkSession,
    store_url: str,
    tenants: Sequence[Tenant],
    window: tuple[int | None, int | None],
    into: str | None,
    archive: str | None,
    on_progress: Callable[[int, int, ReplayReport], None],
    range_ids: int | None,
    job: PipelineJob,
    wait: tuple[Waiting, Patience],
) -> ReplayReport:
    began, spark = time.monotonic(), in_order(spark)
    engine = make_engine(store_url)
    (since, until), (waiting, patience) = window, wait
    target_url = into or store_url
    target = make_engine(target_url)
    is_whole = since is None and until is None
    report = ReplayReport(tenants=len(tenants))
    cores, ids = parallelism(spark), [tenant.id for tenant in tenants]
    ranges = plan_ranges(engine, ids, size=range_ids, tasks=cores, since=since, until=until)
    last = ranges[-1].end - 1 if ranges else 0
    parts: list[Part] = [*_archived(engine, tenants, archive, since, until), *ranges]
    report.parts = len(parts)
    of_id = {tenant.id: tenant for tenant in tenants}
    identity, step = uuid4().hex, cores * _PARTS_PER_CORE

    def fold_all(staging: str | None) -> None:
        target_of_facts = Target(target_url, staging)

        def fold_some(some: Sequence[Part]) -> tuple[int, list[TaskReport]]:
            return outlast(target_url, partial(fold_once, some), patience)

        def fold_once(some: Sequence[Part], _: int) -> tuple[int, list[TaskReport]]:
            work = replay_parts(store_url, identity, some, of_id, target_of_facts)
            folded = spark.range(0, len(some), 1, len(some)).mapInArrow(work, wide_schema())
            with described(spark, f"replay: {some[0]}"[:200]):
                return merge_and_write(folded, target_of_facts)

        done = 0
        on_progress(done, len(parts), report)
        groups = [parts[start : start + step] for start in range(0, len(parts), step)]
        with closing(overlapped(fold_some, groups)) as folded_groups:
            for some, (facts, tasks) in folded_groups:
                done += len(some)
                _count(report, facts, tasks, began)
                job.tell("folding", done, len(parts), msgspec.structs.asdict(report))
                on_progress(done, len(parts), report)

    def swap(staged: StagedGraph, tenant: Tenant, _: int) -> None:
        staged.swap(tenant.id, last, _facts_of if into is None else _nothing, job.confirm)

    try:
        if is_whole:
            drop_leftovers(target)
            staging = job.table_prefix("staged")
            staged = StagedGraph(target, staging)
            with staged.open():
                fold_all(staging)
                # What is worked out from the graph reads all of it: not while half of the tenants are the old ones.
                with job.holding(ids, [Held.INFERRED, Held.DERIVED], waiting.for_ever()):
                    for number, tenant in enumerate(tenants):
                        job.tell("swapping", number, len(tenants))
                        outlast(target_url, partial(swap, staged, tenant), patience)
            report.swapped = True
        else:
            fold_all(None)
        _tell_what_follows(target, tenants, swapped=report.swapped)
    finally:
        engine.dispose()
        target.dispose()
    report.seconds = round(time.monotonic() - began, 3)
    return report


def _count(report: ReplayReport, facts: int, tasks: Sequence[TaskReport], began: float) -> None:
    report.facts += facts
    report.events += sum(task.events for task in tasks)
    report.unreadable += sum(task.lines - task.events for task in tasks)
    report.uninterpreted += sum(task.uninterpreted for task in tasks)
    report.seconds = round(time.monotonic() - began, 3)


def _archived(
    engine: sa.Engine, tenants: Sequence[Tenant], archive: str | None, since: int | None, until: int | None
) -> list[ArchiveSplit]:
    """The parts of the archive. A log that is not complete any more is refused without one: its graph would lose."""
    if archive is not None:
        return plan_archive(archive, tenants={tenant.code for tenant in tenants}, since=since, until=until)
    for tenant in tenants:
        complete = retained_until(engine, tenant.id)
        if complete is not None and (since is None or since < complete):
            raise PipelineError(
                f"Events of tenant {tenant.code!r} before {format_time(complete)} were deleted from the log.",
                hint="Name the archive that has them: --archive FOLDER; or replay only what came later: --since TIME.",
            )
    return []


def _facts_of(logged: Iterable[Logged]) -> Iterator[Fact]:
    """Facts of a few events, folded without Spark."""
    for event in logged:
        try:
            decoded = decode_event(event.body)
        except RefusedEvent:
            continue
        interpretation = attempt(decoded, event.tenant, BoundedCache(16 << 20), _failed)
        if interpretation is not None:
            yield from interpretation.facts()


def _nothing(_: Iterable[Logged]) -> Iterator[Fact]:
    """For a replay into another store, whose log is unrelated."""
    return iter(())


def _failed(event: Event, error: Exception) -> None:
    _log.error("an event could not be interpreted: %r (fingerprint %s)", error, event.fingerprint.hex())


def _tell_what_follows(engine: sa.Engine, tenants: Iterable[Tenant], *, swapped: bool) -> None:
    """Let search and the asset graph know that they are to be brought up to date."""
    for tenant in tenants:
        note_missing(engine, tenant.id)
        note_all_assets(engine, tenant.id, clear=swapped)
