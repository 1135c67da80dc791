"""What becomes of events whose sink does not take them at once."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.demo.overlay.history import OverlayHistory
from headwater.demo.overlay.server import OverlayServer
from headwater.emit.configuration import Sink
from headwater.emit.errors import WrongEmitConfiguration
from headwater.emit.secrets import access_of
from headwater.openlineage.decode import decode_event
from headwater.store.emit.versions import REQUESTED
from tests.emit.adapter import TENANT, Adapter
from tests.emit.sink import Answer, SinkServer


@pytest.fixture
def served() -> Iterator[OverlayServer]:
    history = OverlayHistory()
    history.publish("v")
    history.mine()
    history.reorg(1)
    history.recall("v")
    with OverlayServer(history) as started:
        yield started


@pytest.fixture
def adapter(tmp_path: Path, served: OverlayServer) -> Iterator[Adapter]:
    (tmp_path / "secrets" / "default").mkdir(parents=True)
    (tmp_path / "secrets" / "default" / "token").write_text("s3cret\n")
    with Adapter(tmp_path, str(tmp_path / "secrets")) as started:
        started.overlay(served)
        yield started


def test_events_of_a_version_arrive_in_order_with_the_token(adapter: Adapter) -> None:
    with SinkServer() as sink:
        adapter.sink("far", f"{sink.url}/api/ol", token="token")
        adapter.request("v")
        adapter.settle()
        kinds = [max(json.loads(body)["run"]["facets"]) for body in sink.taken]
        assert kinds == ["nominalTime", "reorgFacet", "nominalTime"]
        assert [decode_event(body).time for body in sink.taken] == sorted(
            decode_event(body).time for body in sink.taken
        )
        assert {headers["authorization"] for headers in sink.headers} == {"Bearer s3cret"}
        assert set(sink.paths) == {"/api/ol"}


def test_marquez_has_its_path(adapter: Adapter) -> None:
    with SinkServer() as sink:
        adapter.emitter.put_sink(TENANT, Sink(name="marquez", kind="marquez", url=f"{sink.url}/"))
        adapter.request("v")
        adapter.settle()
        assert set(sink.paths) == {"/api/v1/lineage"}


def test_429_waits_and_costs_no_attempt(adapter: Adapter) -> None:
    answers: list[Answer] = [(201, {}), (429, {"retry-after": "77"})]
    with SinkServer(lambda _: answers.pop()) as sink:
        adapter.sink("far", sink.url)
        adapter.request("v")
        adapter.work()
        (row,) = adapter.emitter.peers.sinks(TENANT.id)
        assert (row.state, row.reason) == ("ACTIVE", "It answered 429.")
        assert row.due_at > row.changed_at + 70_000_000
        assert adapter.steps("v")["far"]["publish"] == "PENDING"
        adapter.look_again()
        assert adapter.emitter.send_round(TENANT) == 1
        assert adapter.steps("v")["far"]["publish"] == "SENT"
        (row,) = adapter.emitter.peers.sinks(TENANT.id)
        assert (row.failures, row.reason) == (0, None)


@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_pause_the_sink(adapter: Adapter, status: int) -> None:
    answers: list[Answer] = [(201, {})] * 9 + [(status, {})]
    with SinkServer(lambda _: answers.pop()) as sink:
        adapter.sink("far", sink.url)
        adapter.request("v")
        adapter.work()
        adapter.look_again()
        adapter.work()
        assert len(sink.refused) == 1  # nothing is tried while it is paused
        assert adapter.emitter.peers.sinks(TENANT.id)[0].state == "PAUSED"
        assert set(adapter.steps("v")["far"].values()) == {"PENDING"}
        assert adapter.emitter.resume(TENANT.id, "far")
        adapter.settle()
        assert len(sink.taken) == 3


def test_what_is_wrong_is_a_dead_letter_and_later_events_of_the_version_wait(adapter: Adapter) -> None:
    answers: list[Answer] = [(201, {})] * 9 + [(422, {})]
    with SinkServer(lambda _: answers.pop()) as sink:
        adapter.sink("far", sink.url)
        adapter.request("v")
        adapter.work()
        assert adapter.steps("v") == {"far": {"publish": "DEAD", "unstable.1": "PENDING", "recall": "PENDING"}}
        ((letter, overlay, version_id),) = adapter.emitter.outbox.dead(TENANT.id)
        assert (letter.reason, letter.attempts, overlay, version_id) == ("422", 1, "prod", "v")
        adapter.emitter.measure(TENANT)
        assert adapter.emitter.retry(TENANT.id, "far", letter.version, letter.step) == 1
        adapter.settle()
        assert [decode_event(body).time for body in sink.taken] == sorted(
            decode_event(body).time for body in sink.taken
        )
        assert len(sink.taken) == 3


def test_5xx_is_tried_ten_times(adapter: Adapter) -> None:
    with SinkServer(lambda _: (503, {})) as sink:
        adapter.sink("far", sink.url)
        adapter.request("v")
        adapter.work()
        for _ in range(20):
            adapter.look_again()
            adapter.work()
        assert len(sink.refused) == 10
        assert adapter.steps("v")["far"]["publish"] == "DEAD"
        assert adapter.emitter.outbox.dead(TENANT.id)[0][0].reason == "503"


def test_a_sink_that_is_away_does_not_hold_up_another(adapter: Adapter) -> None:
    with SinkServer() as sink:
        adapter.sink("near", sink.url)
        adapter.sink("gone", "http://127.0.0.1:9/")
        adapter.sink("forbidden", "https://localhost:9/")
        adapter.request("v")
        adapter.work()
        assert len(sink.taken) == 3
        assert adapter.steps("v")["gone"]["publish"] == "PENDING"
        gone = next(row for row in adapter.emitter.peers.sinks(TENANT.id) if row.name == "gone")
        assert gone.failures == 1
        assert "127.0.0.1:9 cannot be reached" in (gone.reason or "")


def test_a_version_that_is_asked_for_again_is_to_be_read_again(adapter: Adapter) -> None:
    """A caller that waits for all versions waits for this one, too."""
    adapter.sink()
    for _ in range(2):
        adapter.request("v")
        assert adapter.emitter.versions.count(TENANT.id, REQUESTED) == 1
        adapter.settle()
        assert adapter.emitter.versions.count(TENANT.id, REQUESTED) == 0


def test_what_a_later_look_has_found_was_not_asked_for_earlier(tmp_path: Path) -> None:
    """Else the latency of a reorg would be the age of its version."""
    history = OverlayHistory()
    history.publish("v")
    history.mine()
    with OverlayServer(history) as served, Adapter(tmp_path) as adapter:
        adapter.overlay(served)
        adapter.sink()
        adapter.request("v")
        adapter.settle()
        time.sleep(0.01)
        history.reorg(1)
        adapter.look_again()
        adapter.settle()
        (version,) = adapter.emitter.versions.get(TENANT.id, "prod", ["v"]).values()
        found = [
            adapter.emitter.outbox.get(TENANT.id, "own", version.version, step) for step in ("publish", "unstable.1")
        ]
        asked = [one[0].requested_at for one in found if one is not None]
        assert asked[0] == version.requested_at
        assert asked[1] >= asked[0] + 10_000


def test_no_more_events_a_second_than_a_sink_may_have(tmp_path: Path) -> None:
    history = OverlayHistory()
    history.grow(30)
    with OverlayServer(history) as served, SinkServer() as sink, Adapter(tmp_path) as adapter:
        adapter.overlay(served)
        adapter.sink("far", sink.url, rate=20)
        adapter.request(*(item["versionId"] for item in history.listings(None, 100)["listings"]))
        began = time.monotonic()
        adapter.settle()
        assert len(sink.taken) == 30
        assert time.monotonic() - began >= 0.5  # 20 at once, the others at 20 a second


def test_an_outage_in_the_middle_of_300_publishes(tmp_path: Path) -> None:
    """All arrive, each once, and only some events found out that the sink was away."""
    history = OverlayHistory()
    history.grow(300)
    ids = [item["versionId"] for item in history.listings(None, 1_000)["listings"]]
    is_away = False
    with (
        OverlayServer(history) as served,
        SinkServer(lambda _: (500, {}) if is_away else (201, {})) as sink,
        Adapter(tmp_path) as adapter,
    ):
        adapter.overlay(served)
        adapter.sink("far", sink.url)
        adapter.request(*ids[:150])
        adapter.settle()
        assert len(sink.taken) == 150
        is_away = True
        adapter.request(*ids[150:])
        for _ in range(6):
            adapter.work()
            adapter.look_again()
        assert len(sink.taken) == 150
        assert 0 < len(sink.refused) < 150 * 6
        is_away = False
        adapter.look_again()
        adapter.settle()
        assert Counter(decode_event(body).outputs[0].name for body in sink.taken) == dict.fromkeys(ids, 1)
        assert not adapter.emitter.outbox.dead(TENANT.id)


@pytest.mark.parametrize(
    ("code", "name"), [("default", "missing"), ("other", "token"), ("..", "token"), ("default", "../other/token")]
)
def test_secrets_are_files_of_the_tenant(tmp_path: Path, code: str, name: str) -> None:
    for tenant in ("default", "third"):
        (tmp_path / tenant).mkdir()
        (tmp_path / tenant / "token").write_text("x")
    (tmp_path / "default" / "link").symlink_to(tmp_path / "third" / "token")
    sink = Sink(name="s", kind="http", url="https://x.example", token=name)
    with pytest.raises(WrongEmitConfiguration):
        access_of(sink, code, str(tmp_path))
    with pytest.raises(WrongEmitConfiguration, match="no secret"):
        access_of(Sink(name="s", kind="http", url="https://x.example", token="link"), "default", str(tmp_path))
    with pytest.raises(WrongEmitConfiguration, match="no folder"):
        access_of(sink, "default", "")
