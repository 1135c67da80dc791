"""What a small tenant notices of another one that floods the server: with events, with questions, with huge events.

    python bench/fairness.py [--store sqlite|mariadb|postgresql] [--seconds 3] [--rounds 10] [--rate 25] [--times 20]

Starts a real server with keys for two tenants. The small one sends events and asks questions of lineage and search at
fixed rates (open loop: lateness counts) alone, and while the other

- sends events at so many times that rate, and as fast as it is answered on many connections;
- asks as fast as it is answered: lineage in two shapes, and search, of a graph with a job of 3,000 inputs;
- sends events of 5,000 inputs and 5,000 columns, all of them new.

These take turns in short rounds, so that the unsteady machine is the same for all, and the latencies of all rounds are
taken together. Prints one JSON object; `ratio` is the small tenant's p99 with the flood over that without. Each
tenant's load comes from processes of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import events
import load
import store_limit
from ingest import Server, _prepare, _run

FLOODS = ("events", "endless_events", "questions", "huge_events")


def administer(store: str, data: str, *arguments: str) -> dict:
    command = [sys.executable, "-m", "headwater", *arguments, "--data", data, "--format", "json"]
    environment = {**os.environ, **({"HEADWATER_STORE": store} if store else {})}
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def make_keys(store: str, data: str) -> dict[str, str]:
    keys = {}
    for code in ("small", "flood"):
        administer(store, data, "tenant", "create", code)
        options = ("--tenant", code, "--source", "SPARK", "--role", "writer", "--role", "reader")
        keys[code] = administer(store, data, "key", "create", *options)["key"]
    return keys


def _drive(port: int, options: dict, answer: Connection) -> None:
    answer.send(_run(load.drive("127.0.0.1", port, **options)))


def side_by_side(port: int, loads: dict[str, dict]) -> dict[str, load.Result]:
    """All these loads at once, each from a process of its own."""
    fork = multiprocessing.get_context("fork")
    started = {}
    for name, options in loads.items():
        here, there = fork.Pipe()
        process = fork.Process(target=_drive, args=(port, options, there))
        process.start()
        started[name] = process, here
    results = {name: here.recv() for name, (_, here) in started.items()}
    for process, _ in started.values():
        process.join()
    return results


QUESTIONS = (
    b"/api/v1/lineage?nodeId=job:bench:huge0",
    b"/api/v2/lineage?name=job:bench:huge0&depth=3",
    b"/api/v2/search?q=huge",
)


def huge_events(count: int) -> Iterator[bytes]:
    """Events of which everything is new, of about 1 MB each."""
    facet = {"_producer": "https://bench", "_schemaURL": "https://bench"}
    for number in range(count):
        fields = [{"name": f"huge{number}c{place}", "type": "string"} for place in range(5000)]
        one = {"namespace": "bench", "name": f"huge{number}.out", "facets": {"schema": {**facet, "fields": fields}}}
        event = {
            "eventTime": "2026-01-01T00:00:00Z",
            "eventType": "COMPLETE",
            "producer": "https://bench",
            "run": {"runId": str(uuid.uuid4())},
            "job": {"namespace": "bench", "name": f"huge{number}"},
            "inputs": [{"namespace": "bench", "name": f"huge{number}.i{place}"} for place in range(5000)],
            "outputs": [one],
        }
        yield json.dumps(event).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=store_limit.STORES, default="sqlite")
    parser.add_argument("--seconds", type=float, default=3, help="length of each round")
    parser.add_argument("--rate", type=float, default=25, help="events a second of the small tenant")
    parser.add_argument("--times", type=float, default=20, help="how many times as many the other sends")
    parser.add_argument("--connections", type=int, default=32, help="of the flood; the small tenant has 4")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--flood", choices=FLOODS, nargs="+", default=FLOODS, help="which of them; all by default")
    options = parser.parse_args()
    report: dict = {"cores": os.cpu_count(), "store": options.store, "small_rate": options.rate}
    with store_limit.durable_store(options.store) as (data, url, _):
        store = "" if options.store == "sqlite" else url
        keys = make_keys(store, data)
        server = Server(data, store)
        streams = {"small": events.stream(50, seed=3), "flood": events.stream(1000, seed=4)}

        def sending(code: str, count: int, **more) -> dict:
            more = {"seconds": options.seconds, **more}
            return {"bodies": iter(_prepare(streams[code], count)), "key": keys[code], **more}

        def asking(code: str, paths: tuple[bytes, ...], **more) -> dict:
            return {"bodies": cycle(paths), "asks": True, "key": keys[code], "seconds": options.seconds, **more}

        own = (b"/api/v2/search?q=job", b"/api/v1/namespaces", b"/api/v1/jobs?limit=5")

        def measure(flood: dict | None) -> dict[str, load.Result]:
            loads = {
                "events": sending("small", int(options.rate * options.seconds) + 100, rate=options.rate, connections=4),
                "questions": asking("small", own, rate=options.rate / 5, connections=4),
            }
            return side_by_side(server.port, {**loads, **({"flood": flood} if flood is not None else {})})

        def flood_of(name: str) -> dict | None:
            many = options.connections
            if name == "events":
                rate = options.rate * options.times
                return sending("flood", int(options.seconds * rate) + 100, rate=rate, connections=many)
            if name == "endless_events":
                return sending("flood", int(options.seconds * 4000) + 100, rate=None, connections=many)
            if name == "questions":
                return asking("flood", QUESTIONS, connections=many)
            if name == "huge_events":
                return {"bodies": huge, "key": keys["flood"], "seconds": options.seconds, "connections": 4}
            return None

        for code, count in (("flood", 2000), ("small", 100)):  # every job once
            _run(load.drive("127.0.0.1", server.port, **sending(code, count, seconds=600)))
        first = {"bodies": huge_events(1), "key": keys["flood"], "seconds": 60, "connections": 1}
        _run(load.drive("127.0.0.1", server.port, **first))
        found: dict[str, list[dict[str, load.Result]]] = {name: [] for name in ("alone", *options.flood)}
        for number in range(options.rounds):
            huge = (body.replace(b"huge", b"huge%d_" % number) for body in huge_events(1000))
            for name, rounds in found.items():
                rounds.append(measure(flood_of(name)))
        server.stop()
    for name, rounds in found.items():
        report[name] = {load_: together([one[load_] for one in rounds]) for load_ in rounds[0]}
    for name in options.flood:
        for what in ("events", "questions"):
            small = report[name][what]
            small["ratio"] = round(small["p99_ms"] / report["alone"][what]["p99_ms"], 2)
    print(json.dumps(report, indent=2))


def together(rounds: list[load.Result]) -> dict:
    whole = load.Result()
    statuses: Counter[int] = Counter({429: 0, 503: 0})
    for result in rounds:
        whole.latencies += result.latencies
        whole.seconds += result.seconds
        statuses.update(result.statuses)
    return {**whole.summary(), "statuses": dict(sorted(statuses.items()))}


if __name__ == "__main__":
    main()
