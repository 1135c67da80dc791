"""Everything put in comes out once, in each tenant's order, and every tenant gets about as much as the others."""

from __future__ import annotations

import threading
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from headwater.ingest.fair_queue import FairQueue

_Put = tuple[int, int]


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 300_000))), st.integers(1, 9), st.integers(1, 500_000))
def test_nothing_is_lost_and_order_stays(puts: list[_Put], most: int, most_bytes: int) -> None:
    queue: FairQueue[tuple[int, int]] = FairQueue()
    for number, (tenant, size) in enumerate(puts):
        queue.put(tenant, size, (tenant, number))
    queue.close()
    out: list[tuple[int, int]] = []
    while batch := queue.take(most, most_bytes):
        assert len(batch) <= most
        out += batch
    assert sorted(number for _, number in out) == list(range(len(puts)))
    for tenant in range(1, 5):
        own = [number for owner, number in out if owner == tenant]
        assert own == sorted(own)


def test_a_flood_does_not_hold_up_the_others() -> None:
    queue: FairQueue[str] = FairQueue()
    for _ in range(2000):
        queue.put(1, 8000, "flood")
    queue.put(2, 8000, "small")
    assert "small" in queue.take(32, 8 << 20)


def test_bytes_are_shared_not_numbers() -> None:
    queue: FairQueue[int] = FairQueue()
    for _ in range(100):
        queue.put(1, 500_000, 1)
    for _ in range(4000):
        queue.put(2, 5_000, 2)
    got: Counter[int] = Counter()
    for _ in range(20):
        for tenant in queue.take(100, 1 << 20):
            got[tenant] += 500_000 if tenant == 1 else 5_000
    assert 0.6 < got[1] / got[2] < 1.7


def test_the_taker_waits_for_the_first() -> None:
    queue: FairQueue[int] = FairQueue()
    taken: list[list[int]] = []
    thread = threading.Thread(target=lambda: taken.extend([queue.take(10, 100), queue.take(10, 100)]))
    thread.start()
    queue.put(1, 1, 42)
    while not taken:
        thread.join(0.01)
        if not thread.is_alive():
            break
        queue.close()
    thread.join(60)
    assert taken == [[42], []]
