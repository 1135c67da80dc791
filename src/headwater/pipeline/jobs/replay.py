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
from headwater.pipeline.sinks.facts import WriteTarget, merge_and_write
from headwater.pipeline.spark.database_outage import Patience, outlast
from headwater.pipeline.spark.overlapped_parts import in_order, overlapped
from headwater.pipeline.spark.session import described, parallelism
from headwater.pipeline.tasks.fold import TaskReport
from headwater.pipeline.tasks.replay_events import ReplayPart, replay_parts
from headwater.store.assets.pending import note_all_assets
from headwater.store.engine import make_engine
from headwater.store.pipeline.job_locks import LockedPart as Held
from headwater.store.pipeline.jobs import PipelineJob, Waiting, running
from headwater.store.pipeline.rollup_marks import forget_rollups
from headwater.store.read.log_marks import LogMarks, log_marks, new_pieces, ranges_of
from headwater.store.read.log_ranges import Logged, plan_ranges, read_range
from headwater.store.write.leftovers import drop_leftovers
from headwater.store.write.log import Tenant
from headwater.store.write.search_index import note_missing
from headwater.store.write.staging import StagedGraph

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ReplayReport", "run"]

_log = logging.getLogger(__name__)
_PARTS_PER_CORE = 2
_ROUNDS, _FEW = 5, 2_000
"""How often events that came in meanwhile are folded aside too, and how many may be left to the swap itself."""
_LOOK_BACK = 200_000
"""Ids before the last one among which the swap looks for events that became visible late."""


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
    merged into the graph instead: the rest of it comes from other events. No other replay of these tenants runs
    meanwhile, and nothing is deleted from their log.
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
        replay = _Replay(spark, store_url, target_url, tenants, on_progress, job, patience)
        return replay.run((since, until), archive, range_ids, waiting)


class _Replay:
    """One run of the job, with the values that its steps share."""

    def __init__(
        self,
        spark: SparkSession,
        store_url: str,
        target_url: str,
        tenants: Sequence[Tenant],
        on_progress: Callable[[int, int, ReplayReport], None],
        job: PipelineJob,
        patience: Patience,
    ) -> None:
        self._began, self._spark, self._url, self._target_url = time.monotonic(), in_order(spark), store_url, target_url
        self._engine, self._target = make_engine(store_url), make_engine(target_url)
        self._on_progress, self._job, self._patience = on_progress, job, patience
        self._tenants, self._ids = {tenant.id: tenant for tenant in tenants}, [tenant.id for tenant in tenants]
        self._identity, self._step = uuid4().hex, parallelism(self._spark) * _PARTS_PER_CORE
        self.report = ReplayReport(tenants=len(tenants))

    def run(
        self, window: tuple[int | None, int | None], archive: str | None, range_ids: int | None, waiting: Waiting
    ) -> ReplayReport:
        tenants, (since, until) = list(self._tenants.values()), window
        try:
            marks = log_marks(self._engine)  # first: what comes into the log from now on may not be read
            cores = parallelism(self._spark)
            ranges = plan_ranges(self._engine, self._ids, size=range_ids, tasks=cores, since=since, until=until)
            parts: list[ReplayPart] = [*_archived(self._engine, tenants, archive, since, until), *ranges]
            self.report.parts = len(parts)
            if since is None and until is None:
                drop_leftovers(self._target)
                name = self._job.table_prefix("staged")
                staged = StagedGraph(self._target, name)
                with staged.open():
                    self._fold_all(parts, WriteTarget(self._target_url, name))
                    # What is worked out from the graph reads all of it: not while half of the tenants are the old ones.
                    with self._job.holding(self._ids, [Held.INFERRED, Held.DERIVED], waiting.for_ever()):
                        self._swap(staged, self._fold_new(marks, WriteTarget(self._target_url, name)))
                self.report.swapped = True
            else:
                self._fold_all(parts, WriteTarget(self._target_url))
            _tell_what_follows(self._target, tenants, swapped=self.report.swapped)
        finally:
            self._engine.dispose()
            self._target.dispose()
        self.report.seconds = round(time.monotonic() - self._began, 3)
        return self.report

    def _fold_all(self, parts: Sequence[ReplayPart], target: WriteTarget) -> None:
        done, report = 0, self.report
        self._on_progress(done, len(parts), report)
        with closing(overlapped(partial(self._fold, target=target), self._groups(parts))) as folded_groups:
            for some, (facts, tasks) in folded_groups:
                done += len(some)
                _count(report, facts, tasks, self._began)
                self._job.tell("folding", done, len(parts), msgspec.structs.asdict(report))
                self._on_progress(done, len(parts), report)

    def _fold(self, some: Sequence[ReplayPart], target: WriteTarget) -> tuple[int, list[TaskReport]]:
        def once(_: int) -> tuple[int, list[TaskReport]]:
            work = replay_parts(self._url, self._identity, some, self._tenants, target)
            folded = self._spark.range(0, len(some), 1, len(some)).mapInArrow(work, wide_schema())
            with described(self._spark, f"replay: {some[0]}"[:200]):
                return merge_and_write(folded, target)

        return outlast(self._target_url, once, self._patience)

    def _fold_new(self, folded: LogMarks, target: WriteTarget) -> LogMarks:
        """Fold events that came into the log meanwhile, until few are left; gives the facts folded then."""
        for number in range(_ROUNDS):
            now = log_marks(self._engine)
            pieces = new_pieces(folded, now)
            if sum(count for _, count in pieces) <= _FEW:
                break
            self._job.tell(f"events that came in meanwhile, round {number + 1}", 0, 0)
            for some in self._groups(ranges_of(pieces, self._ids)):
                self._fold(some, target)
            folded = now
        return folded

    def _swap(self, staged: StagedGraph, folded: LogMarks) -> None:
        forget_rollups(self._target, self._ids)
        for number, tenant in enumerate(self._ids):
            self._job.tell("swapping", number, len(self._ids))

            def late(tenant: int = tenant) -> Iterable[Fact]:
                is_of_another = self._target_url != self._url  # whose log has nothing to do with this one
                return () if is_of_another else _facts_since(self._engine, tenant, folded)

            def swap(_: int, tenant: int = tenant, late: Callable[[], Iterable[Fact]] = late) -> None:
                staged.swap(tenant, late, self._job.confirm)

            outlast(self._target_url, swap, self._patience)

    def _groups(self, parts: Sequence[ReplayPart]) -> list[Sequence[ReplayPart]]:
        return [parts[start : start + self._step] for start in range(0, len(parts), self._step)]


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


def _facts_since(engine: sa.Engine, tenant: int, before: LogMarks) -> Iterator[Fact]:
    """Facts of events that were not in the log before."""
    pieces = new_pieces(before, log_marks(engine, max(0, before.end - _LOOK_BACK)))
    for part in ranges_of(pieces, [tenant]):
        yield from _facts_of(read_range(engine, part))


def _failed(event: Event, error: Exception) -> None:
    _log.error("an event could not be interpreted: %r (fingerprint %s)", error, event.fingerprint.hex())


def _tell_what_follows(engine: sa.Engine, tenants: Sequence[Tenant], *, swapped: bool) -> None:
    """Let search, the asset graph and derived tables know that they are to be brought up to date."""
    forget_rollups(engine, [tenant.id for tenant in tenants])
    for tenant in tenants:
        note_missing(engine, tenant.id)
        note_all_assets(engine, tenant.id, clear=swapped)
