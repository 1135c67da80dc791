from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.pipeline.archive.layout import day_of, day_start, file_path, parse_path


@pytest.mark.parametrize("tenant", ["acme", "a.b-c_d", "50% off/=ü"])
def test_a_path_tells_what_is_in_the_file(tenant: str) -> None:
    path = file_path(tenant, "2026-01-31", 70_000)
    assert path.count("/") == 2
    found = parse_path(f"some/where/{path}")
    assert found is not None
    assert (found.tenant, found.day, found.chunk, found.path) == (tenant, "2026-01-31", 70_000, path)


@pytest.mark.parametrize("path", ["_headwater.json", "tenant=a/day=2026-01-31/.writing-x", "part-1.parquet"])
def test_other_files_are_none_of_an_archive(path: str) -> None:
    assert parse_path(path) is None


@given(st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999))
def test_every_time_has_a_day(micros: int) -> None:
    begin = day_start(day_of(micros))
    assert begin <= micros < begin + 86_400_000_000
