"""`headwater pipeline archive`: the log as Parquet, and deletion of old archived events from the log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import sqlalchemy as sa
from msgspec import Struct

from headwater.pipeline.archive.errors import ArchiveUnusable
from headwater.pipeline.archive.folder import ArchiveFolder, open_archive
from headwater.pipeline.archive.layout import CHUNK, ArchiveFile, day_of, day_start
from headwater.pipeline.archive.retain import count_old, forget_file, note_retention, old_chunks, old_files
from headwater.pipeline.archive.write import archive_chunk, chunk_of
from headwater.pipeline.spark.session import described, parallelism
from headwater.pipeline.tasks.replay_events import reading_engine
from headwater.store.access.tenants import Tenants
from headwater.store.engine import make_engine
from headwater.store.pipeline.job_locks import LockedPart
from headwater.store.pipeline.jobs import PipelineJob, Waiting, running
from headwater.store.pipeline.progress import Progress
from headwater.store.pipeline.rollup_marks import forget_before_deletion
from headwater.store.scope import EVERY_TENANT
from headwater.store.tables import events
from headwater.store.write.log import Tenant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ArchiveReport", "run"]

_EVERY = "*"
_NAME = "archive"
_TASKS_PER_CORE = 4
_COUNTS = ("events", "added", "files", "bytes", "deleted", "damaged")
_DAY = 86_400_000_000
_Task = Callable[[int], tuple[int, int, int, int, int, int]]


class ArchiveReport(Struct, kw_only=True):
    events: int = 0
    """Events of the log that were looked at."""
    added: int = 0
    """Events that the archive had not."""
    files: int = 0
    bytes: int = 0
    """Files that were written, and their size."""
    archived_to: int = 0
    """The id in the log up to which all is archived."""
    deleted: int = 0
    """Events that left the log."""
    kept: int = 0
    """Events old enough to leave the log that could not be found in the archive as they are."""
    damaged: int = 0
    """Archived events that did not match their fingerprints; they were written again."""
    seconds: float = 0.0


def run(
    spark: SparkSession,
    store_url: str,
    *,
    folder: str,
    retain_days: int | None = None,
    tenant: str | None = None,
    progress: Callable[[int, int, ArchiveReport], None] = lambda _done, _all, _report: None,
    now: int | None = None,
    waiting: Waiting = Waiting(),  # noqa: B008 - a frozen record
) -> ArchiveReport:
    """Archive new events, then delete archived ones of more than some days from the log.

    May be run again at any time. `now` is the time in microseconds.
    """
    if retain_days is not None and retain_days < 1:
        raise ArchiveUnusable(f"{retain_days} days cannot be retained.", hint="Retain one day or more.")
    report, place, engine = ArchiveReport(), open_archive(folder), make_engine(store_url)
    try:
        place.check_writable()
        tenants = _tenants(engine, tenant)
        only = tenants[0].id if tenant is not None else None
        ids = [each.id for each in tenants]
        with running(store_url, "archive", only) as registered, registered.holding(ids, [LockedPart.ARCHIVE], waiting):
            job = _Job(spark, store_url, place, only, report, progress, registered)
            job.archive_new(engine, tenant or _EVERY)
            if retain_days is not None:
                moment = now if now is not None else time.time_ns() // 1000
                before = day_start(day_of(moment - retain_days * _DAY))
                with registered.holding(ids, [LockedPart.LOG], waiting):
                    job.retain(engine, tenants, before)
    finally:
        engine.dispose()
    return report


class _Job:
    """One run of the job, with the values that its steps share."""

    def __init__(
        self,
        spark: SparkSession,
        url: str,
        place: ArchiveFolder,
        only: int | None,
        report: ArchiveReport,
        progress: Callable[[int, int, ArchiveReport], None],
        registered: PipelineJob,
    ) -> None:
        self._registered = registered
        self._spark, self._url, self._place, self._only = spark, url, place, only
        self._report, self._progress = report, progress
        self._began = time.monotonic()
        self._step = parallelism(spark) * _TASKS_PER_CORE

    def archive_new(self, engine: sa.Engine, whose: str) -> None:
        """From where the archive ends. A chunk more than that: ids may become visible later than greater ones."""
        manifest = self._place.read_manifest()
        position = max(manifest.get(_EVERY, 0), manifest.get(whose, 0))
        first, last = _bounds(engine)
        chunks = range(max(chunk_of(first), chunk_of(position) - 1), chunk_of(last) + 1) if last else range(0)
        self._progress(0, len(chunks), self._report)
        for start in range(0, len(chunks), self._step):
            part = chunks[start : start + self._step]
            self._archive(part, last, rewrite=False)
            position = max(position, min(last, (part[-1] + 1) * CHUNK - 1))
            manifest = self._place.read_manifest()
            self._place.write_manifest(manifest | {whose: max(position, manifest.get(whose, 0))})
            self._progress(start + len(part), len(chunks), self._report)
            self._registered.tell("archiving", start + len(part), len(chunks), msgspec.structs.asdict(self._report))
        self._report.archived_to = position
        if whose == _EVERY and last:
            self._note(engine, position)

    def _note(self, engine: sa.Engine, position: int) -> None:
        """Store the archive's progress for the server's status."""
        progress = Progress(engine)
        batch = next((each.batch for each in progress.read_all() if each.job == _NAME), -1) + 1
        seconds = self._report.seconds
        now = time.time_ns() // 1000
        progress.write(
            _NAME, position=position, batch=batch, batch_events=self._report.added, batch_seconds=seconds, now=now
        )

    def retain(self, engine: sa.Engine, tenants: Sequence[Tenant], before: int) -> None:
        """Whatever is found to be missing or damaged in the archive is archived again, and then looked at once more."""
        self._forget(engine, tenants, before)
        left = {chunk for each in tenants for chunk in old_chunks(engine, each.id, before, CHUNK)}
        if left:
            self._archive(sorted(left), _bounds(engine)[1], rewrite=True)
            self._forget(engine, tenants, before)
            self._report.kept = sum(count_old(engine, each.id, before) for each in tenants)

    def _archive(self, chunks: Sequence[int], last: int, *, rewrite: bool) -> None:
        url, folder, only = self._url, self._place.folder, self._only

        def task(number: int) -> tuple[int, int, int, int, int, int]:
            done = archive_chunk(
                reading_engine(url), open_archive(folder), chunks[number], last, tenant=only, rewrite=rewrite
            )
            return done.events, done.added, done.files, done.bytes, 0, 0

        self._run(task, len(chunks))

    def _forget(self, engine: sa.Engine, tenants: Sequence[Tenant], before: int) -> None:
        for tenant in tenants:
            files = old_files(engine, self._place, tenant.id, tenant.code, before)
            if not files:
                continue
            # Before the first event goes, so that no replay ever takes a log with gaps for a whole one.
            self._registered.tell("deleting", 0, len(files), msgspec.structs.asdict(self._report))
            note_retention(engine, tenant.id, before, 0)
            forget_before_deletion(engine, tenant.id, before)
            earlier = self._report.deleted
            self._run(_forgetting(self._url, self._place.folder, tenant.id, files, before), len(files))
            note_retention(engine, tenant.id, before, self._report.deleted - earlier)

    def _run(self, task: _Task, count: int) -> None:
        """Run tasks by their numbers, and add up their counts."""

        def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    counts = [pa.array([value], pa.int64()) for value in task(number)]
                    yield pa.RecordBatch.from_arrays(counts, list(_COUNTS))

        tasks = self._spark.range(0, count, 1, min(count, self._step))
        counted = tasks.mapInArrow(work, ", ".join(f"{name} long" for name in _COUNTS))
        with described(self._spark, "archive"):
            sums = counted.groupBy().sum(*_COUNTS).first()
        for name, value in zip(_COUNTS, sums or (), strict=False):
            setattr(self._report, name, getattr(self._report, name) + (value or 0))
        self._report.seconds = round(time.monotonic() - self._began, 3)


def _forgetting(url: str, folder: str, tenant: int, files: Sequence[ArchiveFile], before: int) -> _Task:
    def task(number: int) -> tuple[int, int, int, int, int, int]:
        done = forget_file(reading_engine(url), open_archive(folder), tenant, files[number], before)
        return 0, 0, 0, 0, done.deleted, done.damaged

    return task


def _bounds(engine: sa.Engine) -> tuple[int, int]:
    with engine.connect() as connection:
        row: Any = connection.execute(sa.select(sa.func.min(events.c.id), sa.func.max(events.c.id))).one()
    return row[0] or 0, row[1] or 0


def _tenants(engine: sa.Engine, code: str | None) -> list[Tenant]:
    found = Tenants(engine).list(EVERY_TENANT)
    if code is None:
        return found
    chosen = [tenant for tenant in found if tenant.code == code]
    if not chosen:
        raise ArchiveUnusable(f"There is no tenant {code!r}.", hint="`headwater tenant list` shows all of them.")
    return chosen
