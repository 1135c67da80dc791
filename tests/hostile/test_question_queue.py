"""Questions on their way: a place by turns, an end in time, and given up when nobody waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from headwater.access.identity import SINGLE_USER
from headwater.api.context import CALLER, Caller
from headwater.api.query_process.dispatch import Questions
from headwater.api.query_process.give_way import LONG_SECONDS
from headwater.api.query_process.queue import QuestionQueue
from headwater.api.query_process.worker import _RunningQuestion
from headwater.deadline import Deadline, NobodyWaits, TooLargeAnswer, check
from headwater.store.write.log import Tenant

SMALL, FLOOD = Tenant(1, "small", "", "ACTIVE"), Tenant(2, "flood", "", "ACTIVE")
pytestmark = pytest.mark.alone


def scope_of(tenant: Tenant) -> dict[str, Any]:
    caller = Caller(SINGLE_USER, tenant, tenant.id)
    return {"method": "GET", "path": "/api/v2/lineage", "query_string": b"", "headers": [], CALLER: caller}


class Client:
    """Somebody who asks one question."""

    def __init__(self, questions: Questions, tenant: Tenant) -> None:
        self._gone = asyncio.Event()
        self.status, self.body, self.headers, self.seconds = 0, b"", {}, 0.0
        self.task = asyncio.ensure_future(self._ask(questions, tenant))

    async def _ask(self, questions: Questions, tenant: Tenant) -> None:
        began = time.monotonic()
        await questions.answer(scope_of(tenant), self._receive, self._send)
        self.seconds = time.monotonic() - began

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
        else:
            self.body += message["body"]

    def leave(self) -> None:
        self._gone.set()


class Slow:
    """Answers in a thread, in so many steps, each of which looks whether it is still wanted."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.running, self.most, self.ended = seconds, 0, 0, 0

    async def __call__(self, _: Any) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.to_thread(self._work)
        finally:
            self.running -= 1
            self.ended += 1
        return 200, [], b"{}"

    def wait_for_end(self) -> None:
        while self.running:
            time.sleep(0.01)

    def _work(self) -> None:
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            check()
            time.sleep(0.005)


async def eventually(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 - what is waited for is no event
        await asyncio.sleep(0.01)


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 120))


def test_an_end_in_time() -> None:
    async def test() -> None:
        client = Client(Questions(None, Slow(40), 0.2), SMALL)
        await client.task
        answer = msgspec.json.decode(client.body)
        assert (client.status, answer["error"]) == (504, "too_slow")
        assert "fewer steps" in answer["hint"]
        assert client.seconds < 10

    run(test)


def test_who_leaves_is_not_worked_for() -> None:
    async def test() -> None:
        slow = Slow(60)
        questions = Questions(None, slow, 60)
        clients = [Client(questions, SMALL) for _ in range(10)]
        await asyncio.sleep(0.1)
        assert (slow.running, questions.waiting) == (2, 8)
        for client in clients[2:]:
            client.leave()
        await asyncio.gather(*(client.task for client in clients[2:]))
        await asyncio.sleep(0)
        assert (slow.running, questions.waiting) == (2, 0), "their places in the queue are free at once"
        for client in clients[:2]:
            client.leave()
        began = time.monotonic()
        await asyncio.gather(*(client.task for client in clients))
        await asyncio.to_thread(slow.wait_for_end)
        assert time.monotonic() - began < 10
        assert [client.status for client in clients] == [0] * 10
        slow.seconds = 0
        last = Client(questions, SMALL)
        await last.task
        assert last.status == 200

    run(test)


def test_one_who_waits_may_leave() -> None:
    """And is not worked for when the turn comes."""

    async def test() -> None:
        slow = Slow(1)
        questions = Questions(None, slow, 60)
        clients = [Client(questions, SMALL) for _ in range(4)]
        await asyncio.sleep(0.05)
        clients[2].leave()
        await asyncio.gather(*(client.task for client in clients))
        assert [client.status for client in clients] == [200, 200, 0, 200]
        assert slow.ended == 3

    run(test)


def test_tenants_take_turns() -> None:
    """Sixty questions of one tenant do not make another wait for more than the places that it may have."""

    async def test() -> None:
        slow = Slow(0.1)
        questions = Questions(None, slow, 60)
        flood = [Client(questions, FLOOD) for _ in range(60)]
        await asyncio.sleep(0.05)
        small = [Client(questions, SMALL) for _ in range(2)]
        await asyncio.gather(*(client.task for client in small))
        assert slow.ended < 20
        before = slow.ended
        await Client(questions, Tenant(3, "third", "", "ACTIVE")).task
        assert slow.ended - before < 20
        for client in flood:
            client.leave()
        await asyncio.gather(*(client.task for client in flood))
        assert slow.most <= 4

    run(test)


def test_questions_that_take_long_keep_nobody_waiting() -> None:
    """Of two tenants, as many as may run; a third is answered while they go on, and there is an end to how many."""

    async def test() -> None:
        slow = Slow(90)
        questions = Questions(None, slow, 90)
        long_ones = [Client(questions, Tenant(number, "", "", "ACTIVE")) for number in (4, 4, 5, 5)]
        await asyncio.sleep(LONG_SECONDS + 0.1)
        assert slow.running == 4
        slow.seconds = 0
        for _ in range(5):
            third = Client(questions, SMALL)
            await third.task
            assert (third.status, third.seconds < 10) == (200, True)
        assert slow.running == 4
        slow.seconds = 90
        many = [Client(questions, Tenant(number, "", "", "ACTIVE")) for number in range(10, 30) for _ in range(3)]
        await eventually(lambda: slow.running == 8)
        await asyncio.sleep(2 * LONG_SECONDS)
        assert slow.running == slow.most == 8
        for client in [*long_ones, *many]:
            client.leave()
        await asyncio.gather(*(client.task for client in [*long_ones, *many]))

    run(test)


def test_one_that_left_a_moment_ago_is_given_no_place() -> None:
    """A place becomes free between the end of its wait and the next turn of its task."""

    async def test() -> None:
        queue, deadline = QuestionQueue(2), Deadline(20)
        first = queue.turn(1, Deadline(20))
        await first.__aenter__()
        gone = asyncio.ensure_future(queue.turn(1, deadline).__aenter__())
        following = asyncio.ensure_future(queue.turn(1, Deadline(20)).__aenter__())
        await asyncio.sleep(0)
        deadline.stop()
        await first.__aexit__(None, None, None)
        await asyncio.wait_for(following, 20)
        with pytest.raises(NobodyWaits):
            await gone
        assert queue.waiting == 0

    run(test)


def test_those_that_wait_are_bounded() -> None:
    async def test() -> None:
        slow = Slow(10)
        questions = Questions(None, slow, 15)
        clients = [Client(questions, FLOOD) for _ in range(103)]
        await clients[-1].task
        assert (clients[-1].status, msgspec.json.decode(clients[-1].body)["error"]) == (429, "rate_limited")
        assert b"retry-after" in clients[-1].headers
        slow.seconds = 0
        other = Client(questions, SMALL)
        await other.task
        assert other.status == 200
        for client in clients:
            client.leave()
        await asyncio.gather(*(client.task for client in clients))

    run(test)


def test_waiting_ends_in_time() -> None:
    async def test() -> None:
        go_on = asyncio.Event()

        async def held(_: Any) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
            await go_on.wait()
            return 200, [], b"{}"

        questions = Questions(None, held, 0.3)
        clients = [Client(questions, SMALL) for _ in range(4)]
        await asyncio.gather(*(client.task for client in clients[2:]))
        go_on.set()
        await asyncio.gather(*(client.task for client in clients[:2]))
        assert [client.status for client in clients] == [200, 200, 503, 503]
        assert msgspec.json.decode(clients[-1].body)["error"] == "overloaded"

    run(test)


def test_stopping_gives_up_what_is_under_way() -> None:
    async def test() -> None:
        slow = Slow(15)
        questions = Questions(None, slow, 15)
        clients = [Client(questions, SMALL) for _ in range(4)]
        await asyncio.sleep(0.1)
        await questions.stop()
        assert slow.running == 0
        await asyncio.gather(*(client.task for client in clients))

    run(test)


def test_answers_that_nobody_reads_are_counted() -> None:
    """A tenant that does not read its answers gets no more of them; others do."""

    async def test() -> None:
        async def large(_: Any) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
            return 200, [], bytes(200 << 20)

        questions = Questions(None, large, 15)
        taken, stalls = asyncio.Event(), 0

        async def stalled(message: dict[str, Any]) -> None:
            nonlocal stalls
            if message["type"] == "http.response.body" and not message.get("more_body"):
                stalls += 1
                await taken.wait()

        async def here() -> dict[str, Any]:
            await asyncio.Event().wait()
            return {}

        held = [asyncio.ensure_future(questions.answer(scope_of(FLOOD), here, stalled)) for _ in range(2)]
        await eventually(lambda: stalls == 2)
        refused, other = Client(questions, FLOOD), Client(questions, SMALL)
        await asyncio.gather(refused.task, other.task)
        assert (refused.status, other.status) == (429, 200)
        taken.set()
        await asyncio.gather(*held)
        again = Client(questions, FLOOD)
        await again.task
        assert again.status == 200

    run(test)


def test_a_process_that_grows_gives_up_its_questions() -> None:
    async def test() -> None:
        work = _RunningQuestion(None, None)  # type: ignore[arg-type] # only watched
        watch = asyncio.ensure_future(work.watch(20 << 20))
        await asyncio.sleep(0.4)
        deadline = work.deadlines[1] = Deadline(30)
        deadline.check()
        taken = bytearray(b"x" * (60 << 20))
        await eventually(lambda: not deadline.left)
        with pytest.raises(TooLargeAnswer):
            deadline.check()
        assert taken
        watch.cancel()

    run(test)


def test_a_deadline_that_was_stopped() -> None:
    deadline, called = Deadline(30), []
    deadline.stop()
    deadline.when_stopped(lambda: called.append(1))
    assert called == [1]
    with pytest.raises(NobodyWaits):
        deadline.check()
