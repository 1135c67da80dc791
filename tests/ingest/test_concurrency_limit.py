"""One sender alone gets all it wants; with others there each gets little at a time, and nobody fills the room."""

from __future__ import annotations

import asyncio

import pytest

from headwater.ingest.concurrency_limit import ConcurrencyLimit
from headwater.ingest.errors import Overloaded


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def run(work) -> None:
    asyncio.run(asyncio.wait_for(work, 60))


async def settled() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def test_alone_nobody_waits_and_half_of_the_room_is_for_newcomers() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit(events=100)
        for _ in range(50):
            await gate.enter("a", 10)
        with pytest.raises(Overloaded, match="50 of them"):
            await gate.enter("a", 10)
        waiting = asyncio.ensure_future(gate.enter("b", 10))
        await settled()
        assert waiting.done(), "a newcomer is let in at once"
        for _ in range(50):
            gate.leave("a", 10)
        gate.leave("b", 10)
        assert (gate.events, gate.bytes) == (0, 0)

    run(work())


def test_with_another_there_the_flood_waits_its_turn() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit(events=1000)
        await gate.enter("small", 10)
        gate.leave("small", 10)
        flood = [asyncio.ensure_future(gate.enter("flood", 10)) for _ in range(100)]
        await settled()
        inside = sum(turn.done() for turn in flood)
        assert inside == 2
        await asyncio.wait_for(gate.enter("small", 10), 20)
        gate.leave("small", 10)
        for number in range(100):
            assert flood[number].done(), "in the order of arrival, and none is forgotten"
            gate.leave("flood", 10)
            await settled()
        assert gate.events == 0

    run(work())


def test_who_has_gone_does_not_count() -> None:
    async def work() -> None:
        clock = Clock()
        gate = ConcurrencyLimit(events=1000, clock=clock)
        await gate.enter("small", 10)
        gate.leave("small", 10)
        clock.now += 5
        flood = [asyncio.ensure_future(gate.enter("flood", 10)) for _ in range(100)]
        await settled()
        assert all(turn.done() for turn in flood)

    run(work())


def test_bytes_are_bounded_too_but_one_event_always_fits() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit(size=1000)
        await gate.enter("a", 5000)
        with pytest.raises(Overloaded):
            await gate.enter("a", 1)
        with pytest.raises(Overloaded):
            await gate.enter("b", 1)
        gate.leave("a", 5000)
        await gate.enter("a", 400)
        with pytest.raises(Overloaded):
            await gate.enter("a", 400)
        await gate.enter("b", 400)

    run(work())


def test_one_that_gives_up_waiting_leaves_nothing_behind() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit(events=1000)
        await gate.enter("small", 10)
        flood = [asyncio.ensure_future(gate.enter("flood", 10)) for _ in range(40)]
        await settled()
        inside = sum(turn.done() for turn in flood)
        flood[-1].cancel()  # outside
        gate.leave("flood", 10)  # lets one more in, which is cancelled at the same moment
        flood[inside].cancel()
        await settled()
        assert flood[-1].cancelled()
        assert flood[inside].cancelled()
        assert flood[inside + 1].done(), "its place went to the next"
        gate.leave("small", 10)
        for turn in flood:
            if turn is not flood[0] and not turn.cancelled():
                await turn
                gate.leave("flood", 10)
        assert (gate.events, gate.bytes) == (0, 0)

    run(work())


def test_the_rest_of_a_batch_follows_as_far_as_it_need_not_wait() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit(events=100)
        await gate.enter("a", 10)
        assert gate.follow("a", [10] * 80) == 49, "alone it gets half of the room"
        await gate.enter("b", 10)
        assert gate.follow("b", [10] * 80) == 1, "with another there, two at a time"
        gate.leave("a", 500, 50)
        gate.leave("b", 20, 2)
        assert (gate.events, gate.bytes) == (0, 0)

    run(work())


def test_a_batch_does_not_overtake_those_that_wait() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit(events=100)
        await gate.enter("small", 10)
        await gate.enter("flood", 10)
        await gate.enter("flood", 10)
        waiting = asyncio.ensure_future(gate.enter("flood", 10))
        await settled()
        assert gate.follow("flood", [10]) == 0
        gate.leave("flood", 20, 2)
        await waiting

    run(work())
