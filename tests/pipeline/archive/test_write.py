"""Chunks of the log into the archive, on every database; what is archived is exactly what was received."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from pyarrow import parquet

from headwater.pipeline.archive import folder as placing
from headwater.pipeline.archive import write as writing
from headwater.pipeline.archive.errors import ArchiveUnusable
from headwater.pipeline.archive.folder import ArchiveFolder
from headwater.pipeline.archive.layout import CHUNK, SCHEMA
from headwater.pipeline.archive.write import archive_chunk
from headwater.store.sql_store import SqlStore
from headwater.store.tables import events
from tests.conftest import EVENTS
from tests.pipeline.archive.events import archived, body, logged, make_tenant, move_ids, write


@pytest.fixture
def place(tmp_path: Path) -> ArchiveFolder:
    return ArchiveFolder(str(tmp_path / "archive"))


def recorded() -> list[bytes]:
    return [
        line
        for path in sorted(EVENTS.glob("*/*.ndjson"))
        if path.stem != "refused"
        for line in path.read_bytes().splitlines()
        if line.strip()
    ]


def test_everything_is_archived_as_it_was_received(store: SqlStore, place: ArchiveFolder) -> None:
    write(store, recorded())
    write(store, recorded()[:50], make_tenant(store, "acme"))
    report = archive_chunk(store.engine, place, 0, CHUNK)
    assert archived(place.folder) == logged(store)
    assert report.added == report.events == len(logged(store))
    assert report.files == len(place.files())
    assert report.bytes == sum((Path(place.folder) / file.path).stat().st_size for file in place.files())


def test_all_columns_of_the_log_but_the_tenant(store: SqlStore, place: ArchiveFolder) -> None:
    write(store, recorded())
    archive_chunk(store.engine, place, 0, CHUNK)
    with store.engine.connect() as connection:
        rows = connection.execute(sa.select(events).order_by(events.c.id)).mappings().all()
    found = []
    for file in place.files():
        table = parquet.read_table(f"{place.folder}/{file.path}", partitioning=None)
        assert table.schema.equals(SCHEMA)
        found += table.to_pylist()
    for row, kept in zip(rows, sorted(found, key=lambda each: each["id"]), strict=True):
        for name in ("event_kind", "event_type", "run", "job_namespace", "job_name", "producer", "warnings"):
            assert row[name] == kept[name]
        assert bytes(row["fingerprint"]) == kept["fingerprint"]
        assert row["event_time"] == round(kept["event_time"].timestamp() * 1e6)
        assert row["received_at"] == round(kept["received_at"].timestamp() * 1e6)


def test_again_adds_only_what_is_new(store: SqlStore, place: ArchiveFolder) -> None:
    write(store, [body(number) for number in range(5)])
    assert archive_chunk(store.engine, place, 0, CHUNK).added == 5
    again = archive_chunk(store.engine, place, 0, CHUNK)
    assert (again.events, again.added, again.files) == (5, 0, 0)
    write(store, [body(number, day) for number in range(5, 8) for day in (0, 1)])
    more = archive_chunk(store.engine, place, 0, CHUNK)
    assert (more.added, more.files) == (6, 2)
    assert archived(place.folder) == logged(store)


def test_an_id_that_shows_late_is_added(store: SqlStore, place: ArchiveFolder) -> None:
    write(store, [body(number) for number in range(5)])
    hidden = sa.select(events).where(events.c.id == 3)
    with store.engine.begin() as connection:
        row = dict(connection.execute(hidden).mappings().one())
        connection.execute(events.delete().where(events.c.id == 3))
    archive_chunk(store.engine, place, 0, CHUNK)
    with store.engine.begin() as connection:
        connection.execute(events.insert(), row)
    assert archive_chunk(store.engine, place, 0, CHUNK).added == 1
    assert archived(place.folder) == logged(store)


def test_what_has_left_the_log_stays_in_the_archive(store: SqlStore, place: ArchiveFolder) -> None:
    write(store, [body(number) for number in range(5)])
    everything = logged(store)
    archive_chunk(store.engine, place, 0, CHUNK)
    with store.engine.begin() as connection:
        connection.execute(events.delete().where(events.c.id <= 3))
    write(store, [body(7)])
    assert archive_chunk(store.engine, place, 0, CHUNK).added == 1
    assert archive_chunk(store.engine, place, 0, CHUNK, rewrite=True).added == 0
    assert archived(place.folder) == sorted(set(everything) | set(logged(store)))


def test_chunks_share_no_file(store: SqlStore, place: ArchiveFolder) -> None:
    write(store, [body(number) for number in range(6)])
    move_ids(store, CHUNK - 3)
    assert archive_chunk(store.engine, place, 0, 2 * CHUNK).added == 2
    assert archive_chunk(store.engine, place, 1, CHUNK + 1).added == 2
    assert archive_chunk(store.engine, place, 1, 2 * CHUNK).added == 2
    assert archived(place.folder) == logged(store)
    assert [file.chunk for file in place.files()] == [0, 1]


def test_one_tenant_only(store: SqlStore, place: ArchiveFolder) -> None:
    acme = make_tenant(store, "acme")
    write(store, [body(1)])
    write(store, [body(2)], acme)
    assert archive_chunk(store.engine, place, 0, CHUNK, tenant=acme.id).events == 1
    assert [event[0] for event in archived(place.folder)] == ["acme"]


def test_many_files_and_little_memory(store: SqlStore, place: ArchiveFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups and passes do not change what is archived."""
    monkeypatch.setattr(writing, "_FILES_AT_ONCE", 3)
    monkeypatch.setattr(writing, "_WAITING_BYTES", 4_000)
    monkeypatch.setattr(writing, "_GROUP_BYTES", 1_500)
    monkeypatch.setattr(writing, "_PAGE", 7)
    write(store, [body(number, number % 8) for number in range(120)])
    assert archive_chunk(store.engine, place, 0, CHUNK).files == 8
    assert archived(place.folder) == logged(store)
    groups = parquet.read_metadata(f"{place.folder}/{place.files()[0].path}").num_row_groups
    assert groups > 2


def test_a_crash_between_files_doubles_nothing(
    store: SqlStore, place: ArchiveFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, [body(number, number % 4) for number in range(20)])
    settle = placing._settle
    calls = iter(range(10))

    def crash(scratch: Path, target: Path) -> None:
        if next(calls) == 2:
            raise RuntimeError
        settle(scratch, target)

    monkeypatch.setattr(placing, "_settle", crash)
    with pytest.raises(RuntimeError):
        archive_chunk(store.engine, place, 0, CHUNK)
    monkeypatch.undo()
    assert len(place.files()) == 2
    assert archive_chunk(store.engine, place, 0, CHUNK).added == 10
    assert archived(place.folder) == logged(store)


def test_a_file_that_is_no_parquet_is_named(store: SqlStore, place: ArchiveFolder) -> None:
    write(store, [body(1)])
    archive_chunk(store.engine, place, 0, CHUNK)
    (file,) = place.files()
    (Path(place.folder) / file.path).write_text("nothing")
    with pytest.raises(ArchiveUnusable, match=r"part-000000000000\.parquet"):
        archive_chunk(store.engine, place, 0, CHUNK)
