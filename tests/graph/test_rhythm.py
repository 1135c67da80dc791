"""The usual time between runs."""

from __future__ import annotations

import pytest

from headwater.graph.rhythm import usual_gap

MINUTE = 60_000_000
HOUR, DAY = 60 * MINUTE, 1440 * MINUTE


@pytest.mark.parametrize(
    ("times", "gap"),
    [
        ([0, DAY, 2 * DAY, 3 * DAY], DAY),
        ([3 * DAY, 0, DAY, 2 * DAY, DAY], DAY),  # in any order, and twice
        ([0, DAY, 2 * DAY, 5 * DAY, 6 * DAY], DAY),  # days that are left out
        ([0, DAY, 2 * DAY], None),
        ([0, HOUR, 2 * DAY, 9 * DAY, 40 * DAY], None),
        ([0, 10, 20, 30], None),  # what runs all the time has no schedule
        ([day * DAY + part * MINUTE // 60 for day in range(4) for part in range(3)], DAY),  # three parts each night
        ([hour * HOUR for hour in range(11)] + [60 * HOUR], HOUR),  # hourly, and down for two days
    ],
)
def test_the_usual_gap(times: list[int], gap: int | None) -> None:
    found = usual_gap(times)
    assert found == gap or (gap is not None and found is not None and abs(found - gap) < MINUTE)
