"""Retention, file by file, on every database: only what is archived, whole and of that tenant leaves the log."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
import sqlalchemy as sa
from pyarrow import parquet

from headwater.pipeline.archive.folder import ArchiveFolder
from headwater.pipeline.archive.layout import CHUNK, day_start
from headwater.pipeline.archive.retain import (
    count_old,
    forget_file,
    note_retention,
    old_chunks,
    old_files,
    retained_until,
)
from headwater.pipeline.archive.write import archive_chunk
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import events
from tests.pipeline.archive.events import archived, body, logged, make_tenant, write

BEFORE = day_start("2026-01-03")
ONE = DEFAULT_TENANT.id


@pytest.fixture
def place(tmp_path: Path, store: SqlStore) -> ArchiveFolder:
    """An archive of four days."""
    write(store, [body(number, number % 4) for number in range(40)])
    found = ArchiveFolder(str(tmp_path / "archive"))
    archive_chunk(store.engine, found, 0, CHUNK)
    return found


def forget(store: SqlStore, place: ArchiveFolder, tenant: int = ONE, code: str = "default") -> tuple[int, int]:
    files = old_files(store.engine, place, tenant, code, BEFORE)
    done = [forget_file(store.engine, place, tenant, file, BEFORE) for file in files]
    return sum(each.deleted for each in done), sum(each.damaged for each in done)


def test_days_that_are_over_leave_the_log(store: SqlStore, place: ArchiveFolder) -> None:
    everything = logged(store)
    assert count_old(store.engine, ONE, BEFORE) == 20
    assert old_chunks(store.engine, ONE, BEFORE, CHUNK) == [0]
    assert forget(store, place) == (20, 0)
    assert logged(store) == [event for event in everything if b"2026-01-03" in event[2] or b"2026-01-04" in event[2]]
    assert archived(place.folder) == everything
    assert forget(store, place) == (0, 0)
    assert old_files(store.engine, place, ONE, "default", BEFORE) == []
    assert old_chunks(store.engine, ONE, BEFORE, CHUNK) == []


def test_what_is_not_archived_stays(store: SqlStore, place: ArchiveFolder) -> None:
    write(store, [body(900)])
    assert forget(store, place) == (20, 0)
    assert count_old(store.engine, ONE, BEFORE) == 1


def test_what_is_damaged_in_the_archive_stays(store: SqlStore, place: ArchiveFolder) -> None:
    path = Path(place.folder) / place.files()[0].path
    table = parquet.read_table(path, partitioning=None)
    bodies = table.column("event").to_pylist()
    bodies[2] = bodies[2].replace(b"COMPLETE", b"ABORTED!")
    parquet.write_table(table.set_column(9, table.schema.field(9), pa.array(bodies, pa.binary())), path)
    assert forget(store, place) == (19, 1)
    archive_chunk(store.engine, place, 0, CHUNK, rewrite=True)
    assert forget(store, place) == (1, 0)
    assert len(archived(place.folder)) == 40


def test_other_events_with_the_same_ids_stay(store: SqlStore, place: ArchiveFolder) -> None:
    """As when the archive of another store is named by mistake."""
    with store.engine.begin() as connection:
        connection.execute(events.update().where(events.c.id <= 10).values(fingerprint=bytes(16)))
        connection.execute(events.update().where(events.c.id == 1).values(tenant_id=77))
    assert forget(store, place) == (10, 0)
    with store.engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(events)).scalar() == 30


def test_of_one_tenant_only(store: SqlStore, place: ArchiveFolder) -> None:
    acme = make_tenant(store, "acme")
    write(store, [body(1)], acme)
    archive_chunk(store.engine, place, 0, CHUNK)
    assert forget(store, place, acme.id, "acme") == (1, 0)
    assert count_old(store.engine, ONE, BEFORE) == 20


def test_since_when_the_log_is_whole(store: SqlStore) -> None:
    assert retained_until(store.engine, ONE) is None
    note_retention(store.engine, ONE, BEFORE, 3)
    note_retention(store.engine, ONE, BEFORE - 5, 2)
    assert retained_until(store.engine, ONE) == BEFORE
    assert retained_until(store.engine, 2) is None
