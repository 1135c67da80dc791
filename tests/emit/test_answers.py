"""What a hostile overlay answers is refused with the place; versions are not lost for it, and nothing is emitted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.demo.overlay.history import OverlayHistory
from headwater.demo.overlay.server import OverlayServer
from headwater.emit.answers import read_bundle, read_listings, read_ready
from headwater.emit.configuration import Overlay, Sink, check_overlay, check_sink
from headwater.emit.errors import BadOverlayAnswer, WrongEmitConfiguration
from tests.emit.adapter import TENANT, Adapter

GOOD: dict[str, Any] = {"versionId": "v", "createdAt": "2026-01-01T00:00:00Z"}
BUNDLES = [
    ({"versionId": "w"}, "$.versionId"),
    ({"createdAt": "yesterday"}, "$.createdAt"),
    ({"createdAt": "9999-01-01T00:00:00Z"}, "$.createdAt"),
    ({"parents": ["v"]}, "$.parents[0]"),
    ({"parents": ["p", ""]}, "$.parents[1]"),
    ({"parents": ["p"] * 10_001}, "$.parents"),
    ({"parents": ["a\nb"]}, "$.parents[0]"),
    ({"parents": "p"}, "$"),
    ({"txid": "x" * 301}, "$.txid"),
    ({"contentHash": "\ud800"}, "$.contentHash"),
    ({"lineageDepth": -1}, "$.lineageDepth"),
    ({"lineageDepth": 10**30}, "$.lineageDepth"),
    ({"recall": {"at": "never"}}, "$.recall.at"),
]


@pytest.mark.parametrize(("change", "path"), BUNDLES)
def test_bundles(change: dict[str, Any], path: str) -> None:
    read_bundle(json.dumps(GOOD).encode(), "v")
    with pytest.raises(BadOverlayAnswer) as raised:
        read_bundle(json.dumps(GOOD | change).encode(), "v")
    assert raised.value.path == path


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"versionId":"v","versionId":"v"}',
        b'{"versionId":"v","x":NaN}',
        b"1" * 5_000,
    ],
)
def test_what_is_no_json_object(body: bytes) -> None:
    with pytest.raises(BadOverlayAnswer):
        read_bundle(body, "v")


@pytest.mark.parametrize(
    ("ready", "path"),
    [
        ({"state": "fine"}, "$.state"),
        ({"at": "x"}, "$.at"),
        ({"confs": -1}, "$.confs"),
        ({"history": [{"state": "published"}] * 201}, "$.history"),
        ({"history": [{"state": "published"}, {"state": "gone"}]}, "$.history[1].state"),
        ({"reasons": ["x"] * 21}, "$.reasons"),
        ({"decision": ""}, "$.decision"),
    ],
)
def test_readiness(ready: dict[str, Any], path: str) -> None:
    with pytest.raises(BadOverlayAnswer) as raised:
        read_ready(json.dumps(ready).encode())
    assert raised.value.path == path


def test_listings() -> None:
    assert read_listings(b'{"listings": [{"versionId": "v"}]}').next is None
    for wrong in (b"{}", b'{"listings": [{"versionId": ""}]}', b'{"listings": [], "next": ""}'):
        with pytest.raises(BadOverlayAnswer):
            read_listings(wrong)


@pytest.fixture
def served() -> Iterator[OverlayServer]:
    with OverlayServer(OverlayHistory()) as started:
        yield started


def test_a_version_that_is_not_there_yet(tmp_path: Path, served: OverlayServer) -> None:
    """A webhook may come before the overlay answers for the version; what never comes fails after ten attempts."""
    with Adapter(tmp_path) as adapter:
        adapter.overlay(served)
        adapter.sink()
        adapter.request("late", "never")
        adapter.work()
        assert adapter.state("late")[0] == "REQUESTED"
        served.history.publish("late")
        for _ in range(12):
            adapter.look_again()
            adapter.work()
        assert adapter.steps("late") == {"own": {"publish": "SENT"}}
        state, error = adapter.state("never")
        assert state == "FAILED"
        assert "no version 'never'" in (error or "")


def test_an_overlay_that_is_away_is_asked_for_ever(tmp_path: Path, served: OverlayServer) -> None:
    served.history.publish("v")
    served.failures = [503] * 15
    with Adapter(tmp_path) as adapter:
        adapter.overlay(served)
        adapter.sink()
        adapter.request("v")
        for _ in range(15):
            adapter.look_again()
            adapter.work()
            assert adapter.state("v")[0] == "REQUESTED"
        adapter.look_again()
        adapter.work()
        assert adapter.steps("v") == {"own": {"publish": "SENT"}}


def test_a_recall_that_the_bundle_does_not_show_yet(tmp_path: Path, served: OverlayServer) -> None:
    served.history.publish("v")
    with Adapter(tmp_path) as adapter:
        adapter.overlay(served)
        adapter.sink()
        adapter.request("v", is_recall=True)
        adapter.work()
        assert "does not show" in (adapter.state("v")[1] or "")
        served.history.recall("v")
        adapter.look_again()
        adapter.work()
        assert adapter.steps("v") == {"own": {"publish": "SENT", "recall": "SENT"}}
        assert adapter.state("v")[1] is None


def test_a_version_waits_and_is_watched_until_it_is_stable(tmp_path: Path, served: OverlayServer) -> None:
    history = served.history
    history.publish("v")
    with Adapter(tmp_path) as adapter:
        adapter.overlay(served, min_confs=1)
        adapter.sink()
        adapter.request("v")
        found = []
        for step in (lambda: None, history.mine, lambda: history.reorg(1), history.mine, history.mine, history.mine):
            step()
            adapter.look_again()
            adapter.work()
            found.append((adapter.state("v")[0], len(adapter.own)))
        assert found == [("WAITING", 0), ("WATCHED", 1), ("WATCHED", 2), ("WATCHED", 2), ("WATCHED", 2), ("DONE", 3)]
        asked = len(served.asked)
        adapter.look_again()
        with adapter.store.engine.connect() as connection:
            due = connection.exec_driver_sql("SELECT due_at FROM emit_version").scalar()
        assert due is None
        adapter.work()
        assert len(served.asked) == asked  # nobody looks any more


def test_what_was_missed_is_found_and_repaired(tmp_path: Path, served: OverlayServer) -> None:
    history = served.history
    ids = [history.publish() for _ in range(7)]
    with Adapter(tmp_path) as adapter:
        adapter.overlay(served, check_seconds=10)
        adapter.sink()
        adapter.request(*ids[:4])
        adapter.settle()
        history.recall(ids[0])
        page = adapter.emitter.check(TENANT, None, None, repair=False)
        assert (page.versions, page.missing, set(page.examples)) == (7, 4, {ids[0], *ids[4:]})
        assert adapter.emitter.check_due(TENANT, lambda: False) == 0  # not due yet
        with adapter.store.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE emit_overlay SET check_due_at = 0")
        assert adapter.emitter.check_due(TENANT, lambda: False) == 4
        assert adapter.emitter.check_due(TENANT, lambda: False) == 0
        adapter.settle()
        assert adapter.emitter.check(TENANT, None, None, repair=False).missing == 0
        assert len(adapter.own) == 8
        adapter.emitter.put_sink(TENANT, Sink(name="later"))
        assert adapter.emitter.check(TENANT, None, None, repair=True).missing == 7
        adapter.settle()
        assert sorted(adapter.own) == sorted([*adapter.own[:8]] * 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "a b"},
        {"url": "ftp://x"},
        {"url": "https://u:p@x.example"},
        {"url": "https://x.example/?a=b"},
        {"producer_host": "https://x"},
        {"min_confs": -1},
        {"min_confs": 1, "ready": False},
        {"poll_seconds": 0},
        {"check_seconds": 5},
        {"volatile": ("",)},
        {"token": "/etc/passwd"},
        {"token": "../other"},
        {"ca": ".hidden"},
    ],
)
def test_configurations_that_are_wrong(wrong: dict[str, Any]) -> None:
    good: dict[str, Any] = {"name": "prod", "url": "https://x.example", "producer_host": "h.example"}
    check_overlay(Overlay(**good))
    with pytest.raises(WrongEmitConfiguration) as raised:
        check_overlay(Overlay(**{**good, **wrong}))
    assert raised.value.path in {f"$.{name}" for name in wrong}
    with pytest.raises(WrongEmitConfiguration):
        check_sink(Sink(name="s", url="https://x.example"))
