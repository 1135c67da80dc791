"""Retention: archived events leave the log once they are old enough. The graph stays as it is.

Facts are not touched, so the cache of known facts (`store/write/known_facts.py`) stays valid.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import pyarrow as pa
import sqlalchemy as sa
from msgspec import Struct
from pyarrow import parquet

from headwater.openlineage.identity import fingerprint
from headwater.pipeline.archive.folder import ArchiveFolder
from headwater.pipeline.archive.layout import ArchiveFile, day_of, day_start
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.pipeline.progress import JobProgress, Progress
from headwater.store.tables import events

__all__ = ["FileReport", "count_old", "forget_file", "note_retention", "old_chunks", "old_files", "retained_until"]

_AT_ONCE = 500
"""Events in one transaction."""
_Key = tuple[int, int, bytes]
"""Id, time and fingerprint."""


class FileReport(Struct, frozen=True):
    deleted: int = 0
    damaged: int = 0
    """Archived events that do not match their fingerprints; the log keeps those."""


def old_files(engine: sa.Engine, place: ArchiveFolder, tenant: int, code: str, before: int) -> list[ArchiveFile]:
    """Files that may hold events which are still in the log, of days that are over for it."""
    query = sa.select(sa.func.min(events.c.event_time)).where(events.c.tenant_id == tenant)
    with engine.connect() as connection:
        oldest = connection.execute(query).scalar()
    if oldest is None or oldest >= before:
        return []
    return [file for file in place.files(code) if day_of(oldest) <= file.day and day_start(file.day) < before]


def forget_file(engine: sa.Engine, place: ArchiveFolder, tenant: int, file: ArchiveFile, before: int) -> FileReport:
    """Delete the events of one file from the log, after comparing each with the archive, bytes included."""
    with place.open(file.path) as opened:
        archived = parquet.ParquetFile(opened)
        table = archived.read(columns=["id", "event_time", "fingerprint"])
        there = _in_log(engine, tenant, list(zip(*_columns(table), strict=True)), before)
        if not there:
            return FileReport()
        deleted = damaged = 0
        for batch in archived.iter_batches(batch_size=_AT_ONCE, columns=["id", "event_time", "fingerprint", "event"]):
            ids, times, marks = _columns(batch)
            bodies = batch.column("event").to_pylist()
            wanted = [
                (key, body)
                for key, body in zip(zip(ids, times, marks, strict=True), bodies, strict=True)
                if key in there
            ]
            whole = [key for key, body in wanted if fingerprint(body) == key[2]]
            damaged += len(wanted) - len(whole)
            deleted += _delete(engine, tenant, whole)
    return FileReport(deleted, damaged)


def count_old(engine: sa.Engine, tenant: int, before: int) -> int:
    """How many events of that age the log still has."""
    condition = (events.c.tenant_id == tenant, events.c.event_time < before)
    with engine.connect() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(events).where(*condition)).scalar_one())


def old_chunks(engine: sa.Engine, tenant: int, before: int, size: int) -> list[int]:
    """The chunks that those are in."""
    old = (events.c.tenant_id == tenant, events.c.event_time < before)
    query = sa.select(events.c.id // size).where(*old).distinct()
    with engine.connect() as connection:
        return sorted(int(row[0]) for row in connection.execute(query))


def note_retention(engine: sa.Engine, tenant: int, before: int, deleted: int) -> None:
    """Remember until when the log of a tenant may have gaps: a replay of it needs the archive."""
    known = _known(engine, tenant)
    Progress(engine).write(
        _job(tenant),
        position=max(before, known.position) if known else before,
        batch=known.batch + 1 if known else 0,
        batch_events=deleted,
        batch_seconds=0.0,
        now=time.time_ns() // 1000,
    )


def retained_until(engine: sa.Engine, tenant: int) -> int | None:
    """The log of a tenant is complete from this event time on; None if nothing was ever deleted from it."""
    known = _known(engine, tenant)
    return known.position if known else None


def _known(engine: sa.Engine, tenant: int) -> JobProgress | None:
    return next((each for each in Progress(engine).read_all() if each.job == _job(tenant)), None)


def _job(tenant: int) -> str:
    return f"retention:{tenant}"


def _columns(table: pa.Table | pa.RecordBatch) -> tuple[list[int], list[int], list[bytes]]:
    times = table.column("event_time").cast(pa.int64()).to_pylist()
    return table.column("id").to_pylist(), times, table.column("fingerprint").to_pylist()


def _in_log(engine: sa.Engine, tenant: int, keys: Sequence[_Key], before: int) -> set[_Key]:
    """Those that the log still has, word for word: id, tenant, time and fingerprint."""
    found: set[_Key] = set()
    wanted = set(keys)
    with engine.connect() as connection:
        for start in range(0, len(keys), _AT_ONCE):
            ids = [key[0] for key in keys[start : start + _AT_ONCE]]
            query = sa.select(events.c.id, events.c.event_time, events.c.fingerprint).where(
                events.c.id.in_(ids), (events.c.tenant_id + 0) == tenant, (events.c.event_time + 0) < before
            )
            found.update((row[0], row[1], bytes(row[2])) for row in connection.execute(query))
    return found & wanted


def _delete(engine: sa.Engine, tenant: int, keys: Sequence[_Key]) -> int:
    if not keys:
        return 0
    statement = events.delete().where(events.c.id.in_([key[0] for key in keys]), (events.c.tenant_id + 0) == tenant)

    def work() -> int:
        with engine.connect().execution_options(**WRITING) as connection, connection.begin():
            return connection.execute(statement).rowcount

    return retried(work)
