"""`headwater pipeline rollup`: the derived tables, computed from the facts.

Whole (`run`), for what came into the log since the last time (`run_since`), or for the keys that a batch of events
affects (`rollup_changes`). All give the same rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.derived import Derived, RunSummary
from headwater.graph.fact import Fact
from headwater.graph.facts import Run
from headwater.pipeline.jobs.tenants import chosen_tenants
from headwater.pipeline.rollup.changed_keys import ChangedKeys
from headwater.pipeline.rollup.changes import refresh
from headwater.pipeline.rollup.definitions import definitions
from headwater.pipeline.rollup.logged_changes import logged_changes
from headwater.pipeline.spark.overlapped_parts import overlapped
from headwater.pipeline.spark.session import described
from headwater.store.engine import make_engine
from headwater.store.pipeline.job_locks import LockedPart
from headwater.store.pipeline.jobs import PipelineJob, Waiting, running
from headwater.store.pipeline.rollup_marks import RollupMarks, settled_position
from headwater.store.read.reader import Reader
from headwater.store.tables import derived_tables, events, fact_tables
from headwater.store.write.derived import DerivedStore
from headwater.store.write.leftovers import drop_leftovers
from headwater.store.write.staged_derived import StagedDerived

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["ON_THE_DRIVER", "RollupReport", "rollup_changes", "run", "run_since"]

ON_THE_DRIVER = 5_000
"""Affected runs (or shapes) of a tenant up to which they are computed in this process, in parts of `_AT_ONCE`.
More are computed by Spark, with all others of that tenant: at some milliseconds each, that is when it is faster.
"""
_AT_ONCE = 2_000
_BASES = 3
"""Tables written in sequence, since each is made from what Spark caches for the one before. The others are independent:
Spark plans one while it works on another.
"""
_EVENTS_SINCE = 60_000
"""Events since the last rollup that are read one by one; when there are more, everything is computed again."""

Progress = Callable[[str, int, int], None]
"""The current step, and its progress."""


class RollupReport(Struct, kw_only=True):
    tenants: int = 0
    rows: int = 0
    """Rows of all derived tables."""
    changed: int = 0
    """Rows that were removed or added, because they were not as they should be."""
    refreshed: int = 0
    """Runs that were worked out one by one, because events about them came in since the last time, or meanwhile."""
    whole: int = 0
    """Tenants of which everything was worked out again."""
    seconds: float = 0.0

    def plus(self, other: RollupReport) -> RollupReport:
        """Of both together."""
        return RollupReport(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})


def run(
    spark: SparkSession,
    store_url: str,
    *,
    tenant: str | None = None,
    only: Collection[int] | None = None,
    progress: Progress = lambda _what, _done, _all: None,
    waiting: Waiting = Waiting(),  # noqa: B008 - a frozen record
) -> RollupReport:
    """Work out all derived tables, of one tenant (by its code), of some (`only`) or of all.

    Built aside and swapped in by tenant.
    """
    began = time.monotonic()
    engine = make_engine(store_url)
    try:
        chosen = chosen_tenants(engine, tenant) if only is None else sorted(only)
        report = RollupReport(tenants=len(chosen), whole=len(chosen))
        one = chosen[0] if len(chosen) == 1 else None
        with running(store_url, "rollup", one) as job, job.holding(chosen, [LockedPart.DERIVED], waiting):
            if chosen:
                marks, settled = RollupMarks(engine, definitions()), settled_position(engine)
                drop_leftovers(engine)
                _rebuild(spark, store_url, one, chosen, progress, report, job)
                marks.note(chosen, settled)
                _catch_up(engine, store_url, dict.fromkeys(chosen, settled), report, job)
    finally:
        engine.dispose()
    report.seconds = round(time.monotonic() - began, 3)
    return report


def run_since(
    store_url: str,
    *,
    tenant: str | None = None,
    progress: Progress = lambda _what, _done, _all: None,
    waiting: Waiting = Waiting(),  # noqa: B008 - a frozen record
) -> tuple[RollupReport, list[int]]:
    """Update the derived tables with the events since the last rollup, without Spark.

    Gives the remaining tenants, too: those that need whole tables, or have too many changes.
    """
    began = time.monotonic()
    engine, report = make_engine(store_url), RollupReport()
    try:
        chosen = chosen_tenants(engine, tenant)
        if not _positions(engine, chosen):
            return report, chosen
        one = chosen[0] if len(chosen) == 1 else None
        with running(store_url, "rollup", one) as job, job.holding(chosen, [LockedPart.DERIVED], waiting):
            after = _positions(engine, chosen)
            progress("what came since", 0, 0)
            job.tell("what came since", 0, 0)
            near = _catch_up(engine, store_url, after, report, job, most=ON_THE_DRIVER)
            report.tenants = len(near)
    finally:
        engine.dispose()
    report.seconds = round(time.monotonic() - began, 3)
    return report, sorted(set(chosen) - near)


def rollup_changes(
    spark: SparkSession | None, store_url: str, changes: Mapping[int, ChangedKeys], job: PipelineJob | None = None
) -> RollupReport:
    """Update the derived tables for the affected keys, by tenant. Without Spark any number is computed here.

    `job` holds the derived tables of these tenants; without one nobody else may write them.
    """
    began = time.monotonic()
    report = RollupReport(tenants=len(changes))
    engine, derived = make_engine(store_url), DerivedStore(store_url)
    reader = Reader(engine)
    try:
        for tenant, changed in changes.items():
            if spark is not None and job is not None and len(changed.runs) > ON_THE_DRIVER:
                _rebuild(spark, store_url, tenant, [tenant], lambda _what, _done, _all: None, report, job)
                continue
            runs = sorted(changed.runs)
            for start in range(0, len(runs), _AT_ONCE):
                done = refresh(reader, derived, tenant, set(runs[start : start + _AT_ONCE]))
                report.refreshed += done.runs
                report.rows += done.rows
    finally:
        derived.close()
        engine.dispose()
    report.seconds = round(time.monotonic() - began, 3)
    return report


def _rebuild(
    spark: SparkSession,
    url: str,
    only: int | None,
    chosen: list[int],
    progress: Progress,
    report: RollupReport,
    job: PipelineJob,
) -> None:
    from headwater.pipeline.rollup.rollup import NEEDED, roll_up  # noqa: PLC0415
    from headwater.pipeline.sinks.derived_rows import write_derived  # noqa: PLC0415 - loads Spark
    from headwater.pipeline.sources.tables import read_facts  # noqa: PLC0415

    name = job.table_prefix("aside")
    staged = StagedDerived(url, name)
    with staged.open(), ExitStack() as kept:

        def read(kind: type[Fact]) -> DataFrame:
            return read_facts(spark, url, kind, tenant=only, columns=NEEDED[kind])

        frames = roll_up(read, kept)
        kinds, steps = list(frames), len(frames) + len(chosen)

        def write(kind: type[Derived]) -> int:
            with described(spark, f"rollup: {kind.table}"):
                return write_derived(frames[kind], url, kind, name)

        def tell(done: int) -> None:
            kind = kinds[min(done, len(kinds) - 1)]
            progress(kind.table, done, steps)
            job.tell(kind.table, done, steps, {"rows": report.rows})

        for done, kind in enumerate(kinds[:_BASES]):
            tell(done)
            report.rows += write(kind)
        tell(_BASES)
        with closing(overlapped(write, kinds[_BASES:])) as written:
            for done, (_, rows) in enumerate(written, _BASES + 1):
                report.rows += rows
                tell(done)
        for done, tenant in enumerate(chosen):
            progress("swap", len(frames) + done, steps)
            job.tell("swap", len(frames) + done, steps, {"rows": report.rows})
            report.changed += staged.swap(tenant, job.confirm)
        progress("done", steps, steps)


def _catch_up(
    engine: sa.Engine,
    url: str,
    after: Mapping[int, int],
    report: RollupReport,
    job: PipelineJob,
    most: int | None = None,
) -> set[int]:
    """Compute changes by events beyond an id, for each tenant; gives the tenants that are up to date then.

    Tenants with more than `most` changed runs are left as they are.
    """
    settled = settled_position(engine)
    changed, too_many = logged_changes(engine, after, most)
    job.check()
    done = rollup_changes(None, url, changed)
    report.refreshed += done.refreshed
    report.rows += done.rows if most is not None else 0
    near = set(after) - too_many
    RollupMarks(engine, definitions()).advance({each: after[each] for each in near}, settled)
    return near


def _positions(engine: sa.Engine, chosen: Collection[int]) -> dict[int, int]:
    """Tenants that need only newer events, each with the id of the log up to which it is up to date."""
    known, runs, rows = RollupMarks(engine, definitions()).read(), fact_tables[Run].c, derived_tables[RunSummary].c
    with engine.connect() as connection:
        newest = int(connection.execute(sa.select(sa.func.max(events.c.id))).scalar() or 0)

        def has(tenant_of: sa.Column[int], tenant: int) -> bool:
            query = sa.select(sa.literal(1)).select_from(tenant_of.table).where(tenant_of == tenant).limit(1)
            return connection.execute(query).first() is not None

        near = {each: known[each] for each in chosen if each in known and newest - known[each] <= _EVENTS_SINCE}
        # Somebody may have emptied the tables: they can be worked out again at any time.
        return {each: at for each, at in near.items() if has(rows.tenant, each) or not has(runs.tenant, each)}
