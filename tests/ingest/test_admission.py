"""An event that Headwater cannot make sense of is kept all the same."""

from __future__ import annotations

import asyncio

from headwater.access.identity import SINGLE_USER
from headwater.ingest.admission import Admission
from headwater.ingest.group_commit import GroupCommit
from headwater.interpret import attempt
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.api.test_ingest import event


def test_a_defect_in_the_interpretation_does_not_lose_the_event(store: SqlStore, monkeypatch) -> None:
    def broken(*_) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(attempt, "interpret", broken)
    body = event("puzzling")

    async def work() -> None:
        writer = GroupCommit(store)
        writer.start()
        await (await Admission(writer).admit(SINGLE_USER, body))
        await writer.stop()

    asyncio.run(work())
    (logged,) = Reader(store.engine).log(1)
    assert logged.body == body
    assert "not interpreted" in (logged.warnings or "")


def test_warnings_stay_with_their_event(store: SqlStore) -> None:
    body = event("odd", outputs=[{"namespace": "n", "name": "d", "facets": {"schema": "text"}}])

    async def work() -> None:
        writer = GroupCommit(store)
        writer.start()
        admission = Admission(writer)
        for _ in range(2):  # the second time from the memo
            await (await admission.admit(SINGLE_USER, body.replace(b"05Z", b"06Z") if _ else body))
        await writer.stop()

    asyncio.run(work())
    assert all("$.outputs[0].facets.schema" in (logged.warnings or "") for logged in Reader(store.engine).log(1))
