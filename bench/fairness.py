"""What a small tenant notices of another one that floods the server.

    python bench/fairness.py [--store sqlite|mariadb|postgresql] [--seconds 3] [--rounds 10] [--rate 25] [--times 20]

Starts a real server with keys for two tenants. The small one sends at a fixed rate (open loop: lateness counts) alone,
while the other sends at so many times that rate, and while the other sends as fast as it is answered on many
connections. These take turns in short rounds, so that the unsteady machine is the same for all, and the latencies of
all rounds are taken together. Prints one JSON object; `ratio` is the small tenant's p99 with the flood over that
without. Each tenant's load comes from a process of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import events
import load
import store_limit
from ingest import Server, _prepare, _run


def administer(store: str, data: str, *arguments: str) -> dict:
    command = [sys.executable, "-m", "headwater", *arguments, "--data", data, "--format", "json"]
    environment = {**os.environ, **({"HEADWATER_STORE": store} if store else {})}
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def make_keys(store: str, data: str) -> dict[str, str]:
    keys = {}
    for code in ("small", "flood"):
        administer(store, data, "tenant", "create", code)
        keys[code] = administer(store, data, "key", "create", "--tenant", code, "--source", "SPARK")["key"]
    return keys


def _drive(port: int, options: dict, answer: Connection) -> None:
    answer.send(_run(load.drive("127.0.0.1", port, **options)))


def side_by_side(port: int, small: dict, flood: dict | None) -> dict[str, load.Result]:
    if flood is None:
        return {"small": _run(load.drive("127.0.0.1", port, **small))}
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()
    process = fork.Process(target=_drive, args=(port, flood, there))
    process.start()
    results = {"small": _run(load.drive("127.0.0.1", port, **small)), "flood": here.recv()}
    process.join()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=store_limit.STORES, default="sqlite")
    parser.add_argument("--seconds", type=float, default=3, help="length of each round")
    parser.add_argument("--rate", type=float, default=25, help="events a second of the small tenant")
    parser.add_argument("--times", type=float, default=20, help="how many times as many the other sends")
    parser.add_argument("--connections", type=int, default=32, help="of the flood; the small tenant has 4")
    parser.add_argument("--rounds", type=int, default=10)
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

        def measure(flood_rate: float | None, *, alone: bool) -> dict[str, load.Result]:
            small = sending("small", int(options.rate * options.seconds) + 100, rate=options.rate, connections=4)
            flood = None
            if not alone:
                count = int(options.seconds * (flood_rate or 4000)) + 100
                flood = sending("flood", count, rate=flood_rate, connections=options.connections)
            return side_by_side(server.port, small, flood)

        for code, count in (("flood", 2000), ("small", 100)):  # every job once
            _run(load.drive("127.0.0.1", server.port, **sending(code, count, seconds=600)))
        found: dict[str, list[dict[str, load.Result]]] = {"alone": [], "with_flood": [], "with_endless_flood": []}
        for _ in range(options.rounds):
            found["alone"].append(measure(None, alone=True))
            found["with_flood"].append(measure(options.rate * options.times, alone=False))
            found["with_endless_flood"].append(measure(None, alone=False))
        server.stop()
    for name, rounds in found.items():
        report[name] = {code: together([one[code] for one in rounds]) for code in rounds[0]}
    for name in ("with_flood", "with_endless_flood"):
        small, flood = report[name]["small"], report[name]["flood"]
        report[name]["ratio"] = round(small["p99_ms"] / report["alone"]["small"]["p99_ms"], 2)
        report[name]["times"] = round(flood["events_per_second"] / small["events_per_second"], 1)
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
