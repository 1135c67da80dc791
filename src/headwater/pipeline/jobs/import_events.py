"""`headwater pipeline import`: millions of events from files into log and graph."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec
from msgspec import Struct

from headwater.pipeline.folding import Refusal, TaskReport
from headwater.pipeline.importing import import_splits
from headwater.pipeline.merge import wide_schema
from headwater.pipeline.overlap import in_order, overlapped
from headwater.pipeline.session import parallelism
from headwater.pipeline.sources import Split, plan_splits
from headwater.pipeline.writing import Target, merge_and_write
from headwater.store.engine import make_engine
from headwater.store.log import Tenant
from headwater.store.search_index import note_missing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ImportReport", "RefusedLine", "run"]

_SPLITS_PER_CORE = 2


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


class _Journal:
    """Which splits are done, so that an import that was cut off goes on where it was."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._done: set[bytes] = set()
        self.lines: dict[str, int] = {}
        if path is not None and path.is_file():
            for entry in path.read_bytes().splitlines():
                try:
                    digest, number = msgspec.json.decode(entry, type=tuple[str, int])
                except msgspec.DecodeError:  # cut off while it was written
                    continue
                self._done.add(bytes.fromhex(digest))
                self.lines[digest] = number

    def has(self, split: Split) -> bool:
        return _digest(split) in self._done

    def lines_of(self, split: Split) -> int:
        return self.lines.get(_digest(split).hex(), 0)

    def add(self, split: Split, lines: int) -> None:
        self.lines[_digest(split).hex()] = lines
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode((_digest(split).hex(), lines)) + b"\n")

    def remove(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def run(
    spark: SparkSession,
    store_url: str,
    sources: Sequence[str],
    *,
    tenants: Mapping[str, Tenant],
    default_tenant: str = "default",
    journal: Path | None = None,
    on_progress: Callable[[int, int, ImportReport], None] = lambda _done, _all, _report: None,
    on_refused: Callable[[RefusedLine], None] = lambda _line: None,
    split_bytes: int | None = None,
) -> ImportReport:
    """Import all sources. Events that are there already change nothing, so it may be run again."""
    began, spark = time.monotonic(), in_order(spark)
    splits = plan_splits(sources, split_bytes, parallelism(spark))
    kept = _Journal(journal)
    report = ImportReport(splits=len(splits))
    todo = [number for number, split in enumerate(splits) if not kept.has(split)]
    report.splits_done_before = len(splits) - len(todo)
    total = sum(split.size for split in splits)
    done = total - sum(splits[number].size for number in todo)
    on_progress(done, total, report)
    identity, step = uuid4().hex, parallelism(spark) * _SPLITS_PER_CORE
    lines = {number: kept.lines_of(split) for number, split in enumerate(splits) if kept.has(split)}
    waiting: list[tuple[int, Refusal]] = []
    parts = [todo[start : start + step] for start in range(0, len(todo), step)]

    def import_part(part: Sequence[int]) -> tuple[int, list[TaskReport]]:
        work = import_splits(store_url, identity, [splits[number] for number in part], tenants, default_tenant)
        folded = spark.range(0, len(part), 1, len(part)).mapInArrow(work, wide_schema())
        return merge_and_write(folded, Target(store_url))

    with closing(overlapped(import_part, parts)) as done_parts:
        for part, (facts, tasks) in done_parts:
            _count(report, facts, tasks)
            for task in tasks:
                number = part[task.task]
                lines[number] = task.lines
                waiting += [(number, line) for line in task.refused]
            for number in part:
                kept.add(splits[number], lines.get(number, 0))
                done += splits[number].size
            waiting = _tell(waiting, splits, lines, on_refused)
            report.seconds = round(time.monotonic() - began, 3)
            on_progress(done, total, report)
    kept.remove()
    _tell_search(store_url, tenants)
    report.seconds = round(time.monotonic() - began, 3)
    return report


def _tell_search(store_url: str, tenants: Mapping[str, Tenant]) -> None:
    engine = make_engine(store_url)
    for tenant in tenants.values():
        note_missing(engine, tenant.id)
    engine.dispose()


def _count(report: ImportReport, facts: int, tasks: Sequence[TaskReport]) -> None:
    report.facts += facts
    for task in tasks:
        report.lines += task.lines
        report.events += task.events
        report.appended += task.appended
        report.uninterpreted += task.uninterpreted
        report.refused += len(task.refused)


def _tell(
    waiting: list[tuple[int, Refusal]],
    splits: Sequence[Split],
    lines: Mapping[int, int],
    on_refused: Callable[[RefusedLine], None],
) -> list[tuple[int, Refusal]]:
    """Say where refused lines are, as soon as the lines of their file before them have been counted."""
    left = []
    for number, line in sorted(waiting, key=lambda item: (item[0], item[1].line)):
        before = _before(number, splits, lines)
        if before is None:
            left.append((number, line))
            continue
        on_refused(
            RefusedLine(
                splits[number].path, before + line.line, line.code, line.message, line.path, line.hint, line.text
            )
        )
    return left


def _before(number: int, splits: Sequence[Split], lines: Mapping[int, int]) -> int | None:
    """How many lines of the same file come before a split; None while that is not known."""
    before, at = 0, number - 1
    while at >= 0 and splits[at].path == splits[number].path:
        if at not in lines:
            return None
        before += lines[at]
        at -= 1
    return before


def _digest(split: Split) -> bytes:
    return hashlib.sha256(msgspec.msgpack.encode(split)).digest()[:16]
