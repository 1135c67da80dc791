"""A real server: webhooks, the command line, metrics, a sink that is another server, and kills in the middle."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.demo.overlay.history import OverlayHistory
from headwater.demo.overlay.notify import notifier
from headwater.demo.overlay.server import OverlayServer
from headwater.openlineage.decode import decode_event
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.emit.sink import SinkServer
from tests.server import Server
from tests.waiting import until

PRIVATE = {"HEADWATER_OUTGOING_PRIVATE": "127.0.0.1"}


@pytest.fixture
def served() -> Iterator[OverlayServer]:
    history = OverlayHistory()
    history.grow(6)
    with OverlayServer(history) as started:
        yield started


def headwater(*arguments: str, code: int = 0) -> str:
    """A command in this process, since most of the time of one in its own is spent on loading."""
    done = CliRunner().invoke(app, list(arguments), env=PRIVATE)
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout


def configure(server: Server, served: OverlayServer, **sink: object) -> None:
    overlay = {"name": "prod", "url": served.url, "producer_host": "h.example", "poll_seconds": 1, "stable_confs": 3}
    for path, body in (("overlays", overlay), ("sinks", {"name": "here"}), *([("sinks", sink)] if sink else [])):
        answer = httpx.post(f"{server.url}/api/v2/emit/{path}", json=body, timeout=30)
        assert answer.status_code == 200, answer.text


def ids_of(served: OverlayServer) -> list[str]:
    return [item["versionId"] for item in served.history.listings(None, 10_000)["listings"]]


def test_a_webhook_is_visible_in_lineage_within_seconds(tmp_path: Path, served: OverlayServer) -> None:
    with Server(tmp_path, environment=PRIVATE) as server:
        configure(server, served)
        served.notify = notifier(server.url)
        parent = ids_of(served)[0]
        child = served.step("publish", {"parents": [parent]})["versionId"]

        def upstream() -> list[str]:
            found = server.get("/api/v2/lineage", name=f"dataset:overlay:prod:{child}", granularity="DATASET")
            return [node["name"] for node in found.json()["upstream"]["nodes"]] if found.status_code == 200 else []

        assert parent in until(upstream)
        until(lambda: "ol_events_sent_total" in server.get("/metrics").text)
        served.step("recall", {"versionId": child})

        def retracted() -> Any:
            return server.get("/api/v2/show", name=f"dataset:overlay:prod:{child}").json()["retracted_at"]

        assert until(retracted) == served.history.bundle(child)["recall"]["at"]
        for name in ("ol_end_to_end_latency_ms_p95", "ol_bundle_fetch_latency_ms_p95", "ol_dlq_size"):
            until(lambda wanted=f"\n{name}{{": wanted in server.get("/metrics").text)
        wrong = httpx.post(f"{server.url}/adapter/openlineage/publish", json={"versionId": "v", "url": "http://x"})
        assert (wrong.status_code, wrong.json()["error"]) == (400, "bad_question")


def test_killed_again_and_again_everything_arrives_once(tmp_path: Path) -> None:
    """Of a server that is killed while it works, nothing is lost, nothing is stored twice, and no byte differs."""
    history = OverlayHistory()
    history.grow(40)
    with OverlayServer(history) as served, SinkServer() as sink:
        for round_ in range(3):
            # Query processes would outlive a server that is killed, for a moment, and hold its output open.
            with Server(tmp_path, "--query-processes", "0", environment=PRIVATE) as server:
                if not round_:
                    configure(server, served, name="far", kind="http", url=sink.url)
                    httpx.post(f"{server.url}/api/v2/emit/check", params={"repair": "true"}, timeout=30)
                until(lambda wanted=5 + 10 * round_: len(sink.taken) >= wanted)
                server.kill()
            store = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
            with store.engine.begin() as connection:  # instead of waiting until the leases are over
                for table in ("emit_version", "emit_event"):
                    connection.exec_driver_sql(f"UPDATE {table} SET lease_until = 1 WHERE lease IS NOT NULL")
            store.close()
        with Server(tmp_path, environment=PRIVATE) as server:
            sinks = lambda: server.get("/api/v2/emit/sinks").json()["sinks"]  # noqa: E731
            until(lambda: all((one["sent"], one["pending"]) == (40, 0) for one in sinks()))
        store = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
        stored = [event.body for event in Reader(store.engine).log(1)]
        store.close()
    assert Counter(decode_event(body).outputs[0].name for body in stored) == dict.fromkeys(ids_of(served), 1)
    assert set(sink.taken) == set(stored)  # what was sent twice was the same bytes


def test_the_command_line_by_itself(tmp_path: Path, served: OverlayServer) -> None:
    """Without a server: the commands do the work on the data folder."""
    data = ("--data", str(tmp_path))
    headwater("emit", "overlay", "add", "prod", served.url, "--producer-host", "h.example", *data)
    headwater("emit", "sink", "add", "here", *data)
    version_id = ids_of(served)[3]
    made = json.loads(headwater("emit", "publish", version_id, *data, "-f", "json"))
    assert (made["version_id"], made["events"]) == (version_id, {"here": {"publish": "SENT"}})
    assert json.loads(headwater("emit", "check", *data, "-f", "json", code=1))["missing"] == 5
    assert json.loads(headwater("emit", "backfill", *data, "-f", "json"))["missing"] == 5
    assert json.loads(headwater("emit", "check", *data, "-f", "json"))["missing"] == 0
    served.history.recall(version_id)
    headwater("emit", "recall", version_id, *data)
    assert json.loads(headwater("show", f"dataset:overlay:prod:{version_id}", *data, "-f", "json"))["retracted_at"]
    assert "There are none." in headwater("emit", "dlq", "list", *data)
    assert "here" in headwater("emit", "sink", "list", *data)
    assert "prod" in headwater("emit", "overlay", "list", *data)
    before = headwater("dump", *data)
    assert "emit" not in {json.loads(line)["fact"] for line in before.splitlines() if '"fact"' in line}
    assert "removed" in headwater("emit", "overlay", "remove", "prod", *data)
