"""A tenant's rate holds in the long run, a burst may come at once, and what is refused says when to come again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.ingest.errors import RateLimited
from headwater.ingest.rate_limits import RateLimits
from headwater.store.write.log import Tenant

A, B = Tenant(7, "a", "A"), Tenant(8, "b", "B")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def taken(limits: RateLimits, tenant: Tenant, events: int = 1) -> bool:
    try:
        limits.take(tenant, events)
    except RateLimited:
        return False
    return True


def test_no_limit_unless_one_is_set() -> None:
    limits = RateLimits()
    assert all(taken(limits, A, 1000) for _ in range(1000))


def test_a_burst_then_the_rate() -> None:
    clock = Clock()
    limits = RateLimits(10, 5, clock)
    assert [taken(limits, A) for _ in range(7)] == [True] * 5 + [False] * 2
    assert taken(limits, B)
    clock.now += 0.2
    assert [taken(limits, A) for _ in range(3)] == [True, True, False]
    clock.now += 1000
    assert sum(taken(limits, A) for _ in range(20)) == 5


def test_what_a_tenant_has_of_its_own_comes_first() -> None:
    limits = RateLimits(1, 1, Clock())
    free, tight = Tenant(9, "c", "C", rate=0), Tenant(10, "d", "D", rate=3, burst=2)
    assert all(taken(limits, free) for _ in range(100))
    assert sum(taken(limits, tight) for _ in range(100)) == 2
    assert sum(taken(limits, Tenant(11, "e", "E", rate=3)) for _ in range(100)) == 6, "two seconds of its own rate"


def test_when_to_come_again() -> None:
    clock = Clock()
    limits = RateLimits(2, 10, clock)
    limits.take(A, 10)
    with pytest.raises(RateLimited) as refused:
        limits.take(A, 7)
    assert refused.value.retry_after == 4
    clock.now += 4
    limits.take(A, 7)


def test_a_batch_larger_than_the_burst_is_made_up_for() -> None:
    clock = Clock()
    limits = RateLimits(10, 10, clock)
    assert taken(limits, A, 50)
    assert not taken(limits, A)
    clock.now += 4.05
    assert not taken(limits, A)
    clock.now += 0.1
    assert taken(limits, A)


@given(st.lists(st.tuples(st.floats(0, 3), st.integers(1, 30)), max_size=60))
def test_the_rate_holds_whatever_comes(arrivals: list[tuple[float, int]]) -> None:
    clock = Clock()
    limits = RateLimits(10, 20, clock)
    began, total, largest = clock.now, 0, 0
    for wait, events in arrivals:
        clock.now += wait
        if taken(limits, A, events):
            total, largest = total + events, max(largest, events)
    assert total <= 20 + (clock.now - began) * 10 + max(0, largest - 20) + 1e-6
