"""`headwater pipeline import`: millions of events from files into log and graph."""

from __future__ import annotations

import hashlib
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec
from msgspec import Struct

from headwater.pipeline.errors import MissingSource
from headwater.pipeline.merge.aggregation import wide_schema
from headwater.pipeline.sinks.facts import WriteTarget, merge_and_write
from headwater.pipeline.sources.refused_lines import all_refused
from headwater.pipeline.sources.splits import Split, plan_splits, split_size, tenant_in
from headwater.pipeline.spark.database_outage import Patience, outlast
from headwater.pipeline.spark.overlapped_parts import in_order, overlapped
from headwater.pipeline.spark.session import described, parallelism
from headwater.pipeline.tasks.fold import TaskReport
from headwater.pipeline.tasks.import_lines import import_splits
from headwater.store.assets.pending import note_all_assets
from headwater.store.engine import make_engine
from headwater.store.pipeline.import_journal import ImportJournal
from headwater.store.pipeline.jobs import PipelineJob
from headwater.store.pipeline.late_facts import opened_late_facts
from headwater.store.write.log import Tenant
from headwater.store.write.search_index import note_missing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ImportReport", "RefusedLine", "run"]

_SPLITS_PER_CORE = 2
_PART_BYTES, _PART_SPLITS = 8 << 20, 500
"""Small files: bytes for each task of a part, and files in all. Each part costs a query of Spark."""
_UNPACKED = 8
"""How many times larger a compressed file of events is, about, once it is read."""


class RefusedLine(Struct, frozen=True):
    """A line that is no event: where it is, and why."""

    file: str
    line: int
    code: str
    message: str
    path: str | None
    hint: str | None
    text: str


class ImportReport(Struct, kw_only=True):
    splits: int = 0
    splits_done_before: int = 0
    lines: int = 0
    events: int = 0
    appended: int = 0
    uninterpreted: int = 0
    refused: int = 0
    facts: int = 0
    seconds: float = 0.0


def run(
    spark: SparkSession,
    store_url: str,
    sources: Sequence[str],
    *,
    tenants: Mapping[str, Tenant],
    default_tenant: str = "default",
    journal: ImportJournal | None = None,
    job: PipelineJob | None = None,
    owner: str | None = None,
    patience: Patience = Patience(),  # noqa: B008 - a frozen record
    on_progress: Callable[[int, int, ImportReport], None] = lambda _done, _all, _report: None,
    on_refused: Callable[[RefusedLine], None] = lambda _line: None,
    split_bytes: int | None = None,
) -> ImportReport:
    """Import all sources. Events in the log change nothing, so it may be run again.

    With a `journal` it continues after an interruption; `job` receives the progress. `owner` names the import where
    there is no journal.
    """
    began, spark = time.monotonic(), in_order(spark)
    splits, known = _plan(sources, split_bytes, parallelism(spark), journal)
    report, now = ImportReport(splits=len(splits)), time.time_ns() // 1000
    todo = [number for number, split in enumerate(splits) if _digest(split) not in known and not _is_empty(split)]
    report.splits_done_before = sum(_digest(split) in known for split in splits)
    total = sum(split.size for split in splits)
    done = total - sum(splits[number].size for number in todo)
    if job is not None:
        job.tell("importing", done, total, msgspec.structs.asdict(report))
    on_progress(done, total, report)
    identity, step = uuid4().hex, parallelism(spark) * _SPLITS_PER_CORE
    lines = {number: known.get(_digest(splits[number]), 0) for number in set(range(len(splits))).difference(todo)}
    waiting: dict[int, TaskReport] = {}
    parts = list(_parts(splits, todo, step, min(_PART_BYTES, split_bytes or _PART_BYTES)))

    def policy_of(split: Split) -> str | None:
        return tenants[tenant_in(split.path) or default_tenant].facet_policy

    def import_part(part: Sequence[int]) -> tuple[int, list[TaskReport]]:
        newest = outlast(store_url, lambda _: late.newest(), patience)
        done = outlast(store_url, partial(import_once, part), patience)
        outlast(store_url, lambda _: late.merged(newest), patience)
        return done

    def import_once(part: Sequence[int], attempt: int) -> tuple[int, list[TaskReport]]:
        of_part = [(number, splits[number]) for number in part]
        work = import_splits(store_url, identity, of_part, tenants, default_tenant, now=now, again=attempt > 0)
        folded = spark.range(0, len(part), 1, min(len(part), step)).mapInArrow(work, wide_schema())
        with described(spark, f"import: parts {part[0] + 1} to {part[-1] + 1} of {len(splits)}"):
            facts, tasks = merge_and_write(folded, WriteTarget(store_url))
        _check_missing(splits, tasks)
        if journal is not None:  # at once: the part before it may take longer, and what is noted is not done again
            journal.add({_digest(splits[task.task]): task.lines for task in tasks})
        return facts, tasks

    name = owner if journal is None else journal.name
    with opened_late_facts(store_url, name) as late, closing(overlapped(import_part, parts)) as done_parts:
        for part, (facts, tasks) in done_parts:
            _count(report, facts, tasks)
            for task in tasks:
                lines[task.task] = task.lines
                if task.refused_lines:
                    waiting[task.task] = task
            done += sum(splits[number].size for number in part)
            _tell(waiting, splits, lines, on_refused, policy_of)
            report.seconds = round(time.monotonic() - began, 3)
            if job is not None:
                job.tell("importing", done, total, msgspec.structs.asdict(report))
            on_progress(done, total, report)
    if journal is not None:
        journal.forget()
    _tell_search(store_url, tenants)
    report.seconds = round(time.monotonic() - began, 3)
    return report


def _parts(splits: Sequence[Split], todo: Sequence[int], step: int, size_of_task: int) -> Iterator[list[int]]:
    """Numbers of splits that are done together: `step` large ones, or as many small ones as take about as long.

    >>> [len(part) for part in _parts([Split("a", "lines", size=50 << 20)] * 5, range(5), 2, 8 << 20)]
    [2, 2, 1]
    >>> [len(part) for part in _parts([Split("a", "gzip", size=1000)] * 1300, range(1300), 4, 8 << 20)]
    [500, 500, 300]
    """
    part: list[int] = []
    size = 0
    for number in todo:
        split = splits[number]
        part.append(number)
        size += split.size * (_UNPACKED if split.form in ("gzip", "zstd") else 1)
        if len(part) >= step and (size >= step * size_of_task or len(part) >= _PART_SPLITS):
            yield part
            part, size = [], 0
    if part:
        yield part


def _plan(
    sources: Sequence[str], split_bytes: int | None, tasks: int, journal: ImportJournal | None
) -> tuple[list[Split], dict[bytes, int]]:
    """The splits, and the lines of those that are done. A resumed import cuts its sources as the first attempt did."""
    if journal is None:
        return plan_splits(sources, split_bytes, tasks), {}
    noted, known = journal.read()
    if noted is None:
        whole = sum(split.size for split in plan_splits(sources, 1 << 62))
        noted = split_bytes or split_size(whole, tasks)
        journal.begin(noted)
    return plan_splits(sources, noted), known


def _check_missing(splits: Sequence[Split], tasks: Sequence[TaskReport]) -> None:
    """A file that is there, but not for every worker, must not be passed over as one that is gone."""
    for task in tasks:
        path = splits[task.task].path
        if task.missing is not None and "://" not in path and Path(path).exists():
            raise MissingSource(
                f"{path} is there on {socket.gethostname()}, but not on {task.missing}, where a task was to read it.",
                hint="On a cluster all workers must see the files: put them on a shared disk or into an object store.",
            )


def _tell_search(store_url: str, tenants: Mapping[str, Tenant]) -> None:
    engine = make_engine(store_url)
    for tenant in tenants.values():
        note_missing(engine, tenant.id)
        note_all_assets(engine, tenant.id)
    engine.dispose()


def _count(report: ImportReport, facts: int, tasks: Sequence[TaskReport]) -> None:
    report.facts += facts
    for task in tasks:
        report.lines += task.lines
        report.events += task.events
        report.appended += task.appended
        report.uninterpreted += task.uninterpreted
        report.refused += task.refused_lines


def _tell(
    waiting: dict[int, TaskReport],
    splits: Sequence[Split],
    lines: Mapping[int, int],
    on_refused: Callable[[RefusedLine], None],
    policy_of: Callable[[Split], str | None],
) -> None:
    """Report refused lines, as soon as the lines before them in their file have been counted."""
    for number in sorted(waiting):
        before = _before(number, splits, lines)
        if before is None:
            continue
        task, path = waiting.pop(number), splits[number].path
        split = splits[number]
        for line in all_refused(split, task.refused, task.refused_lines, policy_of(split)):
            line_number = before + line.line
            on_refused(RefusedLine(path, line_number, line.code, line.message, line.path, line.hint, line.text))


def _before(number: int, splits: Sequence[Split], lines: Mapping[int, int]) -> int | None:
    """How many lines of the same file come before a split; None while that is not known."""
    before, at = 0, number - 1
    while at >= 0 and splits[at].path == splits[number].path:
        if at not in lines:
            return None
        before += lines[at]
        at -= 1
    return before


def _is_empty(split: Split) -> bool:
    """Whether there is nothing to read; a compressed file without a byte is a damaged one."""
    return split.form == "lines" and split.size == 0


def _digest(split: Split) -> bytes:
    return hashlib.sha256(msgspec.msgpack.encode(split)).digest()[:16]
