"""What is on disk is for its owner alone, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.pipeline.archive.folder import ArchiveFolder
from headwater.store.sql_store import SqlStore
from tests.api.test_ingest import event
from tests.server import Server


@pytest.fixture(autouse=True)
def _open_to_all() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    places = [folder, *folder.rglob("*")]
    return {str(place.relative_to(folder.parent)): stat.S_IMODE(place.stat().st_mode) for place in places}


def test_the_data_folder(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server:
        assert server.post(event("j")).status_code == 201
        found = modes(tmp_path / "data")
    assert found["data"] == 0o700
    assert {name for name in found if name.endswith(("-wal", "-shm"))}
    assert not [name for name, mode in found.items() if mode & 0o077]


def test_what_an_older_version_made(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'data' / 'headwater.db'}")
    (tmp_path / "data").mkdir()
    store.open()
    store.close()
    (tmp_path / "data" / "headwater.db").chmod(0o644)
    (tmp_path / "data").chmod(0o755)
    with Server(tmp_path / "data"):
        assert not [name for name, mode in modes(tmp_path / "data").items() if mode & 0o077]


def test_a_folder_with_other_things_stays_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    (shared / "notes.txt").write_text("ours")
    with Server(shared) as server:
        assert server.post(event("j")).status_code == 201
        found = modes(shared)
    assert (found["shared"], found["shared/notes.txt"]) == (0o755, 0o666)
    assert found["shared/headwater.db"] == 0o600


def test_an_archive(tmp_path: Path) -> None:
    with ArchiveFolder(str(tmp_path / "archive")).writing("tenant=a/date=2026-01-01/part.parquet") as name:
        Path(name).write_bytes(b"rows")
    found = modes(tmp_path / "archive")
    assert len(found) == 4
    assert not [name for name, mode in found.items() if mode & 0o077]
