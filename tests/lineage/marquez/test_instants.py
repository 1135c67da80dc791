from __future__ import annotations

from datetime import UTC
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from headwater.lineage.marquez.graph.column_sources import transformation
from headwater.lineage.marquez.instants import instant, made_id, offset_time
from headwater.lineage.marquez.stats import intervals
from headwater.openlineage.identity import digest


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_500_000, "1970-01-01T00:00:01.500Z"),
        (1_000_001, "1970-01-01T00:00:01.000001Z"),
        (-1_000_000, "1969-12-31T23:59:59Z"),
    ],
)
def test_instant(micros: int, text: str) -> None:
    assert instant(micros) == text


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("2026-03-01T07:00:00Z", "2026-03-01T07:00Z"),
        ("2026-03-01T07:00:05+02:00", "2026-03-01T07:00:05+02:00"),
        ("2026-03-01T07:00:00.250Z", "2026-03-01T07:00:00.250Z"),
        ("2026-03-01T07:00", "2026-03-01T07:00Z"),
        ("nonsense", None),
    ],
)
def test_offset_time(sent: str, shown: str | None) -> None:
    assert offset_time(sent) == shown


def test_made_ids_depend_on_every_part() -> None:
    assert made_id("a", "bc") == made_id("a", "bc") != made_id("ab", "c")


def test_a_made_id_is_a_uuid_as_python_writes_it() -> None:
    assert made_id("a", b"b") == str(UUID(bytes=digest("marquez", "a", b"b"), version=5))


def test_a_week_with_a_change_of_the_clock() -> None:
    """Berlin goes to summer time on 2026-03-29, which has 23 hours."""
    monday = 1_774_864_800_000_000  # 2026-03-30T10:00:00Z
    spans = intervals("WEEK", ZoneInfo("Europe/Berlin"), monday)
    hours = [(end - start) // 3_600_000_000 for start, end in spans]
    assert hours == [24, 24, 24, 24, 24, 23, 24]
    assert instant(spans[-1][0]) == "2026-03-29T22:00:00Z"


def test_a_day_ends_with_the_hour_that_runs() -> None:
    spans = intervals("DAY", UTC, 1_774_864_800_000_001)
    assert (instant(spans[0][0]), instant(spans[-1][1])) == ("2026-03-29T11:00:00Z", "2026-03-30T11:00:00Z")


def test_transformations() -> None:
    assert transformation([("UNKNOWN", False, "")]) == (None, None)
    assert transformation([("TRANSFORMATION", True, "hashed")]) == ("MASKED", "hashed")
