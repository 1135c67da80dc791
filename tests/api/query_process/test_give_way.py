"""Questions that take long rest while new ones of other tenants run, and go on nevertheless."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from headwater.access.identity import SINGLE_USER
from headwater.api.context import CALLER, Caller
from headwater.api.query_process.give_way import LONG_SECONDS, Others
from headwater.api.query_process.messages import Asking
from headwater.api.query_process.worker import _RunningQuestion
from headwater.deadline import steps
from headwater.store.write.log import Tenant


class Clock:
    """Time passes only while somebody rests."""

    def __init__(self) -> None:
        self.now, self.rested = 100.0, 0.0

    def rest(self, seconds: float) -> None:
        self.now += seconds
        self.rested += seconds


def in_a_thread(call) -> None:
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def test_a_long_one_rests_until_the_new_one_of_another_tenant_is_no_longer_new() -> None:
    clock = Clock()
    others = Others(lambda: clock.now, clock.rest)
    give_way = others.begin(1, 7)
    clock.now += 10
    in_a_thread(give_way)
    assert clock.rested == 0, "nobody else is there"
    others.begin(2, 7)
    in_a_thread(give_way)
    assert clock.rested == 0, "its own tenant's"
    others.begin(3, 8)
    in_a_thread(give_way)
    assert LONG_SECONDS - 0.01 <= clock.rested <= LONG_SECONDS + 0.01
    in_a_thread(give_way)
    assert clock.rested <= LONG_SECONDS + 0.01, "that one takes long too by now"


def test_a_new_one_does_not_rest() -> None:
    clock = Clock()
    others = Others(lambda: clock.now, clock.rest)
    others.begin(1, 8)
    in_a_thread(others.begin(2, 7))
    assert clock.rested == 0


def test_it_goes_on_when_the_other_has_ended() -> None:
    clock = Clock()
    others = Others(lambda: clock.now, clock.rest)
    give_way = others.begin(1, 7)
    clock.now += 10
    others.begin(2, 8)
    others.end(2)
    in_a_thread(give_way)
    assert clock.rested == 0


def test_it_goes_on_though_there_is_always_a_new_one() -> None:
    clock, number = Clock(), 1
    others = Others(lambda: clock.now, clock.rest)
    give_way = others.begin(number, 7)
    began = clock.now
    clock.now += 1
    for _ in range(200):
        number += 1
        others.begin(number, 8)
        in_a_thread(give_way)
        clock.now += 0.1  # it works
    assert clock.rested <= 0.8 * (clock.now - began) + 0.01
    assert clock.rested > 0.4 * (clock.now - began)


def test_the_event_loop_never_rests() -> None:
    clock = Clock()
    others = Others(lambda: clock.now, clock.rest)
    give_way = others.begin(1, 7)
    clock.now += 10
    others.begin(2, 8)
    give_way()
    assert clock.rested == 0


def test_each_question_of_the_process_knows_of_the_others() -> None:
    """Of the one that has taken long: it rests for another tenant's, at a step like any other."""
    clock, rested = Clock(), threading.Event()

    class Application:
        async def answer_at_once(self, scope: dict[str, Any]) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
            if scope["is_first"]:
                clock.now += LONG_SECONDS + 0.05
                other = asyncio.ensure_future(work.answer(asking(2, 8)))
                await asyncio.sleep(0)
                await asyncio.to_thread(list, steps(range(10)))
                await other
            else:
                await asyncio.to_thread(rested.wait, 60)
            return 200, [], b""

    class Writer:
        def write(self, _: bytes) -> None:
            """Nobody reads it."""

    def asking(number: int, tenant: int) -> Asking:
        caller = Caller(SINGLE_USER, Tenant(tenant, "", "", "ACTIVE"), tenant)
        return Asking(number, {"is_first": number == 1, CALLER: caller}, 20)

    work = _RunningQuestion(Application(), Writer())  # type: ignore[arg-type]
    work._others = Others(lambda: clock.now, lambda seconds: (clock.rest(seconds), rested.set()))  # type: ignore[arg-type]
    asyncio.run(work.answer(asking(1, 7)))
    assert rested.is_set(), "the first one did not rest"
    assert work._others._running == {}, "all of them are forgotten"
