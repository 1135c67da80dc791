"""Publishes of an overlay into two sinks: how long until they are visible, and whether all arrive after an outage.

    PYTHONPATH=. python bench/emit.py [--publishes 10000] [--rate 20] [--seconds 20]

Starts a made-up overlay, a server with itself and an HTTP endpoint as sinks. First publishes come by webhook at a
steady rate, and of some is measured how long it takes until lineage has them. Then all others come at once, while the
endpoint answers 503 from a third of them to two thirds; at the end each must have arrived once in both sinks.
Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from headwater.demo.overlay.history import OverlayHistory
from headwater.demo.overlay.server import OverlayServer
from headwater.openlineage.decode import decode_event
from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.emit.sink import SinkServer
from tests.server import Server

TARGETS = {"visible_p95_seconds": 2.0}
PRIVATE = {"HEADWATER_OUTGOING_PRIVATE": "127.0.0.1"}
MOST_SECONDS = 3_600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--publishes", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    history = OverlayHistory()
    history.grow(options.publishes, per_block=500)
    ids = [item["versionId"] for item in history.listings(None, options.publishes)["listings"]]
    steady = ids[: min(len(ids) // 3, int(options.rate * options.seconds))]
    is_away = False
    with (
        tempfile.TemporaryDirectory() as folder,
        OverlayServer(history) as overlay,
        SinkServer(lambda _: (503, {}) if is_away else (201, {})) as sink,
        Server(Path(folder), environment=PRIVATE) as server,
        httpx.Client(base_url=server.url, timeout=60) as client,
    ):
        wanted = {"name": "prod", "url": overlay.url, "producer_host": "h.example", "stable_confs": 1}
        client.post("/api/v2/emit/overlays", json=wanted).raise_for_status()
        client.post("/api/v2/emit/sinks", json={"name": "here"}).raise_for_status()
        client.post("/api/v2/emit/sinks", json={"name": "far", "kind": "http", "url": sink.url}).raise_for_status()
        publish(client, ids[0])
        visible(client, ids[0])
        found: dict[str, Any] = {"publishes": len(ids), "rate": options.rate, **steadily(client, steady, options.rate)}
        began, third, outage, taken_before = time.monotonic(), len(ids) // 3, 0.0, 0
        for number, version_id in enumerate(ids[len(steady) :], start=len(steady)):
            if number == max(third, len(steady)):
                is_away, outage = True, time.monotonic()
            if number == 2 * third:
                wait(lambda: of(client, "here")["sent"] >= 2 * third - 1)
                is_away, taken_before = False, len(sink.taken)
                found["outage_seconds"] = round(time.monotonic() - outage, 1)
            publish(client, version_id)
        found["webhooks_per_second"] = round((len(ids) - len(steady)) / (time.monotonic() - began), 1)
        wait(lambda: all(of(client, name)["sent"] == len(ids) for name in ("here", "far")))
        found["seconds"] = round(time.monotonic() - began, 1)
        found["publishes_per_second"] = round((len(ids) - len(steady)) / found["seconds"], 1)
        found["dead"] = sum(of(client, name)["dead"] for name in ("here", "far"))
        found["taken_at_the_end_of_the_outage"] = taken_before
        found["refused_in_the_outage"] = len(sink.refused)
        far = Counter(decode_event(body).outputs[0].name for body in sink.taken)
        server.stop()
        store = SqlStore(f"sqlite:///{Path(folder) / 'headwater.db'}")
        here = Counter(decode_event(event.body).outputs[0].name for event in Reader(store.engine).log(1))
        store.close()
        found["arrived_once"] = {"here": here == dict.fromkeys(ids, 1), "far": far == dict.fromkeys(ids, 1)}
    met = found["visible_p95_seconds"] <= TARGETS["visible_p95_seconds"] and all(found["arrived_once"].values())
    print(json.dumps({**found, "targets": TARGETS, "met": met}, indent=2))
    sys.exit(not met)


def steadily(client: httpx.Client, ids: list[str], rate: float) -> dict[str, Any]:
    """Publish at a steady rate; of every tenth is measured when lineage has it."""
    taken: list[float] = []
    began = time.monotonic()
    for number, version_id in enumerate(ids):
        time.sleep(max(0.0, began + number / rate - time.monotonic()))
        sent = time.monotonic()
        publish(client, version_id)
        if number % 10 == 0:
            visible(client, version_id)
            taken.append(time.monotonic() - sent)
    taken.sort()
    p = {name: round(taken[int(len(taken) * share)], 3) for name, share in (("p50", 0.5), ("p95", 0.95))}
    return {"measured": len(taken), **{f"visible_{name}_seconds": value for name, value in p.items()}}


def publish(client: httpx.Client, version_id: str) -> None:
    answer = client.post("/adapter/openlineage/publish", json={"versionId": version_id})
    assert answer.status_code == 202, answer.text


def visible(client: httpx.Client, version_id: str) -> None:
    asked = {"name": f"dataset:overlay:prod:{version_id}", "granularity": "DATASET", "depth": "1"}
    wait(lambda: client.get("/api/v2/lineage", params=asked).status_code == 200, 0.02)


def of(client: httpx.Client, name: str) -> dict[str, Any]:
    sinks = client.get("/api/v2/emit/sinks").json()["sinks"]
    found: dict[str, Any] = next(sink for sink in sinks if sink["name"] == name)
    return found


def wait(condition: Any, pause: float = 0.2) -> None:
    end = time.monotonic() + MOST_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("it took too long")
        time.sleep(pause)


if __name__ == "__main__":
    main()
