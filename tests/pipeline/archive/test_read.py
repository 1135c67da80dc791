from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.openlineage.decode import decode_event
from headwater.pipeline.archive import write as writing
from headwater.pipeline.archive.folder import ArchiveFolder
from headwater.pipeline.archive.layout import CHUNK, day_start
from headwater.pipeline.archive.read import plan_archive, read_archive, read_split
from headwater.pipeline.archive.write import archive_chunk
from headwater.store.sql_store import SqlStore
from tests.pipeline.archive.events import body, logged, make_tenant, write


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[tuple[str, int, bytes]]]:
    """An archive of two tenants and six days, in small row groups, and what is in it."""
    monkeypatch.setattr(writing, "_GROUP_BYTES", 2_000)
    store = SqlStore(f"sqlite:///{tmp_path}/headwater.db")
    store.open()
    write(store, [body(number, number % 6) for number in range(60)])
    write(store, [body(number, number % 6) for number in range(30)], make_tenant(store, "acme"))
    archive_chunk(store.engine, ArchiveFolder(str(tmp_path / "archive")), 0, CHUNK)
    everything = logged(store)
    store.close()
    return str(tmp_path / "archive"), everything


def test_splits_together_are_everything_once(archive: tuple[str, list]) -> None:
    folder, everything = archive
    splits = plan_archive(folder)
    assert len(splits) > 12, "one split per row group"
    assert sum(split.rows for split in splits) == len(everything)
    assert all(split.bytes > 0 for split in splits)
    assert sorted(tuple(event) for split in splits for event in read_split(split)) == everything


def test_a_split_can_be_read_elsewhere(archive: tuple[str, list]) -> None:
    import pickle

    split = plan_archive(archive[0])[0]
    assert list(read_split(pickle.loads(pickle.dumps(split)))) == list(read_split(split))


@pytest.mark.parametrize(
    ("since", "until"),
    [
        ("2026-01-02", None),
        (None, "2026-01-03"),
        ("2026-01-02", "2026-01-05"),
        ("2027-01-01", None),
    ],
)
@pytest.mark.parametrize("shift", [0, 12 * 3_600_000_000 + 20_000_000])
def test_a_window_of_time(archive: tuple[str, list], since: str | None, until: str | None, shift: int) -> None:
    folder, everything = archive
    low = day_start(since) + shift if since else None
    high = day_start(until) + shift if until else None
    inside: Callable[[bytes], bool] = lambda raw: (  # noqa: E731
        (low is None or decode_event(raw).time >= low) and (high is None or decode_event(raw).time < high)
    )
    wanted = [event for event in everything if inside(event[2])]
    assert sorted(tuple(event) for event in read_archive(folder, since=low, until=high)) == wanted


def test_one_tenant(archive: tuple[str, list]) -> None:
    folder, everything = archive
    found = sorted(tuple(event) for event in read_archive(folder, tenants={"acme"}))
    assert found == [event for event in everything if event[0] == "acme"]


def test_an_archive_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert plan_archive(str(tmp_path / "none")) == []
