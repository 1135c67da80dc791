"""`headwater pipeline rollup`: the derived tables, computed from the facts.

Whole (`run`), or for the keys that a batch of events affects (`rollup_changes`). Both give the same rows.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.derived import Derived
from headwater.graph.fact import Fact
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.pipeline.jobs.tenants import chosen_tenants
from headwater.pipeline.rollup.changed_keys import ChangedKeys, changed_keys_of
from headwater.pipeline.rollup.changes import refresh
from headwater.pipeline.spark.overlapped_parts import overlapped
from headwater.pipeline.spark.session import described
from headwater.store.engine import make_engine
from headwater.store.pipeline.job_locks import Part
from headwater.store.pipeline.jobs import PipelineJob, Waiting, running
from headwater.store.read.reader import Reader
from headwater.store.tables import events
from headwater.store.write.derived import DerivedStore
from headwater.store.write.leftovers import drop_leftovers
from headwater.store.write.staged_derived import StagedDerived

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["ON_THE_DRIVER", "RollupReport", "rollup_changes", "run"]

_log = logging.getLogger(__name__)

ON_THE_DRIVER = 5_000
"""Affected runs (or shapes) of a tenant up to which they are computed in this process, in parts of `_AT_ONCE`.
More are computed by Spark, with all others of that tenant: at some milliseconds each, that is when it is faster.
"""
_AT_ONCE = 2_000
_BASES = 3
"""Tables written in sequence, since each is made from what Spark caches for the one before. The others are independent:
Spark plans one while it works on another.
"""
_LOOK_BACK = 1_000
"""Ids of the log that may have become visible after a greater one."""

Progress = Callable[[str, int, int], None]
"""The current step, and its progress."""


class RollupReport(Struct, kw_only=True):
    tenants: int = 0
    rows: int = 0
    """Rows of all derived tables."""
    changed: int = 0
    """Rows that were removed or added, because they were not as they should be."""
    refreshed: int = 0
    """Runs that were worked out once more, because events came in meanwhile."""
    seconds: float = 0.0


def run(
    spark: SparkSession,
    store_url: str,
    *,
    tenant: str | None = None,
    progress: Progress = lambda _what, _done, _all: None,
    waiting: Waiting = Waiting(),  # noqa: B008 - a frozen record
) -> RollupReport:
    """Work out all derived tables, of one tenant (by its code) or of all; built aside and swapped in by tenant."""
    began = time.monotonic()
    engine = make_engine(store_url)
    try:
        chosen = chosen_tenants(engine, tenant)
        report = RollupReport(tenants=len(chosen))
        only = chosen[0] if tenant is not None else None
        with running(store_url, "rollup", only) as job, job.holding(chosen, [Part.DERIVED], waiting):
            if chosen:
                drop_leftovers(engine)
                with engine.connect() as connection:
                    newest = connection.execute(sa.select(sa.func.max(events.c.id))).scalar() or 0
                _rebuild(spark, store_url, only, chosen, progress, report, job)
                report.refreshed = _catch_up(engine, store_url, chosen, max(newest - _LOOK_BACK, 0), job)
    finally:
        engine.dispose()
    report.seconds = round(time.monotonic() - began, 3)
    return report


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


def _catch_up(engine: sa.Engine, url: str, chosen: list[int], after: int, job: PipelineJob) -> int:
    """Events that came in while the tables were built may be missing from them."""
    refreshed = 0
    reader = Reader(engine)
    for tenant in chosen:
        job.check()
        touched = changed_keys_of(_facts_since(reader, tenant, after))
        refreshed += rollup_changes(None, url, touched).refreshed
    return refreshed


def _facts_since(reader: Reader, tenant: int, after: int) -> Iterator[Fact]:
    for logged in reader.log(tenant, after):
        try:
            yield from interpret(decode_event(logged.body), tenant).facts()
        except RefusedEvent:
            continue
        except Exception as error:  # noqa: BLE001 - such an event has no facts in the store either
            _log.warning("an event could not be interpreted", extra={"id": logged.id, "error": repr(error)})
