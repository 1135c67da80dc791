"""Group commit: one bad event does not spoil its batch, and nobody waits long for another tenant."""

from __future__ import annotations

import asyncio
import threading

import msgspec
import sqlalchemy as sa

from headwater.ingest.errors import WriteFailed
from headwater.ingest.group_commit import GroupCommit
from headwater.store.engine import StoreUnavailable
from headwater.store.write.log import Tenant
from tests.api.test_ingest import event
from tests.conftest import entry_of


class ConcurrencyLimit:
    """A store that writes when it is let, and refuses jobs that are called bad."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.batches: list[int] = []
        self.failure: Exception | None = None

    def write(self, entries) -> int:
        self.open.wait(60)
        if self.failure is not None:
            raise self.failure
        if any(entry.event.job.name == "bad" for entry in entries):
            raise ValueError("refused")
        self.batches.append(len(entries))
        return len(entries)


def run(work) -> None:
    asyncio.run(asyncio.wait_for(work, 60))


def test_events_that_arrive_together_are_written_together() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit()
        writer = GroupCommit(gate)
        writer.start()
        futures = [writer.submit(entry_of(event(f"j{number}"))) for number in range(20)]
        gate.open.set()
        await asyncio.gather(*futures)
        await writer.stop()
        assert sum(gate.batches) == 20
        assert len(gate.batches) <= 2

    run(work())


def test_a_refused_event_fails_alone() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit()
        writer = GroupCommit(gate)
        writer.start()
        names = ["first", "good", "bad", "fine"]
        futures = [writer.submit(entry_of(event(name))) for name in names]
        gate.open.set()
        results = await asyncio.gather(*futures, return_exceptions=True)
        await writer.stop()
        assert [type(result) for result in results] == [type(None), type(None), WriteFailed, type(None)]

    run(work())


def test_a_database_that_is_away_is_said_to_everybody() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit()
        gate.failure = sa.exc.OperationalError("insert", {}, Exception("disk full"))
        writer = GroupCommit(gate)
        writer.start()
        futures = [writer.submit(entry_of(event(f"j{number}"))) for number in range(3)]
        gate.open.set()
        results = await asyncio.gather(*futures, return_exceptions=True)
        assert all(isinstance(result, StoreUnavailable) for result in results)
        assert writer.last_error is not None
        gate.failure = None
        await writer.submit(entry_of(event("later")))
        assert writer.last_error is None
        await writer.stop()

    run(work())


def test_stopping_writes_what_waits() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit()
        writer = GroupCommit(gate)
        writer.start()
        futures = [writer.submit(entry_of(event(f"j{number}"))) for number in range(5)]
        gate.open.set()
        await writer.stop()
        await asyncio.gather(*futures)
        assert sum(gate.batches) == 5

    run(work())


def test_a_flood_of_one_tenant_does_not_hold_up_another() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit()
        writer = GroupCommit(gate, batch_events=16)
        writer.start()
        first = writer.submit(entry_of(event("first")))  # the thread waits at the gate with this one
        flood = [writer.submit(entry_of(event(f"j{number}"))) for number in range(200)]
        small = writer.submit(msgspec.structs.replace(entry_of(event("small")), tenant=Tenant(9, "small", "Small")))
        order: list[str] = []
        small.add_done_callback(lambda _: order.append("small"))
        flood[100].add_done_callback(lambda _: order.append("flood"))
        gate.open.set()
        await asyncio.gather(first, small, *flood)
        await writer.stop()
        assert order == ["small", "flood"]

    run(work())


def test_what_is_submitted_together_is_settled_together() -> None:
    async def work() -> None:
        gate = ConcurrencyLimit()
        gate.open.set()
        writer = GroupCommit(gate)
        writer.start()
        failures = await writer.submit_all([entry_of(event(name)) for name in ("first", "bad", "fine")])
        assert {place: type(failure) for place, failure in failures.items()} == {1: WriteFailed}
        assert await writer.submit_all([entry_of(event(f"j{number}")) for number in range(30)]) == {}
        assert gate.batches[-1] == 30, "in one transaction"
        assert await writer.submit_all([]) == {}
        await asyncio.wait_for(writer.submit(entry_of(event("after nothing"))), 60)
        await writer.stop()

    run(work())
