"""Back-off and company of tasks that failed."""

from __future__ import annotations

import doctest

import pytest

from headwater.tasks import schedule


def test_examples() -> None:
    assert doctest.testmod(schedule).failed == 0


def test_delays_are_those_of_the_specification() -> None:
    assert schedule.DELAYS == (60, 300, 900, 3600, 21600)
    assert schedule.MOST_ATTEMPTS == 6


@pytest.mark.parametrize("size", [1, 2, 5, 16, 32, 64])
def test_nobody_dies_of_another(size: int) -> None:
    """Before its last attempt a task is alone at least once, whatever the size of batches."""
    assert [schedule.batch_limit(attempts, size) for attempts in range(3, 6)] == [1, 1, 1]
    for attempts in ([0] * size, [3] + [0] * size, [0] * size + [3], [1] * size, [2] * size):
        taken = schedule.together(attempts, size)
        assert 1 <= taken <= size
        assert all(taken <= schedule.batch_limit(number, size) for number in attempts[:taken]) or taken == 1
