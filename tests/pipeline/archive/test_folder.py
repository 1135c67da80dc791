from __future__ import annotations

from pathlib import Path

import pytest

from headwater.pipeline.archive.errors import ArchiveUnusable
from headwater.pipeline.archive.folder import ArchiveFolder


def write(place: ArchiveFolder, path: str, content: str) -> None:
    with place.writing(path) as name:
        Path(name).write_text(content)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    place = ArchiveFolder(str(tmp_path))
    with pytest.raises(ZeroDivisionError), place.writing("tenant=a/day=2026-01-01/part-1.parquet") as name:
        Path(name).write_text(f"half {1 / 0}")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    write(place, "tenant=a/day=2026-01-01/part-1.parquet", "whole")
    assert [file.path for file in place.files()] == ["tenant=a/day=2026-01-01/part-1.parquet"]
    with place.open("tenant=a/day=2026-01-01/part-1.parquet") as file:
        assert file.read() == b"whole"


def test_files_of_one_tenant_and_of_a_folder_that_is_not_there(tmp_path: Path) -> None:
    place = ArchiveFolder(f"file://{tmp_path}/new")
    assert place.files() == []
    for code in ("a", "b"):
        write(place, f"tenant={code}/day=2026-01-01/part-1.parquet", "")
    assert [file.tenant for file in place.files("b")] == ["b"]
    assert len(place.files()) == 2
    assert ArchiveFolder(place.folder).files() == place.files()


def test_the_manifest(tmp_path: Path) -> None:
    place = ArchiveFolder(str(tmp_path))
    assert place.read_manifest() == {}
    place.write_manifest({"*": 12, "acme": 30})
    assert place.read_manifest() == {"*": 12, "acme": 30}
    assert place.files() == []
    (tmp_path / "_headwater.json").write_text("{")
    with pytest.raises(ArchiveUnusable, match="cannot be read"):
        place.read_manifest()


def test_an_address_that_nobody_knows() -> None:
    with pytest.raises(ArchiveUnusable, match="cannot be opened"):
        ArchiveFolder("gopher://somewhere/else")


def test_a_relative_folder_is_the_same_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ArchiveFolder("archive").folder == str(tmp_path / "archive")
