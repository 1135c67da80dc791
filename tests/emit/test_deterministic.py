"""The same history gives the same bytes: twice, in another order, after a crash, and by several processes at once."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.demo.overlay.history import OverlayHistory
from headwater.demo.overlay.server import OverlayServer
from headwater.openlineage.decode import decode_event
from tests.emit.adapter import TENANT, Adapter
from tests.emit.sink import SinkServer


@pytest.fixture
def served() -> Iterator[OverlayServer]:
    history = OverlayHistory(seed=7)
    history.grow(12, per_block=3)
    lost = history.publish()
    history.mine(2)
    history.reorg(2)
    history.mine(4)
    history.recall(lost)
    history.recall(history.listings(None, 9)["listings"][4]["versionId"])
    history.mine()
    with OverlayServer(history) as started:
        yield started


def all_ids(served: OverlayServer) -> list[str]:
    return [item["versionId"] for item in served.history.listings(None, 1_000)["listings"]]


def emitted(data: Path, served: OverlayServer, ids: list[str]) -> list[bytes]:
    with Adapter(data) as adapter:
        adapter.overlay(served)
        adapter.sink()
        for version_id in ids:
            adapter.request(version_id)
        adapter.settle()
        return adapter.own


def test_twice_and_in_another_order(tmp_path: Path, served: OverlayServer) -> None:
    ids = all_ids(served)
    first = emitted(tmp_path / "one", served, ids)
    assert len(first) == len(set(first)) == len(ids) + 4  # unstable, stable, and two recalls
    shuffled = random.Random(3).sample(ids, len(ids))
    served.history.mine(5)  # growth of confirmations changes nothing
    assert set(emitted(tmp_path / "two", served, shuffled)) == set(first)
    assert len({decode_event(body).fingerprint for body in first}) == len(first)


def test_the_same_publish_twice_changes_nothing(tmp_path: Path, served: OverlayServer) -> None:
    ids = all_ids(served)
    with Adapter(tmp_path) as adapter:
        adapter.overlay(served)
        adapter.sink()
        for _ in range(3):
            for version_id in ids:
                adapter.request(version_id)
            adapter.settle()
        assert len(adapter.own) == len(set(adapter.own)) == len(ids) + 4


def test_after_a_crash(tmp_path: Path, served: OverlayServer) -> None:
    """One that was killed had read some versions and sent some events without noting it."""
    ids = all_ids(served)
    expected = set(emitted(tmp_path / "whole", served, ids))
    with Adapter(tmp_path / "crashed") as adapter:
        adapter.overlay(served)
        adapter.sink()
        adapter.request(*ids)
        emitter, tenant = adapter.emitter, TENANT.id
        adapter.emitter.read_round(TENANT)
        emitter.versions.request(tenant, "prod", ids[:5])
        assert emitter.versions.claim(tenant, "killed", 3, 60_000_000)
        claimed = emitter.outbox.claim(tenant, "own", "killed", 4, 60_000_000)
        before = [body for _, body in claimed]
        assert len(before) == 4
        adapter.work()
        assert not set(before) & set(adapter.own)  # they are its own until its lease is over
        sent = adapter.own
    with Adapter(tmp_path / "crashed") as adapter:
        with adapter.store.engine.begin() as connection:
            for table in ("emit_version", "emit_event"):
                connection.exec_driver_sql(f"UPDATE {table} SET lease_until = 1 WHERE lease = 'killed'")
        adapter.settle()
        assert set(before) <= set(adapter.own)
        assert len(sent) + len(adapter.own) == len(expected)
        assert {*sent, *adapter.own} == expected


def test_one_who_lost_its_lease_writes_nothing(tmp_path: Path, served: OverlayServer) -> None:
    from headwater.store.emit.outbox import EmitProgress, NewEvent
    from headwater.store.emit.versions import DONE

    with Adapter(tmp_path) as adapter:
        adapter.overlay(served)
        adapter.sink()
        adapter.request("v")
        (row,) = adapter.emitter.versions.claim(TENANT.id, "mine", 1, 0)
        adapter.emitter.versions.claim(TENANT.id, "theirs", 1, 60_000_000)
        then, events = EmitProgress(DONE, None, 0, None), [NewEvent("publish", 1, b"x")]
        assert adapter.emitter.outbox.finish(TENANT.id, row, "mine", events, ["own"], then) == 0
        assert adapter.steps("v") == {}
        assert adapter.emitter.outbox.finish(TENANT.id, row, "theirs", events, ["own"], then) == 1


def test_several_at_once_send_each_event_once_and_in_order(tmp_path: Path, served: OverlayServer) -> None:
    ids = all_ids(served)
    with SinkServer() as sink:
        adapters = [Adapter(tmp_path) for _ in range(3)]
        adapters[0].overlay(served)
        adapters[0].sink("far", sink.url)
        adapters[0].request(*ids)
        threads = [threading.Thread(target=adapter.settle) for adapter in adapters]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        for adapter in adapters:
            adapter.close()
        assert len(sink.taken) == len(set(sink.taken)) == len(ids) + 4
        times: dict[str, list[int]] = {}
        for event in map(decode_event, sink.taken):
            times.setdefault(event.outputs[0].name, []).append(event.time)
        assert all(found == sorted(found) for found in times.values())
