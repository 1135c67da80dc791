from __future__ import annotations

from headwater.ingest.load_history import SLOT_SECONDS, SLOTS, LoadHistory


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000_200.0

    def __call__(self) -> float:
        return self.now


def test_a_slot_counts_and_knows_how_long_requests_took() -> None:
    clock = Clock()
    history = LoadHistory(clock)
    for seconds in (0.0004, 0.002, 0.002, 0.2, 30.0):
        history.add(seconds)
    history.note_lag(12, 3.5)
    (slot,) = history.slots()
    assert slot.began % SLOT_SECONDS == 0
    assert slot.began <= clock.now < slot.began + SLOT_SECONDS
    assert (slot.requests, slot.lag_events, slot.lag_seconds) == (5, 12, 3.5)
    assert (slot.seconds_of(0.2), slot.seconds_of(0.5), slot.seconds_of(0.8), slot.seconds_of(1)) == (
        0.001,
        0.0025,
        0.25,
        10.0,
    )


def test_slots_without_requests_are_left_out_and_a_day_is_all() -> None:
    clock = Clock()
    history = LoadHistory(clock)
    history.add(0.1)
    clock.now += 3 * SLOT_SECONDS
    history.add(0.1)
    first, second = history.slots()
    assert second.began - first.began == 3 * SLOT_SECONDS
    assert first.seconds_of(0.5) == 0.1
    clock.now += (SLOTS - 2) * SLOT_SECONDS
    assert [slot.began for slot in history.slots()] == [second.began]
    for _ in range(2 * SLOTS):
        clock.now += SLOT_SECONDS
        history.note_lag(0, 0.0)
    assert len(history.slots()) == SLOTS
    assert history.slots()[0].seconds_of(0.5) is None
